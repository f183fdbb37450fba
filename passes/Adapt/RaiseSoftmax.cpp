// tw-adapt-raise-softmax: exp(x - max(x)) / sum(exp(x - max(x))), and its logarithm.
#include "passes/Adapt/Passes.h"

#include "passes/Adapt/Matching.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tw::adapt {

#define GEN_PASS_DEF_RAISESOFTMAXPASS
#include "passes/Adapt/Passes.h.inc"

namespace {

/// If `value` repeats along one dimension what `kind` gives over that dimension of `input`: that dimension.
std::optional<int64_t> repeatedReduction(Value value, graph::Reduction kind, Value input) {
  auto broadcast = value.getDefiningOp<graph::BroadcastOp>();
  if (!broadcast || shapeOf(value) != shapeOf(input))
    return std::nullopt;
  Value numbers = broadcast.getInput();
  auto reduce = throughReshapes(numbers).getDefiningOp<graph::ReduceOp>();
  if (!reduce || reduce.getKind() != kind || reduce.getInput() != input || reduce.getDimensions().size() != 1)
    return std::nullopt;
  int64_t axis = reduce.getDimensions().front(), rank = typeOf(input).getRank();
  // Either the dimension is there with size one, or it is new; all others keep their places.
  bool keepsAxis = typeOf(numbers).getRank() == rank;
  int64_t expected = 0;
  for (auto [i, to] : llvm::enumerate(broadcast.getDimensions())) {
    if (!keepsAxis && expected == axis)
      ++expected;
    if (to != expected++ || shapeOf(numbers)[i] != (to == axis ? 1 : shapeOf(input)[to]))
      return std::nullopt;
  }
  return axis;
}

/// x if the value is x, or x less its maximum along `axis`.
Value withoutMaximum(Value value, int64_t axis) {
  auto difference = value.getDefiningOp<arith::SubFOp>();
  if (!difference || repeatedReduction(difference.getRhs(), graph::Reduction::Max, difference.getLhs()) != axis)
    return value;
  return difference.getLhs();
}

struct RaiseSoftmax : OpRewritePattern<arith::DivFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::DivFOp op, PatternRewriter &rewriter) const override {
    auto exponential = op.getLhs().getDefiningOp<math::ExpOp>();
    if (!exponential)
      return failure();
    auto axis = repeatedReduction(op.getRhs(), graph::Reduction::Sum, op.getLhs());
    if (!axis)
      return failure();
    Value input = withoutMaximum(exponential.getOperand(), *axis);
    rewriter.replaceOpWithNewOp<graph::SoftmaxOp>(op, op.getType(), input, *axis);
    return success();
  }
};

struct RaiseLogOfSoftmax : OpRewritePattern<math::LogOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::LogOp op, PatternRewriter &rewriter) const override {
    auto softmax = op.getOperand().getDefiningOp<graph::SoftmaxOp>();
    if (!softmax)
      return failure();
    rewriter.replaceOpWithNewOp<graph::LogSoftmaxOp>(op, op.getType(), softmax.getInput(), softmax.getAxis());
    return success();
  }
};

// (x - max) - log(sum(exp(x - max))).
struct RaiseLogSoftmax : OpRewritePattern<arith::SubFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::SubFOp op, PatternRewriter &rewriter) const override {
    auto broadcast = op.getRhs().getDefiningOp<graph::BroadcastOp>();
    auto logarithm = broadcast ? throughReshapes(broadcast.getInput()).getDefiningOp<math::LogOp>() : nullptr;
    auto sum = logarithm ? throughReshapes(logarithm.getOperand()).getDefiningOp<graph::ReduceOp>() : nullptr;
    auto exponential = sum ? sum.getInput().getDefiningOp<math::ExpOp>() : nullptr;
    if (!exponential || sum.getKind() != graph::Reduction::Sum || sum.getDimensions().size() != 1 ||
        exponential.getOperand() != op.getLhs())
      return failure();
    int64_t axis = sum.getDimensions().front(), rank = typeOf(op.getLhs()).getRank(), expected = 0;
    bool keepsAxis = typeOf(broadcast.getInput()).getRank() == rank;
    for (int64_t to : broadcast.getDimensions()) {
      expected += !keepsAxis && expected == axis;
      if (to != expected++)
        return failure();
    }
    Value input = withoutMaximum(op.getLhs(), axis);
    rewriter.replaceOpWithNewOp<graph::LogSoftmaxOp>(op, op.getType(), input, axis);
    return success();
  }
};

struct RaiseSoftmaxPass : impl::RaiseSoftmaxPassBase<RaiseSoftmaxPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<RaiseSoftmax, RaiseLogOfSoftmax, RaiseLogSoftmax>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace tw::adapt
