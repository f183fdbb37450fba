// tw-differentiate-verify: the form that architecture.md promises after this phase.
#include "passes/Differentiate/Passes.h"

#include "passes/Differentiate/Gradients.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace tw::differentiate {

#define GEN_PASS_DEF_VERIFYDIFFERENTIATEPASS
#include "passes/Differentiate/Passes.h.inc"

static LogicalResult verifyFunctions(ModuleOp module) {
  for (StringRef name : {"forward", "loss_weight"})
    if (auto function = module.lookupSymbol<func::FuncOp>(name))
      return function.emitError("@") << name << " must not remain after the Differentiate phase";
  for (StringRef name : {"train", "dump"})
    if (!module.lookupSymbol<func::FuncOp>(name))
      return module.emitError("the Differentiate phase must leave a function @") << name;
  return success();
}

static LogicalResult verifyResults(func::FuncOp function, bool exactly) {
  static constexpr StringLiteral expected[] = {"loss", "learning_rate", "gradient_norm"};
  SmallVector<NamedResult> results = getNamedResults(function);
  bool fits = exactly ? results.size() == std::size(expected) : results.size() >= std::size(expected);
  for (size_t index = 0; fits && index < std::size(expected); ++index)
    fits = results[index].name == expected[index];
  if (!fits)
    return function.emitError("@") << function.getName() << " must return loss, learning_rate and gradient_norm"
                                   << (exactly ? ", and nothing else" : " first");
  return success();
}

static LogicalResult verifyOps(func::FuncOp function) {
  llvm::StringSet<> stored;
  WalkResult walk = function.walk([&](Operation *op) {
    if (auto store = dyn_cast<graph::StoreOp>(op); store && !stored.insert(store.getParameter()).second) {
      op->emitError("parameter '") << store.getParameter() << "' is stored twice in @" << function.getName();
      return WalkResult::interrupt();
    }
    if (isa<graph::BatchNormTrainingOp, graph::BatchNormBackwardOp>(op)) {
      op->emitError("must be decomposed; run tw-differentiate-decompose-batch-norm");
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

namespace {
struct VerifyDifferentiatePass : impl::VerifyDifferentiatePassBase<VerifyDifferentiatePass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(verifyFunctions(module)))
      return signalPassFailure();
    auto train = module.lookupSymbol<func::FuncOp>("train"), dump = module.lookupSymbol<func::FuncOp>("dump");
    if (failed(verifyResults(train, true)) || failed(verifyResults(dump, false)) || failed(verifyOps(train)) ||
        failed(verifyOps(dump)))
      signalPassFailure();
  }
};
} // namespace

} // namespace tw::differentiate
