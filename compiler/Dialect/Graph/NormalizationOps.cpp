// Verifiers of normalisation and softmax.
#include "compiler/Dialect/Graph/Verification.h"

using namespace mlir;
using namespace tw::graph;

namespace {
/// A value and its name in messages.
struct Named {
  StringRef name;
  Value value;
};
} // namespace

static LogicalResult verifyShapes(Operation *op, StringRef constraint, ArrayRef<int64_t> shape,
                                  ArrayRef<Named> values) {
  for (const Named &named : values)
    if (failed(verifyShape(op, constraint, named.name, named.value, shape)))
      return failure();
  return success();
}

static LogicalResult verifyTypes(Operation *op, StringRef constraint, RankedTensorType type, ArrayRef<Named> values) {
  for (const Named &named : values)
    if (failed(verifyType(op, constraint, named.name, named.value, type)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Batch normalisation
//===----------------------------------------------------------------------===//

/// `like` have the input's type, `statistics` are [channels].
static LogicalResult verifyBatchNorm(Operation *op, Value input, ArrayRef<Named> like, ArrayRef<Named> statistics) {
  if (typeOf(input).getRank() < 2)
    return op->emitOpError("(C1) input has shape ") << toText(shapeOf(input)) << ", expected at least rank 2";
  return success(succeeded(verifyTypes(op, "C1", typeOf(input), like)) &&
                 succeeded(verifyShapes(op, "C1", shapeOf(input)[1], statistics)));
}

LogicalResult BatchNormTrainingOp::verify() {
  return verifyBatchNorm(
      *this, getInput(), {{"result", getResult()}},
      {{"scale", getScale()}, {"bias", getBias()}, {"mean", getMean()}, {"variance", getVariance()}});
}
LogicalResult BatchNormBackwardOp::verify() {
  return verifyBatchNorm(*this, getInput(), {{"cotangent", getCotangent()}, {"d_input", getDInput()}},
                         {{"scale", getScale()},
                          {"mean", getMean()},
                          {"variance", getVariance()},
                          {"d_scale", getDScale()},
                          {"d_bias", getDBias()}});
}
LogicalResult CenteredSquareSumOp::verify() {
  return verifyBatchNorm(*this, getInput(), {}, {{"mean", getMean()}, {"result", getResult()}});
}
LogicalResult BatchNormOp::verify() {
  return verifyBatchNorm(
      *this, getInput(), {{"result", getResult()}},
      {{"scale", getScale()}, {"bias", getBias()}, {"mean", getMean()}, {"variance", getVariance()}});
}
LogicalResult BatchNormBackwardReduceOp::verify() {
  return verifyBatchNorm(
      *this, getInput(), {{"cotangent", getCotangent()}},
      {{"mean", getMean()}, {"variance", getVariance()}, {"d_scale", getDScale()}, {"d_bias", getDBias()}});
}
LogicalResult BatchNormBackwardApplyOp::verify() {
  if (static_cast<int64_t>(getCount()) <= 0)
    return emitOpError("(C1) count is ") << static_cast<int64_t>(getCount()) << ", expected a positive number";
  return verifyBatchNorm(*this, getInput(), {{"cotangent", getCotangent()}, {"d_input", getDInput()}},
                         {{"scale", getScale()},
                          {"mean", getMean()},
                          {"variance", getVariance()},
                          {"d_scale", getDScale()},
                          {"d_bias", getDBias()}});
}

//===----------------------------------------------------------------------===//
// Layer and root-mean-square normalisation
//===----------------------------------------------------------------------===//

/// `like` have the input's type, `columns` the shape from `axis` on, `rows` the shape before it. `likeConstraint` is
/// what speaks of `like` and `rows`.
static LogicalResult verifyRowNorm(Operation *op, Value input, int64_t axis, StringRef likeConstraint,
                                   ArrayRef<Named> like, ArrayRef<Named> columns, ArrayRef<Named> rows) {
  if (failed(verifyAxis(op, "C1", axis, typeOf(input).getRank(), /*lowest=*/1)))
    return failure();
  return success(succeeded(verifyShapes(op, "C1", shapeOf(input).drop_front(axis), columns)) &&
                 succeeded(verifyTypes(op, likeConstraint, typeOf(input), like)) &&
                 succeeded(verifyShapes(op, likeConstraint, shapeOf(input).take_front(axis), rows)));
}

LogicalResult LayerNormOp::verify() {
  return verifyRowNorm(*this, getInput(), getAxis(), "C2", {{"result", getResult()}},
                       {{"scale", getScale()}, {"bias", getBias()}},
                       {{"mean", getMean()}, {"inverse_deviation", getInverseDeviation()}});
}
LogicalResult LayerNormBackwardOp::verify() {
  return verifyRowNorm(*this, getInput(), getAxis(), "C1", {{"cotangent", getCotangent()}, {"d_input", getDInput()}},
                       {{"scale", getScale()}, {"d_scale", getDScale()}, {"d_bias", getDBias()}},
                       {{"mean", getMean()}, {"inverse_deviation", getInverseDeviation()}});
}
LogicalResult RmsNormOp::verify() {
  return verifyRowNorm(*this, getInput(), getAxis(), "C2", {{"result", getResult()}}, {{"scale", getScale()}},
                       {{"inverse_rms", getInverseRms()}});
}
LogicalResult RmsNormBackwardOp::verify() {
  return verifyRowNorm(*this, getInput(), getAxis(), "C1", {{"cotangent", getCotangent()}, {"d_input", getDInput()}},
                       {{"scale", getScale()}, {"d_scale", getDScale()}}, {{"inverse_rms", getInverseRms()}});
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

static LogicalResult verifySoftmax(Operation *op, int64_t axis, Value input, ArrayRef<Named> like) {
  if (failed(verifyAxis(op, "C1", axis, typeOf(input).getRank())))
    return failure();
  return verifyTypes(op, "C1", typeOf(input), like);
}

LogicalResult SoftmaxOp::verify() {
  return verifySoftmax(*this, getAxis(), getInput(), {{"result", getResult()}});
}
LogicalResult LogSoftmaxOp::verify() {
  return verifySoftmax(*this, getAxis(), getInput(), {{"result", getResult()}});
}
LogicalResult SoftmaxBackwardOp::verify() {
  return verifySoftmax(*this, getAxis(), getCotangent(), {{"softmax", getSoftmax()}, {"result", getResult()}});
}
LogicalResult LogSoftmaxBackwardOp::verify() {
  return verifySoftmax(*this, getAxis(), getCotangent(), {{"log_softmax", getLogSoftmax()}, {"result", getResult()}});
}
