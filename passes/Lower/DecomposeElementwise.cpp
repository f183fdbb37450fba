// tw-lower-decompose-elementwise: gelu, its derivative, sigmoid and batch normalisation as arith and math on tensors.
#include "passes/Lower/DecomposeBatchNorm.h"
#include "passes/Lower/Passes.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;

namespace tw::lower {
#define GEN_PASS_DEF_DECOMPOSEELEMENTWISEPASS
#include "passes/Lower/Passes.h.inc"

namespace {

/// Writes formulas over tensors of one type.
class Formula {
public:
  Formula(PatternRewriter &rewriter, Operation *op)
      : builder(rewriter), location(op->getLoc()), type(cast<RankedTensorType>(op->getResult(0).getType())) {}

  Value constant(double value) {
    auto element = FloatAttr::get(type.getElementType(), value);
    return arith::ConstantOp::create(builder, location, DenseElementsAttr::get(type, Attribute(element)));
  }
  Value add(Value a, Value b) { return arith::AddFOp::create(builder, location, a, b); }
  Value subtract(Value a, Value b) { return arith::SubFOp::create(builder, location, a, b); }
  Value multiply(Value a, Value b) { return arith::MulFOp::create(builder, location, a, b); }
  Value divide(Value a, Value b) { return arith::DivFOp::create(builder, location, a, b); }
  Value negate(Value a) { return arith::NegFOp::create(builder, location, a); }
  Value maximum(Value a, Value b) { return arith::MaximumFOp::create(builder, location, a, b); }
  Value minimum(Value a, Value b) { return arith::MinimumFOp::create(builder, location, a, b); }
  Value exp(Value a) { return math::ExpOp::create(builder, location, a); }
  Value erf(Value a) { return math::ErfOp::create(builder, location, a); }
  Value tanh(Value a) { return math::TanhOp::create(builder, location, a); }

private:
  PatternRewriter &builder;
  Location location;
  RankedTensorType type;
};

/// Beyond +-30 both forms of gelu are 0 or the identity in every float type, and no power of x up to the third
/// overflows before. Clamping there keeps infinity * 0 out of the formulas.
constexpr double saturation = 30.0;
const double inverseSqrt2 = 1.0 / std::sqrt(2.0);
const double sqrt2OverPi = std::sqrt(2.0 / llvm::numbers::pi);
const double inverseSqrt2Pi = 1.0 / std::sqrt(2.0 * llvm::numbers::pi);
constexpr double cubicTerm = 0.044715;

/// tanh(sqrt(2/pi) (x + 0.044715 x^3)).
Value tanhOfGelu(Formula &f, Value x) {
  Value square = f.multiply(x, x);
  Value inner = f.multiply(x, f.add(f.constant(sqrt2OverPi), f.multiply(square, f.constant(sqrt2OverPi * cubicTerm))));
  return f.tanh(inner);
}

/// The factor of x in gelu: 1/2 (1 + erf(x / sqrt 2)), or its tanh form.
Value gate(Formula &f, Value curve) {
  return f.multiply(f.constant(0.5), f.add(f.constant(1.0), curve));
}

struct DecomposeGelu : OpRewritePattern<graph::GeluOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(graph::GeluOp op, PatternRewriter &rewriter) const override {
    Formula f(rewriter, op);
    // The clamped value is also what the derivative starts from: in one kernel both share the curve.
    Value above = f.maximum(op.getInput(), f.constant(-saturation)), x = f.minimum(above, f.constant(saturation));
    Value curve = op.getTanh() ? tanhOfGelu(f, x) : f.erf(f.multiply(x, f.constant(inverseSqrt2)));
    rewriter.replaceOp(op, f.multiply(above, gate(f, curve)));
    return success();
  }
};

struct DecomposeGeluBackward : OpRewritePattern<graph::GeluBackwardOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(graph::GeluBackwardOp op, PatternRewriter &rewriter) const override {
    Formula f(rewriter, op);
    Value x = f.minimum(f.maximum(op.getInput(), f.constant(-saturation)), f.constant(saturation));
    Value slope = op.getTanh() ? tanhSlope(f, x) : erfSlope(f, x);
    rewriter.replaceOp(op, f.multiply(op.getCotangent(), slope));
    return success();
  }

  /// Phi(x) + x phi(x).
  static Value erfSlope(Formula &f, Value x) {
    Value density = f.exp(f.multiply(f.multiply(x, x), f.constant(-0.5)));
    Value gaussian = gate(f, f.erf(f.multiply(x, f.constant(inverseSqrt2))));
    return f.add(gaussian, f.multiply(f.multiply(x, f.constant(inverseSqrt2Pi)), density));
  }

  /// 1/2 (1 + t) + 1/2 x (1 - t^2) sqrt(2/pi) (1 + 3 * 0.044715 x^2).
  static Value tanhSlope(Formula &f, Value x) {
    Value t = tanhOfGelu(f, x);
    Value inner =
        f.add(f.constant(sqrt2OverPi / 2), f.multiply(f.multiply(x, x), f.constant(sqrt2OverPi * 3 * cubicTerm / 2)));
    Value rise = f.multiply(f.multiply(x, f.subtract(f.constant(1.0), f.multiply(t, t))), inner);
    return f.add(gate(f, t), rise);
  }
};

/// 1 / (1 + exp(-x)): exp may overflow to infinity, whose inverse is the right 0.
struct DecomposeSigmoid : OpRewritePattern<graph::SigmoidOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(graph::SigmoidOp op, PatternRewriter &rewriter) const override {
    Formula f(rewriter, op);
    Value one = f.constant(1.0);
    rewriter.replaceOp(op, f.divide(one, f.add(one, f.exp(f.negate(op.getInput())))));
    return success();
  }
};

struct DecomposeElementwisePass : impl::DecomposeElementwisePassBase<DecomposeElementwisePass> {
  using DecomposeElementwisePassBase::DecomposeElementwisePassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<DecomposeGelu, DecomposeGeluBackward, DecomposeSigmoid>(&getContext());
    populateBatchNormPatterns(patterns);
    if (target == "host")
      populateBatchNormReductionPatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace
} // namespace tw::lower
