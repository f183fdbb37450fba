#include "passes/Lower/ArenaPlanner.h"
#include "passes/Lower/BuildProgram.h"
#include "passes/Lower/Passes.h"

using namespace mlir;

namespace tw::lower {
#define GEN_PASS_DEF_PLANMEMORYPASS
#include "passes/Lower/Passes.h.inc"

namespace {

FixedMemory placeFixedMemory(ModuleOp module) {
  FixedMemory fixed;
  Builder builder(module.getContext());
  for (auto parameter : module.getOps<graph::ParameterOp>()) {
    fixed.parameters[FlatSymbolRefAttr::get(parameter.getSymNameAttr())] = fixed.bytes;
    parameter->setAttr("plan.offset", builder.getI64IntegerAttr(fixed.bytes));
    fixed.bytes += alignUp(tensorBytes(parameter.getType()));
  }
  fixed.parameterBytes = fixed.bytes;
  auto add = [&](Attribute key, Value value) {
    if (!value.use_empty() && fixed.constants.try_emplace(key, fixed.bytes).second)
      fixed.bytes += alignUp(tensorBytes(value.getType()));
  };
  for (auto function : module.getOps<func::FuncOp>())
    for (Operation &op : function.getOps())
      if (auto constant = dyn_cast<arith::ConstantOp>(op))
        add(constant.getValue(), constant.getResult());
      else if (auto rank = dyn_cast<plan::RankOp>(op))
        add(rank.getValuesAttr(), rank.getResult());
  return fixed;
}

/// Gives every storage that is neither parameter nor constant its offset above those.
ProgramBytes placeStorages(StorageAssignment &assignment, const FixedMemory &fixed) {
  SmallVector<Lifetime> lifetimes;
  SmallVector<Storage *> movable;
  for (Storage &storage : assignment.getStorages())
    if (!storage.fixed) {
      lifetimes.push_back({storage.bytes, storage.first, storage.last});
      movable.push_back(&storage);
    }
  Placement placement = placeLifetimes(lifetimes);
  for (auto [storage, offset] : llvm::zip(movable, placement.offsets))
    storage->offset = fixed.bytes + offset;
  return {fixed.bytes + placement.bytes, fixed.bytes + largestLiveBytes(lifetimes)};
}

struct PlanMemoryPass : impl::PlanMemoryPassBase<PlanMemoryPass> {
  using PlanMemoryPassBase::PlanMemoryPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
    for (func::FuncOp function : functions)
      if (function.isExternal() || failed(checkOps(function)) || failed(StorageAssignment::prepare(function, target)))
        return signalPassFailure();
    FixedMemory fixed = placeFixedMemory(module);
    for (func::FuncOp function : functions) {
      StorageAssignment assignment(function, fixed);
      ProgramBytes bytes = placeStorages(assignment, fixed);
      OpBuilder builder(function);
      buildProgram(builder, function, assignment, fixed, bytes);
    }
    for (func::FuncOp function : functions)
      function.erase();
  }

private:
  /// The phase's verifier: nothing but what a plan can express is left.
  static LogicalResult checkOps(func::FuncOp function) {
    for (Operation &op : function.getOps())
      if (!isa<plan::KernelOp, plan::AllReduceOp, plan::RankOp, plan::ViewOp, plan::AssembleOp, graph::FusedOp,
               graph::LoadOp, graph::StoreOp, arith::ConstantOp, func::ReturnOp>(op))
        return op.emitError() << "cannot stand in a plan: a pass of the Lower phase should have replaced it";
    return success();
  }
};
} // namespace
} // namespace tw::lower
