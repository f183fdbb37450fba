#include "passes/Lower/Passes.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tw::lower {
#define GEN_PASS_DEF_FOLDMATMULBIASPASS
#include "passes/Lower/Passes.h.inc"

namespace {

/// The product behind `value` (possibly reshaped), if nothing else needs it and it has no initial value yet.
graph::MatMulOp freeProduct(Value value) {
  if (auto reshape = value.getDefiningOp<graph::ReshapeOp>())
    value = reshape->hasOneUse() ? reshape.getInput() : Value();
  auto product = value ? value.getDefiningOp<graph::MatMulOp>() : graph::MatMulOp();
  return product && product->hasOneUse() && !product.getInit() ? product : graph::MatMulOp();
}

/// The vector that `value` repeats over all dimensions but the last, or null.
Value repeatedVector(Value value) {
  auto broadcast = value.getDefiningOp<graph::BroadcastOp>();
  if (!broadcast)
    return {};
  auto input = cast<RankedTensorType>(broadcast.getInput().getType());
  auto result = cast<RankedTensorType>(broadcast.getType());
  bool isRow = input.getRank() == 1 && broadcast.getDimensions()[0] == result.getRank() - 1 &&
               input.getDimSize(0) == result.getShape().back();
  return isRow ? broadcast.getInput() : Value();
}

bool sameLastDimension(Type a, Type b) {
  auto left = cast<RankedTensorType>(a), right = cast<RankedTensorType>(b);
  return left.getRank() && right.getRank() && left.getShape().back() == right.getShape().back();
}

struct FoldAddition : OpRewritePattern<arith::AddFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::AddFOp add, PatternRewriter &rewriter) const override {
    for (auto [value, other] : {std::pair(add.getLhs(), add.getRhs()), std::pair(add.getRhs(), add.getLhs())}) {
      graph::MatMulOp product = freeProduct(value);
      if (!product)
        continue;
      Value init = initialValue(product, add, other, rewriter);
      if (!init)
        continue;
      rewriter.setInsertionPoint(add);
      Value sum = graph::MatMulOp::create(rewriter, product.getLoc(), product.getType(), product.getLhs(),
                                          product.getRhs(), init, product.getTransposeLhs(), product.getTransposeRhs());
      if (sum.getType() != add.getType())
        sum = graph::ReshapeOp::create(rewriter, add.getLoc(), add.getType(), sum);
      rewriter.replaceOp(add, sum);
      return success();
    }
    return failure();
  }

private:
  /// `other` as an operand of the product: a bias, or an accumulator that dies here. Null when neither.
  static Value initialValue(graph::MatMulOp product, arith::AddFOp add, Value other, PatternRewriter &rewriter) {
    if (Value vector = repeatedVector(other); vector && sameLastDimension(product.getType(), add.getType()))
      return vector;
    if (!other.hasOneUse() || isa<BlockArgument>(other) || isa<graph::LoadOp>(other.getDefiningOp()) ||
        other.getDefiningOp()->hasTrait<OpTrait::ConstantLike>())
      return {};
    if (other.getType() == product.getType())
      return other;
    rewriter.setInsertionPoint(add);
    return graph::ReshapeOp::create(rewriter, add.getLoc(), product.getType(), other);
  }
};

struct FoldMatMulBiasPass : impl::FoldMatMulBiasPassBase<FoldMatMulBiasPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<FoldAddition>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
} // namespace tw::lower
