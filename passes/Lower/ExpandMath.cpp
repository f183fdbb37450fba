// tw-lower-expand-math: f32 transcendental functions in generated kernels as polynomials.
#include "passes/Lower/KernelShape.h"
#include "passes/Lower/Passes.h"

#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tw::lower {
#define GEN_PASS_DEF_EXPANDMATHPASS
#include "passes/Lower/Passes.h.inc"

namespace {

/// The approximation of log takes a subnormal x for the smallest normal number: log(x) = log(2^25 x) - 25 log 2.
void scaleSubnormalLogarithms(Operation *kernels) {
  kernels->walk([](math::LogOp op) {
    Value x = op.getOperand();
    if (!x.getType().isF32())
      return;
    OpBuilder builder(op);
    Location location = op.getLoc();
    auto constant = [&](float value) -> Value {
      return arith::ConstantOp::create(builder, location, builder.getF32FloatAttr(value));
    };
    Value smallestNormal = constant(0x1p-126f), zero = constant(0);
    Value isSmall = arith::CmpFOp::create(builder, location, arith::CmpFPredicate::OLT, x, smallestNormal);
    Value scaled = arith::MulFOp::create(builder, location, x, constant(0x1p25f));
    op->setOperand(0, arith::SelectOp::create(builder, location, isSmall, scaled, x));
    builder.setInsertionPointAfter(op);
    Value shift = arith::SelectOp::create(builder, location, isSmall, constant(25 * llvm::numbers::ln2), zero);
    auto result = arith::SubFOp::create(builder, location, op, shift);
    op.getResult().replaceAllUsesExcept(result, result);
  });
}

struct ExpandMathPass : impl::ExpandMathPassBase<ExpandMathPass> {
  void runOnOperation() override {
    Operation *kernels = getOperation().lookupSymbol(kernelModuleName); // a module, or a gpu.module
    if (!kernels)
      return;
    scaleSubnormalLogarithms(kernels);
    RewritePatternSet patterns(&getContext());
    auto expanded = [](StringRef name) {
      return llvm::is_contained({"math.exp", "math.log", "math.tanh", "math.erf"}, name);
    };
    populateMathF32ExpansionPatterns(patterns, [](StringRef) { return true; });
    populateMathPolynomialApproximationPatterns(patterns, expanded);
    if (failed(applyPatternsGreedily(kernels, std::move(patterns))))
      return signalPassFailure();
    if (isa<ModuleOp>(kernels) && failed(expandBFloat16(kernels))) // GPUs have instructions for it
      signalPassFailure();
  }

  /// CPUs without bf16 instructions would call functions that only newer compilers' libraries have.
  LogicalResult expandBFloat16(Operation *kernels) {
    OpPassManager emulation(ModuleOp::getOperationName());
    buildEmulation(emulation);
    if (failed(runPipeline(emulation, kernels)))
      return failure();
    RewritePatternSet patterns(&getContext());
    arith::populateExpandBFloat16Patterns(patterns);
    return applyPatternsGreedily(kernels, std::move(patterns));
  }

  /// bf16 arithmetic as f32 arithmetic, each result rounded.
  static void buildEmulation(OpPassManager &pipeline) {
    arith::ArithEmulateUnsupportedFloatsOptions options;
    options.sourceTypeStrs = {"bf16"};
    pipeline.addPass(arith::createArithEmulateUnsupportedFloats(options));
  }
};

} // namespace
} // namespace tw::lower
