// Normalisations and softmax.
#include "compiler/Import/Importer.h"

using namespace mlir;

namespace tw::import {
namespace {

Value ones(Emitter &emit, Type element, Shape shape) {
  return emit.splat(RankedTensorType::get(shape, element), 1);
}

//===----------------------------------------------------------------------===//
// Batch normalisation
//===----------------------------------------------------------------------===//

// running * momentum + batch * (1 - momentum), for models that return it.
Value runningStatistics(Emitter &emit, Value running, Value batch, double momentum) {
  return emit.add(emit.scale(running, momentum), emit.scale(batch, 1 - momentum));
}

LogicalResult importBatchNormalization(Node &node) {
  Emitter &emit = node.emit;
  Value input = node.input(0), scale = node.input(1), bias = node.input(2), mean = node.input(3),
        variance = node.input(4);
  if (!isFloat(input) || rankOf(input) < 2)
    return node.error() << "expected a float input [n, c, ...], found " << input.getType();
  ShapeVector channels{shapeOf(input)[1]};
  for (Value value : {scale, bias, mean, variance})
    if (shapeOf(value) != Shape(channels) || elementOf(value) != elementOf(input))
      return node.error() << "expected scale, bias, mean and variance of the input's element type and shape ["
                          << channels[0] << "], found " << value.getType();
  llvm::APFloat epsilon(node.floatAttribute("epsilon", 1e-5));
  double momentum = node.floatAttribute("momentum", 0.9);
  if (node.importer.importOptions().batchNorm == BatchNorm::Frozen)
    return node.result(graph::BatchNormOp::create(emit.builder, emit.location, input.getType(), input, scale, bias,
                                                  mean, variance, epsilon));
  auto op = graph::BatchNormTrainingOp::create(emit.builder, emit.location,
                                               TypeRange{input.getType(), mean.getType(), mean.getType()}, input, scale,
                                               bias, epsilon);
  FlatSymbolRefAttr runningMean = node.importer.parameterOf(mean),
                    runningVariance = node.importer.parameterOf(variance);
  if (!runningMean || !runningVariance)
    return node.error() << "its running mean and variance are not initializers: import with frozen batch norms";
  op->setAttr("running_mean", runningMean);
  op->setAttr("running_variance", runningVariance);
  op->setAttr("momentum", emit.builder.getF64FloatAttr(momentum));
  (void)node.result(0, op.getResult());
  if (node.hasOutput(1) && node.importer.isUsed(node.proto.output(1)))
    (void)node.result(1, runningStatistics(emit, mean, op.getMean(), momentum));
  if (node.hasOutput(2) && node.importer.isUsed(node.proto.output(2)))
    (void)node.result(2, runningStatistics(emit, variance, op.getVariance(), momentum));
  return node.refuseOutputsFrom(3, "saved statistics");
}

//===----------------------------------------------------------------------===//
// Layer, RMS, instance and group normalisation
//===----------------------------------------------------------------------===//

/// An input whose normalised dimensions begin at `axis` > 0, and scale and bias shaped like those.
struct Rows {
  Value input, scale, bias;
  int64_t axis;
};

FailureOr<Rows> readRows(Node &node) {
  Emitter &emit = node.emit;
  Rows rows{node.input(0), node.input(1), node.input(2), 0};
  if (!isFloat(rows.input))
    return node.error() << "expected a float input, found " << rows.input.getType();
  auto axis = node.axis(node.intAttribute("axis", -1), rankOf(rows.input));
  if (failed(axis))
    return failure();
  Shape normalised = shapeOf(rows.input).drop_front(*axis);
  for (Value *value : {&rows.scale, &rows.bias}) {
    if (!*value)
      continue;
    auto shape = broadcastShapes(shapeOf(*value), normalised);
    if (!shape || Shape(*shape) != normalised || elementOf(*value) != elementOf(rows.input))
      return node.error() << (*value).getType() << " does not fit the normalised dimensions of "
                          << rows.input.getType();
    *value = emit.broadcastTo(*value, normalised);
  }
  rows.axis = *axis;
  if (rows.axis == 0) {
    ShapeVector shape(shapeOf(rows.input));
    shape.insert(shape.begin(), 1);
    rows.input = emit.reshape(rows.input, shape);
    rows.axis = 1;
  }
  return rows;
}

// Statistics keep the normalised dimensions with size 1.
LogicalResult resultStatistics(Node &node, unsigned index, Value statistics) {
  ShapeVector shape(shapeOf(node.input(0)));
  int64_t axis = node.intAttribute("axis", -1), rank = shape.size();
  for (int64_t i = axis < 0 ? axis + rank : axis; i < rank; ++i)
    shape[i] = 1;
  return node.result(index, node.emit.reshape(statistics, shape));
}

LogicalResult importLayerNormalization(Node &node) {
  Emitter &emit = node.emit;
  auto rows = readRows(node);
  if (failed(rows))
    return failure();
  Type statistics = typeOf(rows->input).clone(shapeOf(rows->input).take_front(rows->axis));
  auto op = graph::LayerNormOp::create(
      emit.builder, emit.location, TypeRange{rows->input.getType(), statistics, statistics}, rows->input, rows->scale,
      rows->bias, rows->axis, llvm::APFloat(node.floatAttribute("epsilon", 1e-5)));
  (void)node.result(0, emit.reshape(op.getResult(), shapeOf(node.input(0))));
  if (node.hasOutput(1))
    (void)resultStatistics(node, 1, op.getMean());
  if (node.hasOutput(2))
    (void)resultStatistics(node, 2, op.getInverseDeviation());
  return success();
}

LogicalResult importRmsNormalization(Node &node) {
  Emitter &emit = node.emit;
  auto rows = readRows(node);
  if (failed(rows))
    return failure();
  Type statistics = typeOf(rows->input).clone(shapeOf(rows->input).take_front(rows->axis));
  auto op =
      graph::RmsNormOp::create(emit.builder, emit.location, TypeRange{rows->input.getType(), statistics}, rows->input,
                               rows->scale, rows->axis, llvm::APFloat(node.floatAttribute("epsilon", 1e-5)));
  return node.result(emit.reshape(op.getResult(), shapeOf(node.input(0))));
}

// Every group of channels of a sample is normalised as one row; then each channel is scaled and shifted.
LogicalResult normaliseGroups(Node &node, int64_t groups) {
  Emitter &emit = node.emit;
  Value input = node.input(0), scale = node.input(1), bias = node.input(2);
  if (!isFloat(input) || rankOf(input) < 3 || groups < 1 || shapeOf(input)[1] % groups != 0)
    return node.error() << "expected a float input [n, c, spatial...] whose channels divide into groups, found "
                        << input.getType() << " and " << groups << " groups";
  int64_t samples = shapeOf(input)[0], channels = shapeOf(input)[1];
  int64_t width = elementCount(shapeOf(input).drop_front(1)) / groups;
  Value rows = emit.reshape(input, {samples * groups, width});
  Type statistics = typeOf(rows).clone(Shape{samples * groups});
  auto op = graph::LayerNormOp::create(emit.builder, emit.location, TypeRange{rows.getType(), statistics, statistics},
                                       rows, ones(emit, elementOf(input), {width}), Value(), 1,
                                       llvm::APFloat(node.floatAttribute("epsilon", 1e-5)));
  Value result = emit.reshape(op.getResult(), shapeOf(input));
  auto perChannel = [&](Value value) { return emit.broadcast(value, shapeOf(input), {1}); };
  for (Value value : {scale, bias})
    if (rankOf(value) != 1 || shapeOf(value)[0] != channels)
      return node.error() << "expected scale and bias of one number a channel, found " << value.getType();
  return node.result(emit.add(emit.mul(result, perChannel(scale)), perChannel(bias)));
}

LogicalResult importInstanceNormalization(Node &node) {
  return normaliseGroups(node, rankOf(node.input(0)) > 1 ? shapeOf(node.input(0))[1] : 0);
}

LogicalResult importGroupNormalization(Node &node) {
  return normaliseGroups(node, node.intAttribute("num_groups", 0));
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

template <typename Op>
LogicalResult importSoftmax(Node &node) {
  Emitter &emit = node.emit;
  Value input = node.input(0);
  bool flattens = node.opset < 13; // then all dimensions from `axis` on form one row
  if (!isFloat(input))
    return node.error() << "expected a float input, found " << input.getType();
  auto axis = node.axis(node.intAttribute("axis", flattens ? 1 : -1), rankOf(input));
  if (failed(axis))
    return failure();
  if (!flattens)
    return node.result(Op::create(emit.builder, emit.location, input.getType(), input, *axis));
  int64_t rows = elementCount(shapeOf(input).take_front(*axis));
  Value flat = emit.reshape(input, {rows, elementCount(shapeOf(input).drop_front(*axis))});
  Value result = Op::create(emit.builder, emit.location, flat.getType(), flat, 1);
  return node.result(emit.reshape(result, shapeOf(input)));
}

} // namespace

void addNormalization(HandlerTable &table) {
  table["BatchNormalization"] = {importBatchNormalization, 5};
  table["LayerNormalization"] = {importLayerNormalization, 2};
  table["RMSNormalization"] = {importRmsNormalization, 2};
  table["InstanceNormalization"] = {importInstanceNormalization, 3};
  table["GroupNormalization"] = {importGroupNormalization, 3};
  table["Softmax"] = {importSoftmax<graph::SoftmaxOp>, 1};
  table["LogSoftmax"] = {importSoftmax<graph::LogSoftmaxOp>, 1};
}

} // namespace tw::import
