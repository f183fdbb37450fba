#include "compiler/Import/Emitter.h"

#include "compiler/Interpreter/Evaluator.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>

using namespace mlir;

namespace tw::import {

int64_t elementCount(Shape shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

DenseElementsAttr constantOf(Value value) {
  auto constant = value ? value.getDefiningOp<arith::ConstantOp>() : nullptr;
  return constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
}

std::optional<double> splatOf(Value value) {
  while (value) {
    if (DenseElementsAttr constant = constantOf(value)) {
      if (!isa<FloatType>(constant.getElementType()) || !constant.isSplat())
        return std::nullopt;
      return constant.getSplatValue<FloatAttr>().getValueAsDouble();
    }
    Operation *op = value.getDefiningOp();
    if (!isa_and_nonnull<graph::BroadcastOp, graph::ReshapeOp>(op))
      return std::nullopt;
    value = op->getOperand(0);
  }
  return std::nullopt;
}

std::optional<ShapeVector> broadcastShapes(Shape a, Shape b) {
  if (a.size() < b.size())
    std::swap(a, b);
  ShapeVector result(a);
  size_t lead = a.size() - b.size();
  for (size_t i = 0; i < b.size(); ++i) {
    int64_t &size = result[lead + i];
    if (size == 1)
      size = b[i];
    else if (b[i] != 1 && b[i] != size)
      return std::nullopt;
  }
  return result;
}

// Whether an op whose operands are all constants is computed now. Floats that would grow stay as they are; masks are
// integers and booleans, and have to fold so that passes can recognise them.
static bool isWorthFolding(Operation *op, ArrayRef<DenseElementsAttr> operands) {
  int64_t inputs = 256;
  for (DenseElementsAttr operand : operands)
    inputs = std::max(inputs, operand.getNumElements());
  int64_t elements = typeOf(op->getResult(0)).getNumElements();
  return elements <= inputs || (!isFloat(op->getResult(0)) && elements <= (int64_t(1) << 22));
}

// Moving the elements of a tensor whose elements are all equal gives such a tensor.
static DenseElementsAttr evaluateSplat(Operation *op, ArrayRef<DenseElementsAttr> operands) {
  RankedTensorType type = typeOf(op->getResult(0));
  bool moves = isa<graph::ReshapeOp, graph::TransposeOp, graph::BroadcastOp, graph::SliceOp, graph::GatherOp>(op);
  if (type.getNumElements() == 0 && !operands.empty() && moves)
    return DenseElementsAttr::get(type, ArrayRef<Attribute>());
  if (moves && operands[0].isSplat())
    return DenseElementsAttr::get(type, operands[0].getSplatValue<Attribute>());
  if (!llvm::all_of(operands, [](DenseElementsAttr operand) { return operand.isSplat(); }))
    return {};
  SmallVector<Attribute> attributes(operands.begin(), operands.end());
  SmallVector<OpFoldResult> folded;
  if (failed(op->fold(attributes, folded)) || folded.size() != 1)
    return {};
  if (auto attribute = dyn_cast<Attribute>(folded[0]))
    return dyn_cast<DenseElementsAttr>(attribute);
  return constantOf(cast<Value>(folded[0]));
}

Value Emitter::fold(Operation *op) {
  SmallVector<DenseElementsAttr> operands;
  for (Value operand : op->getOperands())
    operands.push_back(constantOf(operand));
  if (operands.empty() || llvm::is_contained(operands, nullptr))
    return op->getResult(0);
  DenseElementsAttr value = evaluateSplat(op, operands);
  if (!value && isWorthFolding(op, operands)) {
    auto results = interpreter::evaluateConstant(op, SmallVector<Attribute>(operands.begin(), operands.end()));
    value = succeeded(results) ? dyn_cast<DenseElementsAttr>(results->front()) : DenseElementsAttr();
  }
  if (!value)
    return op->getResult(0);
  op->erase();
  return constant(value);
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Value Emitter::constant(DenseElementsAttr value) {
  return arith::ConstantOp::create(builder, location, value);
}

Value Emitter::splat(RankedTensorType type, double value) {
  Type element = type.getElementType();
  Attribute scalar = isa<FloatType>(element) ? Attribute(builder.getFloatAttr(element, value))
                                             : Attribute(builder.getIntegerAttr(element, static_cast<int64_t>(value)));
  return constant(DenseElementsAttr::get(type, scalar));
}

Value Emitter::ints(ArrayRef<int64_t> values, Shape shape) {
  return constant(DenseElementsAttr::get(RankedTensorType::get(shape, builder.getI64Type()), values));
}

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

Value Emitter::reshape(Value input, Shape shape) {
  if (shapeOf(input) == shape)
    return input;
  if (auto inner = input.getDefiningOp<graph::ReshapeOp>())
    return reshape(inner.getInput(), shape);
  return make<graph::ReshapeOp>(typeOf(input).clone(shape), input);
}

Value Emitter::transpose(Value input, ArrayRef<int64_t> permutation) {
  ShapeVector shape;
  bool identity = true;
  for (auto [i, from] : llvm::enumerate(permutation)) {
    shape.push_back(shapeOf(input)[from]);
    identity &= static_cast<int64_t>(i) == from;
  }
  return identity ? input : make<graph::TransposeOp>(typeOf(input).clone(shape), input, permutation);
}

Value Emitter::broadcast(Value input, Shape shape, ArrayRef<int64_t> dimensions) {
  return shapeOf(input) == shape ? input : make<graph::BroadcastOp>(typeOf(input).clone(shape), input, dimensions);
}

Value Emitter::broadcastTo(Value input, Shape shape) {
  int64_t lead = static_cast<int64_t>(shape.size()) - rankOf(input);
  return broadcast(input, shape, llvm::to_vector(llvm::seq<int64_t>(lead, shape.size())));
}

Value Emitter::slice(Value input, ArrayRef<int64_t> starts, ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides) {
  bool whole = shapeOf(input) == sizes;
  for (auto [start, stride, size] : llvm::zip(starts, strides, sizes))
    whole &= start == 0 && (stride == 1 || size <= 1);
  return whole ? input : make<graph::SliceOp>(typeOf(input).clone(sizes), input, starts, strides);
}

Value Emitter::sliceAxis(Value input, int64_t axis, int64_t start, int64_t size) {
  ShapeVector starts(rankOf(input), 0), strides(rankOf(input), 1), sizes(shapeOf(input));
  starts[axis] = start;
  sizes[axis] = size;
  return slice(input, starts, sizes, strides);
}

Value Emitter::concat(ArrayRef<Value> inputs, int64_t axis) {
  if (inputs.size() == 1)
    return inputs.front();
  ShapeVector shape(shapeOf(inputs.front()));
  shape[axis] = 0;
  for (Value input : inputs)
    shape[axis] += shapeOf(input)[axis];
  return make<graph::ConcatOp>(typeOf(inputs.front()).clone(shape), inputs, axis);
}

// The first index if the constant's elements are consecutive numbers that stay within the axis.
static std::optional<int64_t> consecutiveStart(DenseElementsAttr indices, int64_t size) {
  if (!indices || indices.empty())
    return std::nullopt;
  std::optional<int64_t> start;
  int64_t next = 0;
  for (const APInt &value : indices.getValues<APInt>()) {
    int64_t index = value.getSExtValue();
    index = index < 0 ? index + size : index;
    if (!start)
      start = next = index;
    if (index != next++ || index < 0 || index >= size)
      return std::nullopt;
  }
  return start;
}

Value Emitter::gather(Value input, Value indices, int64_t axis) {
  ShapeVector shape(shapeOf(input).take_front(axis));
  llvm::append_range(shape, shapeOf(indices));
  llvm::append_range(shape, shapeOf(input).drop_front(axis + 1));
  if (auto start = consecutiveStart(constantOf(indices), shapeOf(input)[axis]))
    return reshape(sliceAxis(input, axis, *start, elementCount(shapeOf(indices))), shape);
  return make<graph::GatherOp>(typeOf(input).clone(shape), input, indices, axis);
}

Value Emitter::reduce(Value input, graph::Reduction kind, ArrayRef<int64_t> dimensions) {
  ShapeVector shape;
  for (auto [i, size] : llvm::enumerate(shapeOf(input)))
    if (!llvm::is_contained(dimensions, static_cast<int64_t>(i)))
      shape.push_back(size);
  return dimensions.empty() ? input : make<graph::ReduceOp>(typeOf(input).clone(shape), input, kind, dimensions);
}

Value Emitter::pad(Value input, ArrayRef<int64_t> low, ArrayRef<int64_t> high, double value) {
  ShapeVector shape(shapeOf(input)), interior(low.size(), 0);
  for (size_t i = 0; i < shape.size(); ++i)
    shape[i] += low[i] + high[i];
  return shapeOf(input) == Shape(shape)
             ? input
             : make<graph::PadOp>(typeOf(input).clone(shape), input, low, high, interior, llvm::APFloat(value));
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value Emitter::add(Value a, Value b) {
  return isFloat(a) ? make<arith::AddFOp>(a.getType(), a, b) : make<arith::AddIOp>(a.getType(), a, b);
}

Value Emitter::sub(Value a, Value b) {
  return isFloat(a) ? make<arith::SubFOp>(a.getType(), a, b) : make<arith::SubIOp>(a.getType(), a, b);
}

Value Emitter::mul(Value a, Value b) {
  return isFloat(a) ? make<arith::MulFOp>(a.getType(), a, b) : make<arith::MulIOp>(a.getType(), a, b);
}

Value Emitter::div(Value a, Value b, bool isUnsigned) {
  if (isFloat(a))
    return make<arith::DivFOp>(a.getType(), a, b);
  return isUnsigned ? make<arith::DivUIOp>(a.getType(), a, b) : make<arith::DivSIOp>(a.getType(), a, b);
}

Value Emitter::maximum(Value a, Value b, bool isUnsigned) {
  if (isFloat(a))
    return make<arith::MaximumFOp>(a.getType(), a, b);
  return isUnsigned ? make<arith::MaxUIOp>(a.getType(), a, b) : make<arith::MaxSIOp>(a.getType(), a, b);
}

Value Emitter::minimum(Value a, Value b, bool isUnsigned) {
  if (isFloat(a))
    return make<arith::MinimumFOp>(a.getType(), a, b);
  return isUnsigned ? make<arith::MinUIOp>(a.getType(), a, b) : make<arith::MinSIOp>(a.getType(), a, b);
}

Value Emitter::negate(Value a) {
  return isFloat(a) ? unary<arith::NegFOp>(a) : sub(splatLike(a, 0), a);
}

Value Emitter::compare(arith::CmpFPredicate ifFloat, arith::CmpIPredicate ifInt, Value a, Value b) {
  Type type = typeOf(a).clone(builder.getI1Type());
  return isFloat(a) ? make<arith::CmpFOp>(type, ifFloat, a, b) : make<arith::CmpIOp>(type, ifInt, a, b);
}

Value Emitter::select(Value condition, Value ifTrue, Value ifFalse) {
  if (DenseElementsAttr value = constantOf(condition); value && value.isSplat())
    return value.getSplatValue<bool>() ? ifTrue : ifFalse;
  return make<arith::SelectOp>(ifTrue.getType(), condition, ifTrue, ifFalse);
}

Value Emitter::cast(Value input, Type element, bool fromUnsigned, bool toUnsigned) {
  Type from = elementOf(input);
  RankedTensorType type = typeOf(input).clone(element);
  if (from == element)
    return input;
  bool toFloat = isa<FloatType>(element);
  if (element.isInteger(1))
    return compare(arith::CmpFPredicate::UNE, arith::CmpIPredicate::ne, input, splatLike(input, 0));
  if (isa<FloatType>(from)) {
    if (!toFloat)
      return toUnsigned ? make<arith::FPToUIOp>(type, input) : make<arith::FPToSIOp>(type, input);
    if (from.getIntOrFloatBitWidth() < element.getIntOrFloatBitWidth())
      return make<arith::ExtFOp>(type, input);
    if (from.getIntOrFloatBitWidth() > element.getIntOrFloatBitWidth())
      return fold(arith::TruncFOp::create(builder, location, type, input));
    // f16 and bf16: through f32.
    return cast(cast(input, builder.getF32Type(), false), element, false);
  }
  bool isUnsigned = fromUnsigned || from.isInteger(1);
  if (toFloat)
    return isUnsigned ? make<arith::UIToFPOp>(type, input) : make<arith::SIToFPOp>(type, input);
  if (from.getIntOrFloatBitWidth() > element.getIntOrFloatBitWidth())
    return fold(arith::TruncIOp::create(builder, location, type, input));
  return isUnsigned ? make<arith::ExtUIOp>(type, input) : make<arith::ExtSIOp>(type, input);
}

} // namespace tw::import
