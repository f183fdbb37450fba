// tw-differentiate-clip-gradients: the global norm, and the gradients that the optimizer gets.
#include "passes/Differentiate/Passes.h"

#include "passes/Differentiate/Gradients.h"

using namespace mlir;

namespace tw::differentiate {

#define GEN_PASS_DEF_CLIPGRADIENTSPASS
#include "passes/Differentiate/Passes.h.inc"

/// sqrt(sum over gradients of sum of squares).
static Value globalNorm(Elementwise &e, ArrayRef<Gradient> gradients) {
  Value total;
  for (const Gradient &gradient : gradients) {
    Value sum = e.sumAll(e.mul(gradient.value, gradient.value));
    total = total ? e.add(total, sum) : sum;
  }
  return e.sqrt(total);
}

namespace {
struct ClipGradientsPass : impl::ClipGradientsPassBase<ClipGradientsPass> {
  using ClipGradientsPassBase::ClipGradientsPassBase;
  void runOnOperation() override {
    func::FuncOp train = lookupTrain(getOperation());
    if (!train)
      return signalPassFailure();
    if (maxNorm < 0) {
      train.emitError("max-norm must not be negative, but is ") << maxNorm.getValue();
      return signalPassFailure();
    }
    SmallVector<NamedResult> results = getNamedResults(train);
    SmallVector<Gradient> gradients = getGradients(results, kGradientPrefix);
    if (gradients.empty()) {
      train.emitError("@train has no result named gradient/...; run tw-differentiate-build-backward first");
      return signalPassFailure();
    }
    OpBuilder builder(train.front().getTerminator());
    Elementwise e(builder, train.getLoc());
    Value norm = globalNorm(e, gradients);
    results.insert(results.begin() + 1, {"gradient_norm", norm});
    if (maxNorm > 0) {
      // torch.nn.utils.clip_grad_norm_: the 1e-6 keeps a norm of zero from dividing by it.
      Value ratio = e.div(e.constant(norm, maxNorm), e.add(norm, e.constant(norm, 1e-6)));
      Value factor = e.minimum(ratio, e.constant(norm, 1.0));
      for (const Gradient &gradient : gradients)
        results.push_back(
            {(kClippedPrefix + gradient.parameter).str(), e.mul(gradient.value, e.spread(factor, gradient.value))});
    }
    setNamedResults(train, results);
  }
};
} // namespace

} // namespace tw::differentiate
