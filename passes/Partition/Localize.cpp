// tw-partition-localize: every function becomes that of one rank.
#include "passes/Partition/Passes.h"

#include "passes/Partition/Localizer.h"

using namespace mlir;

namespace tw::partition {

#define GEN_PASS_DEF_LOCALIZEPASS
#include "passes/Partition/Passes.h.inc"

namespace {
struct LocalizePass : impl::LocalizePassBase<LocalizePass> {
  void runOnOperation() override {
    shard::GridOp mesh = lookupMesh(getOperation());
    if (!mesh)
      return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      Propagation propagation(function, mesh);
      propagation.run();
      if (failed(Localizer(function, mesh, propagation).run()))
        return signalPassFailure();
    }
  }
};
} // namespace

} // namespace tw::partition
