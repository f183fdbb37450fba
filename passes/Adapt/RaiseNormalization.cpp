// tw-adapt-raise-normalization: layer norm and RMS norm.
#include "passes/Adapt/Passes.h"

#include "passes/Adapt/Matching.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tw::adapt {

#define GEN_PASS_DEF_RAISENORMALIZATIONPASS
#include "passes/Adapt/Passes.h.inc"

namespace {

/// mean + epsilon under a root: `input` squared, averaged over the dimensions from `axis` on.
struct RootMeanSquare {
  Value input;
  int64_t axis;
  double epsilon;
};

/// x if the value is x * x (exporters' powers of 2 are imported as products).
Value squared(Value value) {
  if (auto product = value.getDefiningOp<arith::MulFOp>(); product && product.getLhs() == product.getRhs())
    return product.getLhs();
  if (auto power = value.getDefiningOp<math::PowFOp>(); power && splatOf(power.getRhs()) == 2.0)
    return power.getLhs();
  return {};
}

std::optional<RootMeanSquare> meanSquarePlusEpsilon(Value value) {
  auto sum = withNumber<arith::AddFOp>(throughReshapes(value));
  if (!sum || sum->second < 0)
    return std::nullopt;
  auto mean = rowMean(sum->first);
  Value input = mean ? squared(mean->input) : Value();
  if (!input)
    return std::nullopt;
  return RootMeanSquare{input, mean->axis, sum->second};
}

/// sqrt(v), v^0.5: v.
Value underRoot(Value value) {
  value = throughReshapes(value);
  if (auto root = value.getDefiningOp<math::SqrtOp>())
    return root.getOperand();
  if (auto power = value.getDefiningOp<math::PowFOp>(); power && splatOf(power.getRhs()) == 0.5)
    return power.getLhs();
  return {};
}

/// 1/sqrt(v), rsqrt(v), v^-0.5: v.
Value underInverseRoot(Value value) {
  value = throughReshapes(value);
  if (auto root = value.getDefiningOp<math::RsqrtOp>())
    return root.getOperand();
  if (auto power = value.getDefiningOp<math::PowFOp>(); power && splatOf(power.getRhs()) == -0.5)
    return power.getLhs();
  auto quotient = value.getDefiningOp<arith::DivFOp>();
  if (quotient && splatOf(quotient.getLhs()) == 1.0)
    return underRoot(quotient.getRhs());
  return {};
}

/// If `factor` (or with `divides` its inverse) holds 1 / sqrt(mean(numerator^2) + epsilon) for each row of `numerator`.
std::optional<RootMeanSquare> matchRoot(Value numerator, Value factor, bool divides) {
  for (int64_t axis = 1; axis < typeOf(numerator).getRank(); ++axis) {
    Value rows = perRow(factor, shapeOf(numerator), axis);
    Value radicand = !rows ? Value() : divides ? underRoot(rows) : underInverseRoot(rows);
    auto found = radicand ? meanSquarePlusEpsilon(radicand) : std::nullopt;
    if (found && found->axis == axis && found->input == numerator)
      return found;
  }
  return std::nullopt;
}

/// x and its row mean if `value` is x - mean(x) over the dimensions from `axis` on.
Value centred(Value value, int64_t axis) {
  auto difference = value.getDefiningOp<arith::SubFOp>();
  Value mean = difference ? perRow(difference.getRhs(), shapeOf(value), axis) : Value();
  auto found = mean ? rowMean(mean) : std::nullopt;
  return found && found->axis == axis && found->input == difference.getLhs() ? difference.getLhs() : Value();
}

LogicalResult raise(Operation *op, Value numerator, Value factor, bool divides, PatternRewriter &rewriter) {
  auto root = matchRoot(numerator, factor, divides);
  if (!root)
    return failure();
  auto type = typeOf(numerator);
  auto scaleType = type.clone(type.getShape().drop_front(root->axis));
  auto rowType = type.clone(type.getShape().take_front(root->axis));
  auto one = DenseElementsAttr::get(scaleType, rewriter.getFloatAttr(type.getElementType(), 1));
  Value scale = arith::ConstantOp::create(rewriter, op->getLoc(), one), result;
  APFloat epsilon(root->epsilon);
  if (Value input = centred(numerator, root->axis))
    result = graph::LayerNormOp::create(rewriter, op->getLoc(), TypeRange{type, rowType, rowType}, input, scale,
                                        Value(), root->axis, epsilon)
                 .getResult();
  else
    result = graph::RmsNormOp::create(rewriter, op->getLoc(), TypeRange{type, rowType}, numerator, scale, root->axis,
                                      epsilon)
                 .getResult();
  rewriter.replaceOp(op, result);
  return success();
}

struct RaiseFromProduct : OpRewritePattern<arith::MulFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::MulFOp op, PatternRewriter &rewriter) const override {
    if (succeeded(raise(op, op.getLhs(), op.getRhs(), false, rewriter)))
      return success();
    return raise(op, op.getRhs(), op.getLhs(), false, rewriter);
  }
};

