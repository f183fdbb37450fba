// tw-lower-expand-math: f32 transcendental functions in generated kernels as polynomials.
#include "passes/Lower/KernelShape.h"
#include "passes/Lower/Passes.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tw::lower {
#define GEN_PASS_DEF_EXPANDMATHPASS
#include "passes/Lower/Passes.h.inc"

namespace {

struct ExpandMathPass : impl::ExpandMathPassBase<ExpandMathPass> {
  void runOnOperation() override {
    auto kernels = getOperation().lookupSymbol<ModuleOp>(kernelModuleName);
    if (!kernels)
      return;
    RewritePatternSet patterns(&getContext());
    auto expanded = [](StringRef name) { return llvm::is_contained({"math.exp", "math.log", "math.tanh", "math.erf"}, name); };
    populateMathF32ExpansionPatterns(patterns, [](StringRef) { return true; });
    populateMathPolynomialApproximationPatterns(patterns, expanded);
    if (failed(applyPatternsGreedily(kernels, std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace tw::lower
