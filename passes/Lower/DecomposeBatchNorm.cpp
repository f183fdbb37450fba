#include "passes/Lower/DecomposeBatchNorm.h"

#include "compiler/Dialect/Graph/Graph.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tw::lower {
namespace {

/// Formulas over an input [n, channels, ...] and tensors [channels].
class ChannelFormula {
public:
  ChannelFormula(PatternRewriter &rewriter, Operation *op, Value input)
      : builder(rewriter), location(op->getLoc()), type(cast<RankedTensorType>(input.getType())) {}

  Value add(Value a, Value b) { return arith::AddFOp::create(builder, location, a, b); }
  Value subtract(Value a, Value b) { return arith::SubFOp::create(builder, location, a, b); }
  Value multiply(Value a, Value b) { return arith::MulFOp::create(builder, location, a, b); }
  Value scaleBy(Value a, double factor) { return multiply(a, constant(a, factor)); }
  /// A tensor [channels] as large as the input.
  Value spread(Value channels) {
    return graph::BroadcastOp::create(builder, location, type, channels, ArrayRef<int64_t>{1});
  }
  /// The sum over all dimensions but the channels.
  Value sum(Value value) {
    SmallVector<int64_t> dimensions;
    for (int64_t dimension = 0; dimension < type.getRank(); ++dimension)
      if (dimension != 1)
        dimensions.push_back(dimension);
    auto result = type.clone(ArrayRef<int64_t>(type.getDimSize(1)));
    return graph::ReduceOp::create(builder, location, result, value, graph::Reduction::Sum, dimensions);
  }
  /// 1 / sqrt(variance + epsilon).
  Value inverseDeviation(Value variance, const APFloat &epsilon) {
    Value deviation =
        math::SqrtOp::create(builder, location, add(variance, constant(variance, epsilon.convertToDouble())));
    return arith::DivFOp::create(builder, location, constant(variance, 1.0), deviation);
  }

private:
  Value constant(Value like, double value) {
    auto likeType = cast<RankedTensorType>(like.getType());
    Attribute element = FloatAttr::get(likeType.getElementType(), value);
    return arith::ConstantOp::create(builder, location, DenseElementsAttr::get(likeType, element));
  }

  PatternRewriter &builder;
  Location location;
  RankedTensorType type;
};

/// (input - mean) (r scale) + bias.
struct DecomposeBatchNorm : OpRewritePattern<graph::BatchNormOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(graph::BatchNormOp op, PatternRewriter &rewriter) const override {
    ChannelFormula f(rewriter, op, op.getInput());
    Value factor = f.multiply(f.inverseDeviation(op.getVariance(), op.getEpsilon()), op.getScale());
    Value centered = f.subtract(op.getInput(), f.spread(op.getMean()));
    rewriter.replaceOp(op, f.add(f.multiply(centered, f.spread(factor)), f.spread(op.getBias())));
    return success();
  }
};

/// scale r dy - scale r d_bias / N - (input - mean) r (scale r d_scale / N).
struct DecomposeBatchNormBackwardApply : OpRewritePattern<graph::BatchNormBackwardApplyOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(graph::BatchNormBackwardApplyOp op, PatternRewriter &rewriter) const override {
    ChannelFormula f(rewriter, op, op.getInput());
    double share = 1.0 / static_cast<double>(op.getCount());
    Value r = f.inverseDeviation(op.getVariance(), op.getEpsilon()), factor = f.multiply(r, op.getScale());
    Value slope = f.multiply(r, f.scaleBy(op.getDScale(), share)), mean = f.scaleBy(op.getDBias(), share);
    Value centered = f.subtract(op.getInput(), f.spread(op.getMean()));
    Value rest = f.subtract(f.subtract(op.getCotangent(), f.spread(mean)), f.multiply(centered, f.spread(slope)));
    rewriter.replaceOp(op, f.multiply(rest, f.spread(factor)));
    return success();
  }
};

struct DecomposeCenteredSquareSum : OpRewritePattern<graph::CenteredSquareSumOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(graph::CenteredSquareSumOp op, PatternRewriter &rewriter) const override {
    ChannelFormula f(rewriter, op, op.getInput());
    Value centered = f.subtract(op.getInput(), f.spread(op.getMean()));
    rewriter.replaceOp(op, f.sum(f.multiply(centered, centered)));
    return success();
  }
};

/// d_scale = r sum of dy (input - mean), d_bias = sum of dy.
struct DecomposeBatchNormBackwardReduce : OpRewritePattern<graph::BatchNormBackwardReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(graph::BatchNormBackwardReduceOp op, PatternRewriter &rewriter) const override {
    ChannelFormula f(rewriter, op, op.getInput());
    Value centered = f.subtract(op.getInput(), f.spread(op.getMean()));
    Value products = f.sum(f.multiply(op.getCotangent(), centered));
    Value r = f.inverseDeviation(op.getVariance(), op.getEpsilon());
    rewriter.replaceOp(op, {f.multiply(products, r), f.sum(op.getCotangent())});
    return success();
  }
};

} // namespace

void populateBatchNormPatterns(RewritePatternSet &patterns) {
  patterns.add<DecomposeBatchNorm, DecomposeBatchNormBackwardApply>(patterns.getContext());
}

void populateBatchNormReductionPatterns(RewritePatternSet &patterns) {
  patterns.add<DecomposeCenteredSquareSum, DecomposeBatchNormBackwardReduce>(patterns.getContext());
}

} // namespace tw::lower
