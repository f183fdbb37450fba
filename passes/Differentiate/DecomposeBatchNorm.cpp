// tw-differentiate-decompose-batch-norm: statistics become sums that can be completed between ranks.
#include "passes/Differentiate/Passes.h"

#include "passes/Differentiate/Gradients.h"

using namespace mlir;

namespace tw::differentiate {

#define GEN_PASS_DEF_DECOMPOSEBATCHNORMPASS
#include "passes/Differentiate/Passes.h.inc"

/// Elements a channel, over the whole batch.
static int64_t elementsAChannel(Value input) {
  auto type = cast<RankedTensorType>(input.getType());
  return type.getNumElements() / type.getDimSize(1);
}

static void decompose(graph::BatchNormTrainingOp op) {
  OpBuilder builder(op);
  Elementwise e(builder, op.getLoc());
  Value input = op.getInput();
  double share = 1.0 / elementsAChannel(input);
  SmallVector<int64_t> dimensions;
  for (int64_t dimension = 0; dimension < cast<RankedTensorType>(input.getType()).getRank(); ++dimension)
    if (dimension != 1)
      dimensions.push_back(dimension);
  Type statistic = op.getMean().getType();
  Value sum = graph::ReduceOp::create(builder, op.getLoc(), statistic, input, graph::Reduction::Sum, dimensions);
  Value mean = e.scale(sum, share);
  Value squares = graph::CenteredSquareSumOp::create(builder, op.getLoc(), statistic, input, mean);
  Value variance = e.scale(squares, share);
  Value result = graph::BatchNormOp::create(builder, op.getLoc(), op.getResult().getType(), input, op.getScale(),
                                            op.getBias(), mean, variance, op.getEpsilon());
  op->replaceAllUsesWith(ValueRange{result, mean, variance});
  op.erase();
}

static void decompose(graph::BatchNormBackwardOp op) {
  OpBuilder builder(op);
  auto sums = graph::BatchNormBackwardReduceOp::create(builder, op.getLoc(), op.getDScale().getType(),
                                                       op.getDBias().getType(), op.getCotangent(), op.getInput(),
                                                       op.getMean(), op.getVariance(), op.getEpsilon());
  Value dInput;
  if (!op.getDInput().use_empty()) {
    dInput = graph::BatchNormBackwardApplyOp::create(
        builder, op.getLoc(), op.getDInput().getType(), op.getCotangent(), op.getInput(), op.getScale(), op.getMean(),
        op.getVariance(), sums.getDScale(), sums.getDBias(), op.getEpsilon(), elementsAChannel(op.getInput()));
    op.getDInput().replaceAllUsesWith(dInput);
  }
  op.getDScale().replaceAllUsesWith(sums.getDScale());
  op.getDBias().replaceAllUsesWith(sums.getDBias());
  op.erase();
}

namespace {
struct DecomposeBatchNormPass : impl::DecomposeBatchNormPassBase<DecomposeBatchNormPass> {
  void runOnOperation() override {
    getOperation().walk([](graph::BatchNormTrainingOp op) { decompose(op); });
    getOperation().walk([](graph::BatchNormBackwardOp op) { decompose(op); });
  }
};
} // namespace

} // namespace tw::differentiate
