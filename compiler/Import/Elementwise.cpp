// Arithmetic, comparison, logic and casts.
#include "compiler/Import/Importer.h"

using namespace mlir;

namespace tw::import {
namespace {

//===----------------------------------------------------------------------===//
// Unary
//===----------------------------------------------------------------------===//

template <typename Op>
LogicalResult floatUnary(Node &node) {
  Value x = node.input(0);
  if (!isFloat(x))
    return node.error() << "expected a float operand, found " << x.getType();
  return node.result(node.emit.unary<Op>(x));
}

LogicalResult importIdentity(Node &node) {
  const ImportedValue *value = node.imported(0);
  return value->tensor ? node.result(value->tensor) : node.resultSequence(*value->sequence);
}

LogicalResult importAbs(Node &node) {
  Value x = node.input(0);
  return node.result(isFloat(x) ? node.emit.unary<math::AbsFOp>(x) : node.emit.maximum(x, node.emit.negate(x)));
}

LogicalResult importNeg(Node &node) {
  return node.result(node.emit.negate(node.input(0)));
}

LogicalResult importReciprocal(Node &node) {
  Value x = node.input(0);
  return node.result(node.emit.div(node.emit.splatLike(x, 1), x));
}

LogicalResult importSign(Node &node) {
  Emitter &emit = node.emit;
  Value x = node.input(0), zero = emit.splatLike(x, 0);
  Value positive = emit.compare(arith::CmpFPredicate::OGT, arith::CmpIPredicate::sgt, x, zero);
  Value negative = emit.compare(arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt, x, zero);
  Value below = emit.select(negative, emit.splatLike(x, -1), zero);
  return node.result(emit.select(positive, emit.splatLike(x, 1), below));
}

LogicalResult importNot(Node &node) {
  Value x = node.input(0);
  return node.result(node.emit.make<arith::XOrIOp>(x.getType(), x, node.emit.splatLike(x, 1)));
}

LogicalResult importBitwiseNot(Node &node) {
  Value x = node.input(0);
  return node.result(node.emit.make<arith::XOrIOp>(x.getType(), x, node.emit.splatLike(x, -1)));
}

LogicalResult importIsNaN(Node &node) {
  Value x = node.input(0);
  return node.result(
      node.emit.make<arith::CmpFOp>(typeOf(x).clone(node.emit.builder.getI1Type()), arith::CmpFPredicate::UNO, x, x));
}

LogicalResult importIsInf(Node &node) {
  Emitter &emit = node.emit;
  Value x = node.input(0);
  if (!isFloat(x))
    return node.error() << "expected a float operand, found " << x.getType();
  double infinity = std::numeric_limits<double>::infinity();
  bool positive = node.intAttribute("detect_positive", 1), negative = node.intAttribute("detect_negative", 1);
  Value magnitude = positive && negative ? emit.unary<math::AbsFOp>(x) : x;
  Value bound = emit.splatLike(x, positive ? infinity : -infinity);
  return node.result(emit.compare(arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq, magnitude, bound));
}

//===----------------------------------------------------------------------===//
// Binary and variadic
//===----------------------------------------------------------------------===//

/// The operands, broadcast to one shape, combined from left to right.
LogicalResult combineOperands(Node &node, function_ref<Value(Value, Value)> combine) {
  SmallVector<Value> operands;
  for (unsigned i = 0; i < node.inputCount(); ++i)
    operands.push_back(node.input(i));
  if (failed(node.unify(operands)))
    return failure();
  Value result = operands[0];
  for (Value operand : llvm::drop_begin(operands)) {
    if (operand.getType() != result.getType())
      return node.error() << "operands have different element types: " << result.getType() << " and "
                          << operand.getType();
    result = combine(result, operand);
  }
  return node.result(result);
}

template <Value (Emitter::*Function)(Value, Value)>
LogicalResult binary(Node &node) {
  return combineOperands(node, [&](Value a, Value b) { return (node.emit.*Function)(a, b); });
}

template <Value (Emitter::*Function)(Value, Value, bool)>
LogicalResult signedBinary(Node &node) {
  return combineOperands(node, [&](Value a, Value b) { return (node.emit.*Function)(a, b, node.isUnsigned(0)); });
}

template <typename Op>
LogicalResult integerBinary(Node &node) {
  SmallVector<Value> operands{node.input(0), node.input(1)};
  if (failed(node.unify(operands)))
    return failure();
  if (operands[0].getType() != operands[1].getType() || isFloat(operands[0]))
    return node.error() << "expected two operands of one integer or boolean type, found " << operands[0].getType()
                        << " and " << operands[1].getType();
  return node.result(node.emit.make<Op>(operands[0].getType(), operands[0], operands[1]));
}

LogicalResult importMean(Node &node) {
  if (failed(binary<&Emitter::add>(node)))
    return failure();
  Value sum = node.importer.valueOf(node.proto.output(0), nullptr, 0, node.emit.location)->tensor;
  return node.result(node.emit.scale(sum, 1.0 / node.inputCount()));
}

LogicalResult importMod(Node &node) {
  SmallVector<Value> operands{node.input(0), node.input(1)};
  if (failed(node.unify(operands)))
    return failure();
  Emitter &emit = node.emit;
  Value a = operands[0], b = operands[1];
  if (isFloat(a))
    return node.result(emit.make<arith::RemFOp>(a.getType(), a, b));
  if (node.isUnsigned(0))
    return node.result(emit.make<arith::RemUIOp>(a.getType(), a, b));
  Value remainder = emit.make<arith::RemSIOp>(a.getType(), a, b);
  if (node.intAttribute("fmod", 0))
    return node.result(remainder);
  // Python's rule: the result has the divisor's sign.
  Value zero = emit.splatLike(a, 0);
  Value differs = emit.compare(arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt,
                               emit.make<arith::XOrIOp>(a.getType(), remainder, b), zero);
  Value inexact = emit.compare(arith::CmpFPredicate::UNE, arith::CmpIPredicate::ne, remainder, zero);
  Value both = emit.make<arith::AndIOp>(differs.getType(), differs, inexact);
  return node.result(emit.select(both, emit.add(remainder, b), remainder));
}

// x^n for the exponents that exporters write for squares, cubes and roots.
Value power(Emitter &emit, Value x, double exponent) {
  if (exponent == 1)
    return x;
  if (exponent == 2)
    return emit.mul(x, x);
  if (exponent == 3)
    return emit.mul(emit.mul(x, x), x);
  if (exponent == 0.5)
    return emit.unary<math::SqrtOp>(x);
  if (exponent == -1)
    return emit.div(emit.splatLike(x, 1), x);
  if (exponent == -0.5)
    return emit.unary<math::RsqrtOp>(x);
  return emit.make<math::PowFOp>(x.getType(), x, emit.splatLike(x, exponent));
}

LogicalResult importPow(Node &node) {
  Emitter &emit = node.emit;
  Value x = node.input(0), y = node.input(1);
  Type original = elementOf(x);
  if (!isFloat(x))
    x = emit.cast(x, emit.builder.getF64Type(), node.isUnsigned(0));
  y = emit.cast(y, elementOf(x), node.isUnsigned(1));
  std::optional<double> exponent = splatOf(y);
  Value result;
  if (exponent && elementCount(shapeOf(y)) == 1 && rankOf(y) <= rankOf(x)) {
    result = power(emit, x, *exponent);
  } else {
    SmallVector<Value> operands{x, y};
    if (failed(node.unify(operands)))
      return failure();
    result = emit.make<math::PowFOp>(operands[0].getType(), operands[0], operands[1]);
  }
  return node.result(emit.cast(result, original, false, node.isUnsigned(0)));
}

//===----------------------------------------------------------------------===//
// Comparison and choice
//===----------------------------------------------------------------------===//

template <arith::CmpFPredicate ifFloat, arith::CmpIPredicate ifSigned, arith::CmpIPredicate ifUnsigned>
LogicalResult comparison(Node &node) {
  SmallVector<Value> operands{node.input(0), node.input(1)};
  if (failed(node.unify(operands)))
    return failure();
  if (operands[0].getType() != operands[1].getType())
    return node.error() << "operands have different element types: " << operands[0].getType() << " and "
                        << operands[1].getType();
  auto predicate = node.isUnsigned(0) ? ifUnsigned : ifSigned;
  return node.result(node.emit.compare(ifFloat, predicate, operands[0], operands[1]));
}

LogicalResult importWhere(Node &node) {
  SmallVector<Value> operands{node.input(0), node.input(1), node.input(2)};
  if (failed(node.unify(operands)))
    return failure();
  if (operands[1].getType() != operands[2].getType() || !isBool(operands[0]))
    return node.error() << "expected a boolean condition and two operands of one type";
  return node.result(node.emit.select(operands[0], operands[1], operands[2]));
}

LogicalResult importClip(Node &node) {
  Emitter &emit = node.emit;
  Value x = node.input(0), low = node.input(1), high = node.input(2);
  if (const auto *bound = node.attribute("min"))
    low = emit.splatLike(x, bound->f());
  if (const auto *bound = node.attribute("max"))
    high = emit.splatLike(x, bound->f());
  if (low)
    x = emit.maximum(x, emit.broadcastTo(emit.reshape(low, {}), shapeOf(x)), node.isUnsigned(0));
  if (high)
    x = emit.minimum(x, emit.broadcastTo(emit.reshape(high, {}), shapeOf(x)), node.isUnsigned(0));
  return node.result(x);
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

LogicalResult castTo(Node &node, int32_t onnxType) {
  Type element = elementTypeOf(onnxType, node.emit.builder.getContext());
  if (!element)
    return node.error() << "casts to an element type that is not supported";
  return node.result(node.emit.cast(node.input(0), element, node.isUnsigned(0), isUnsignedType(onnxType)));
}

LogicalResult importCast(Node &node) {
  return castTo(node, node.intAttribute("to", 0));
}

LogicalResult importCastLike(Node &node) {
  int32_t known = node.importer.elementTypeOf(node.proto.input(1));
  if (known)
    return castTo(node, known);
  return node.result(node.emit.cast(node.input(0), elementOf(node.input(1)), node.isUnsigned(0)));
}

} // namespace

void addElementwise(HandlerTable &table) {
  using F = arith::CmpFPredicate;
  using I = arith::CmpIPredicate;
  table["Identity"] = {importIdentity, 1};
  table["Abs"] = {importAbs, 1};
  table["Neg"] = {importNeg, 1};
  table["Reciprocal"] = {importReciprocal, 1};
  table["Sign"] = {importSign, 1};
  table["Exp"] = {floatUnary<math::ExpOp>, 1};
  table["Log"] = {floatUnary<math::LogOp>, 1};
  table["Sqrt"] = {floatUnary<math::SqrtOp>, 1};
  table["Erf"] = {floatUnary<math::ErfOp>, 1};
  table["Sin"] = {floatUnary<math::SinOp>, 1};
  table["Cos"] = {floatUnary<math::CosOp>, 1};
  table["Tan"] = {floatUnary<math::TanOp>, 1};
  table["Sinh"] = {floatUnary<math::SinhOp>, 1};
  table["Cosh"] = {floatUnary<math::CoshOp>, 1};
  table["Atan"] = {floatUnary<math::AtanOp>, 1};
  table["Floor"] = {floatUnary<math::FloorOp>, 1};
  table["Ceil"] = {floatUnary<math::CeilOp>, 1};
  table["Round"] = {floatUnary<math::RoundEvenOp>, 1};
  table["Not"] = {importNot, 1};
  table["BitwiseNot"] = {importBitwiseNot, 1};
  table["IsNaN"] = {importIsNaN, 1};
  table["IsInf"] = {importIsInf, 1};
  table["Add"] = {binary<&Emitter::add>, 2};
  table["Sub"] = {binary<&Emitter::sub>, 2};
  table["Mul"] = {binary<&Emitter::mul>, 2};
  table["Sum"] = {binary<&Emitter::add>, 1};
  table["Mean"] = {importMean, 1};
  table["Div"] = {signedBinary<&Emitter::div>, 2};
  table["Max"] = {signedBinary<&Emitter::maximum>, 1};
  table["Min"] = {signedBinary<&Emitter::minimum>, 1};
  table["Mod"] = {importMod, 2};
  table["Pow"] = {importPow, 2};
  table["And"] = table["BitwiseAnd"] = {integerBinary<arith::AndIOp>, 2};
  table["Or"] = table["BitwiseOr"] = {integerBinary<arith::OrIOp>, 2};
  table["Xor"] = table["BitwiseXor"] = {integerBinary<arith::XOrIOp>, 2};
  table["Equal"] = {comparison<F::OEQ, I::eq, I::eq>, 2};
  table["Less"] = {comparison<F::OLT, I::slt, I::ult>, 2};
  table["LessOrEqual"] = {comparison<F::OLE, I::sle, I::ule>, 2};
  table["Greater"] = {comparison<F::OGT, I::sgt, I::ugt>, 2};
  table["GreaterOrEqual"] = {comparison<F::OGE, I::sge, I::uge>, 2};
  table["Where"] = {importWhere, 3};
  table["Clip"] = {importClip, 1};
  table["Cast"] = {importCast, 1};
  table["CastLike"] = {importCastLike, 2};
}

} // namespace tw::import