struct RaiseFromQuotient : OpRewritePattern<arith::DivFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::DivFOp op, PatternRewriter &rewriter) const override {
    return raise(op, op.getLhs(), op.getRhs(), true, rewriter);
  }
};

/// Moves a scale of the normalised dimensions into a norm whose scale is still one and that has no other use.
template <typename Norm>
LogicalResult joinScale(arith::MulFOp op, Value normalised, Value factor, PatternRewriter &rewriter) {
  auto norm = normalised.getDefiningOp<Norm>();
  if (!norm || normalised != norm->getResult(0) || !normalised.hasOneUse() || splatOf(norm.getScale()) != 1.0)
    return failure();
  if constexpr (std::is_same_v<Norm, graph::LayerNormOp>)
    if (norm.getBias())
      return failure();
  Value scale = perColumn(factor, shapeOf(normalised), norm.getAxis());
  if (!scale)
    return failure();
  rewriter.setInsertionPoint(op);
  scale = shapeOf(scale) == shapeOf(norm.getScale())
              ? scale
              : graph::ReshapeOp::create(rewriter, op.getLoc(), norm.getScale().getType(), scale);
  Operation *joined = rewriter.clone(*norm);
  cast<Norm>(joined).getScaleMutable().assign(scale);
  rewriter.replaceOp(op, joined->getResult(0));
  rewriter.eraseOp(norm);
  return success();
}

struct JoinScale : OpRewritePattern<arith::MulFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::MulFOp op, PatternRewriter &rewriter) const override {
    for (auto [normalised, factor] : {std::pair(op.getLhs(), op.getRhs()), std::pair(op.getRhs(), op.getLhs())})
      if (succeeded(joinScale<graph::LayerNormOp>(op, normalised, factor, rewriter)) ||
          succeeded(joinScale<graph::RmsNormOp>(op, normalised, factor, rewriter)))
        return success();
    return failure();
  }
};

struct JoinBias : OpRewritePattern<arith::AddFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::AddFOp op, PatternRewriter &rewriter) const override {
    for (auto [normalised, term] : {std::pair(op.getLhs(), op.getRhs()), std::pair(op.getRhs(), op.getLhs())}) {
      auto norm = normalised.getDefiningOp<graph::LayerNormOp>();
      if (!norm || normalised != norm.getResult() || !normalised.hasOneUse() || norm.getBias())
        continue;
      Value bias = perColumn(term, shapeOf(normalised), norm.getAxis());
      if (!bias)
        continue;
      if (shapeOf(bias) != shapeOf(norm.getScale()))
        bias = graph::ReshapeOp::create(rewriter, op.getLoc(), norm.getScale().getType(), bias);
      auto joined = graph::LayerNormOp::create(rewriter, op.getLoc(), norm.getResultTypes(), norm.getInput(),
                                               norm.getScale(), bias, norm.getAxis(), norm.getEpsilon());
      rewriter.replaceOp(op, joined.getResult());
      rewriter.eraseOp(norm);
      return success();
    }
    return failure();
  }
};

struct RaiseNormalizationPass : impl::RaiseNormalizationPassBase<RaiseNormalizationPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<RaiseFromProduct, RaiseFromQuotient, JoinScale, JoinBias>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace tw::adapt
