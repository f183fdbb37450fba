// Verifiers of losses and random numbers.
#include "compiler/Dialect/Graph/Verification.h"

using namespace mlir;
using namespace tw::graph;

/// (C1) of graph.cross_entropy.
template <typename Op>
static LogicalResult verifyCrossEntropy(Op op) {
  if (failed(verifyRank(op, "C1", "logits", op.getLogits(), 2)))
    return failure();
  ArrayRef<int64_t> rows = shapeOf(op.getLogits()).take_front(1);
  if (shapeOf(op.getLogits())[1] < 1)
    return op.emitOpError("(C1) logits have shape ")
           << toText(shapeOf(op.getLogits())) << ", expected at least one class";
  return success(
      succeeded(verifyShape(op, "C1", "labels", op.getLabels(), rows)) &&
      succeeded(verifyShape(op, "C1", "logsumexp", op.getLogsumexp(), rows)) &&
      succeeded(verifyInterval(op, "C1", "label_smoothing", op.getLabelSmoothing().convertToDouble(), 0, 1)));
}

LogicalResult CrossEntropyOp::verify() {
  return verifyCrossEntropy(*this);
}
LogicalResult CrossEntropyBackwardOp::verify() {
  if (failed(verifyCrossEntropy(*this)))
    return failure();
  return verifyType(*this, "C1", "result", getResult(), typeOf(getLogits()));
}

LogicalResult DropoutOp::verify() {
  if (typeOf(getInput()).getRank() < 1)
    return emitOpError("(C1) input has rank 0, expected at least 1");
  if (failed(verifyInterval(*this, "C1", "ratio", getRatio().convertToDouble(), 0, 1)))
    return failure();
  return verifyType(*this, "C1", "result", getResult(), typeOf(getInput()));
}
