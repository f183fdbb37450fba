// Activations and dropout.
#include "compiler/Import/Importer.h"

#include <cmath>

using namespace mlir;

namespace tw::import {
namespace {

/// Handlers of one float operand.
template <Value (*Function)(Node &, Value)>
LogicalResult activation(Node &node) {
  Value x = node.input(0);
  if (!isFloat(x))
    return node.error() << "expected a float operand, found " << x.getType();
  return node.result(Function(node, x));
}

Value positive(Emitter &emit, Value x, Value ifPositive, Value otherwise) {
  Value condition = emit.compare(arith::CmpFPredicate::OGT, arith::CmpIPredicate::sgt, x, emit.splatLike(x, 0));
  return emit.select(condition, ifPositive, otherwise);
}

Value relu(Node &node, Value x) {
  return node.emit.maximum(x, node.emit.splatLike(x, 0));
}
Value sigmoid(Node &node, Value x) {
  return node.emit.unary<graph::SigmoidOp>(x);
}
Value tanhOf(Node &node, Value x) {
  return node.emit.unary<math::TanhOp>(x);
}

Value leakyRelu(Node &node, Value x) {
  return positive(node.emit, x, x, node.emit.scale(x, node.floatAttribute("alpha", 0.01)));
}

// alpha (exp(x) - 1) for x <= 0.
Value elu(Node &node, Value x) {
  Emitter &emit = node.emit;
  // min(x, 0) keeps exp, and with it the derivative, finite on the side that is not used.
  Value below = emit.unary<math::ExpM1Op>(emit.minimum(x, emit.splatLike(x, 0)));
  return positive(emit, x, x, emit.scale(below, node.floatAttribute("alpha", 1.0)));
}

Value selu(Node &node, Value x) {
  Emitter &emit = node.emit;
  double alpha = node.floatAttribute("alpha", 1.67326319217681884765625);
  double gamma = node.floatAttribute("gamma", 1.05070102214813232421875);
  Value below = emit.unary<math::ExpM1Op>(emit.minimum(x, emit.splatLike(x, 0)));
  return positive(emit, x, emit.scale(x, gamma), emit.scale(below, alpha * gamma));
}

// max(0, x) + min(0, alpha (exp(x / alpha) - 1)).
Value celu(Node &node, Value x) {
  Emitter &emit = node.emit;
  double alpha = node.floatAttribute("alpha", 1.0);
  Value below = emit.scale(emit.minimum(x, emit.splatLike(x, 0)), 1 / alpha);
  return positive(emit, x, x, emit.scale(emit.unary<math::ExpM1Op>(below), alpha));
}

Value hardSigmoidOf(Emitter &emit, Value x, double alpha, double beta) {
  Value line = emit.add(emit.scale(x, alpha), emit.splatLike(x, beta));
  return emit.minimum(emit.maximum(line, emit.splatLike(x, 0)), emit.splatLike(x, 1));
}

Value hardSigmoid(Node &node, Value x) {
  return hardSigmoidOf(node.emit, x, node.floatAttribute("alpha", 0.2), node.floatAttribute("beta", 0.5));
}

Value hardSwish(Node &node, Value x) {
  return node.emit.mul(x, hardSigmoidOf(node.emit, x, 1.0 / 6, 0.5));
}

Value swish(Node &node, Value x) {
  Emitter &emit = node.emit;
  double alpha = node.floatAttribute("alpha", 1.0);
  return emit.mul(x, emit.unary<graph::SigmoidOp>(alpha == 1 ? x : emit.scale(x, alpha)));
}

// log(1 + exp(x)) = max(x, 0) + log(1 + exp(-|x|)), which cannot overflow.
Value softplus(Node &node, Value x) {
  Emitter &emit = node.emit;
  Value tail = emit.unary<math::Log1pOp>(emit.unary<math::ExpOp>(emit.negate(emit.unary<math::AbsFOp>(x))));
  return emit.add(emit.maximum(x, emit.splatLike(x, 0)), tail);
}

Value softsign(Node &node, Value x) {
  Emitter &emit = node.emit;
  return emit.div(x, emit.add(emit.unary<math::AbsFOp>(x), emit.splatLike(x, 1)));
}

Value mish(Node &node, Value x) {
  return node.emit.mul(x, node.emit.unary<math::TanhOp>(softplus(node, x)));
}

Value thresholdedRelu(Node &node, Value x) {
  Emitter &emit = node.emit;
  Value bound = emit.splatLike(x, node.floatAttribute("alpha", 1.0));
  Value above = emit.compare(arith::CmpFPredicate::OGT, arith::CmpIPredicate::sgt, x, bound);
  return emit.select(above, x, emit.splatLike(x, 0));
}

Value gelu(Node &node, Value x) {
  auto op = graph::GeluOp::create(node.emit.builder, node.emit.location, x.getType(), x);
  if (node.stringAttribute("approximate", "none") == "tanh")
    op.setTanh(true);
  return op;
}

LogicalResult importPRelu(Node &node) {
  Emitter &emit = node.emit;
  SmallVector<Value> operands{node.input(0), node.input(1)};
  if (failed(node.unify(operands)))
    return failure();
  return node.result(positive(emit, operands[0], operands[0], emit.mul(operands[0], operands[1])));
}

// Dropout is random in training mode only; without it, or at ratio 0, it is the identity.
LogicalResult importDropout(Node &node) {
  Emitter &emit = node.emit;
  Value x = node.input(0);
  if (failed(node.refuseOutputsFrom(1, "the mask")))
    return failure();
  double ratio = node.floatAttribute("ratio", 0.5);
  if (node.hasInput(1)) {
    auto value = node.constantFloat(1, "ratio");
    if (failed(value))
      return failure();
    ratio = *value;
  }
  bool training = false;
  if (node.hasInput(2)) {
    DenseElementsAttr mode = constantOf(node.input(2));
    if (!mode || !mode.getElementType().isInteger(1))
      return node.error() << "its training_mode depends on data, which is not supported";
    training = *mode.getValues<bool>().begin();
  }
  if (!training || ratio == 0)
    return node.result(x);
  if (!(ratio > 0 && ratio < 1) || rankOf(x) == 0)
    return node.error() << "expected a ratio of at least 0 and below 1 and a tensor of rank 1 or more, found ratio "
                        << ratio << " and " << x.getType();
  Value seed = node.importer.loadCounter("seed", emit), step = node.importer.loadCounter("step", emit);
  Value row = emit.splat(RankedTensorType::get({}, emit.builder.getI64Type()), 0);
  return node.result(graph::DropoutOp::create(emit.builder, emit.location, x.getType(), x, seed, step, row,
                                              llvm::APFloat(ratio), node.importer.nextId()));
}

} // namespace

void addActivations(HandlerTable &table) {
  table["Relu"] = {activation<relu>, 1};
  table["Sigmoid"] = {activation<sigmoid>, 1};
  table["Tanh"] = {activation<tanhOf>, 1};
  table["LeakyRelu"] = {activation<leakyRelu>, 1};
  table["Elu"] = {activation<elu>, 1};
  table["Selu"] = {activation<selu>, 1};
  table["Celu"] = {activation<celu>, 1};
  table["HardSigmoid"] = {activation<hardSigmoid>, 1};
  table["HardSwish"] = {activation<hardSwish>, 1};
  table["Swish"] = {activation<swish>, 1};
  table["Softplus"] = {activation<softplus>, 1};
  table["Softsign"] = {activation<softsign>, 1};
  table["Mish"] = {activation<mish>, 1};
  table["ThresholdedRelu"] = {activation<thresholdedRelu>, 1};
  table["Gelu"] = {activation<gelu>, 1};
  table["PRelu"] = {importPRelu, 2};
  table["Dropout"] = {importDropout, 1};
}

} // namespace tw::import
