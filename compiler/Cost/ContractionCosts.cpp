// Cost of matrix products, convolutions and pooling.
#include "compiler/Cost/Costs.h"

#include "compiler/Dialect/Graph/Graph.h"

using namespace mlir;
using namespace tw::graph;

namespace tw::cost {

static int64_t matmulFlops(MatMulOp op) {
  auto lhs = cast<RankedTensorType>(op.getLhs().getType());
  int64_t depth = lhs.getDimSize(op.getTransposeLhs() ? lhs.getRank() - 2 : lhs.getRank() - 1);
  return product({2, depth, elementsOf(op.getResult())});
}

/// Each output element is a sum over the channels of a group and the window: a filter's elements.
static int64_t convolutionFlopsOf(Value output, Value filter) {
  return product({2, elementsOf(output), product(cast<RankedTensorType>(filter.getType()).getShape().drop_front())});
}
static int64_t convolutionFlops(ConvolutionOp op) {
  return convolutionFlopsOf(op.getResult(), op.getFilter());
}
static int64_t backwardInputFlops(ConvolutionBackwardInputOp op) {
  return convolutionFlopsOf(op.getCotangent(), op.getFilter());
}
static int64_t backwardFilterFlops(ConvolutionBackwardFilterOp op) {
  return convolutionFlopsOf(op.getCotangent(), op.getResult());
}

static int64_t maxPoolFlops(MaxPoolOp op) {
  return product({elementsOf(op.getResult()), product(op.getWindow())});
}
static int64_t maxPoolBackwardFlops(MaxPoolBackwardOp op) {
  return product({elementsOf(op.getCotangent()), product(op.getWindow())});
}
static int64_t averagePoolFlops(AveragePoolOp op) {
  return product({elementsOf(op.getResult()), product(op.getWindow())});
}
static int64_t averagePoolBackwardFlops(AveragePoolBackwardOp op) {
  return product({elementsOf(op.getCotangent()), product(op.getWindow())});
}

void registerContractionCosts(MLIRContext *context) {
  attach<MatMulOp, matmulFlops>(context);
  attach<ConvolutionOp, convolutionFlops>(context);
  attach<ConvolutionBackwardInputOp, backwardInputFlops>(context);
  attach<ConvolutionBackwardFilterOp, backwardFilterFlops>(context);
  attach<MaxPoolOp, maxPoolFlops>(context);
  attach<MaxPoolBackwardOp, maxPoolBackwardFlops>(context);
  attach<AveragePoolOp, averagePoolFlops>(context);
  attach<AveragePoolBackwardOp, averagePoolBackwardFlops>(context);
}

} // namespace tw::cost
