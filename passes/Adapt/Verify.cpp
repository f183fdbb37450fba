// tw-adapt-verify: the form that architecture.md promises after this phase.
#include "passes/Adapt/Passes.h"

using namespace mlir;

namespace tw::adapt {

#define GEN_PASS_DEF_VERIFYADAPTPASS
#include "passes/Adapt/Passes.h.inc"

namespace {

bool isScalar(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() == 0 && tensor.getElementType().isF32();
}

/// The results begin with scalars of these names.
LogicalResult verifyResults(func::FuncOp function, ArrayRef<StringRef> names) {
  for (auto [i, name] : llvm::enumerate(names)) {
    auto found =
        i < function.getNumResults() ? function.getResultAttrOfType<StringAttr>(i, "graph.name") : StringAttr();
    if (!found || found.getValue() != name || !isScalar(function.getResultTypes()[i]))
      return function.emitError("result ")
             << i << " of @" << function.getName() << " must be '" << name << "' of type tensor<f32>";
  }
  return success();
}

struct VerifyAdaptPass : impl::VerifyAdaptPassBase<VerifyAdaptPass> {
  LogicalResult verify(ModuleOp module) {
    if (module.lookupSymbol("main"))
      return module.emitError("@main must not remain after the Adapt phase; run tw-adapt-attach-loss");
    SmallVector<func::FuncOp> functions;
    for (StringRef name : {"forward", "evaluate", "loss_weight"}) {
      functions.push_back(module.lookupSymbol<func::FuncOp>(name));
      if (!functions.back())
        return module.emitError("the Adapt phase must leave a function @") << name;
      if (functions.back().getArgumentTypes() != functions.front().getArgumentTypes())
        return functions.back().emitError("@") << name << " must have the arguments of @forward";
    }
    bool trains = llvm::any_of(module.getOps<graph::ParameterOp>(), [](graph::ParameterOp parameter) {
      return parameter.getRole() == graph::Role::Trainable;
    });
    if (!trains)
      return module.emitError("no parameter is trainable");
    auto training = functions[1].walk([](Operation *op) {
      auto attention = dyn_cast<graph::AttentionOp>(op);
      if (!isa<graph::BatchNormTrainingOp, graph::DropoutOp>(op) && (!attention || attention.getRandom().empty()))
        return WalkResult::advance();
      op->emitError("must not remain in @evaluate");
      return WalkResult::interrupt();
    });
    return failure(training.wasInterrupted() || failed(verifyResults(functions[0], {"loss_sum"})) ||
                   failed(verifyResults(functions[1], {"loss_sum", "loss_weight"})) ||
                   failed(verifyResults(functions[2], {"loss_weight"})));
  }
  void runOnOperation() override {
    if (failed(verify(getOperation())))
      signalPassFailure();
  }
};

} // namespace
} // namespace tw::adapt
