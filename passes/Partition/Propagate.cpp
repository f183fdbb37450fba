// tw-partition-propagate: writes down how every value is split.
#include "passes/Partition/Passes.h"

#include "passes/Partition/Propagation.h"

using namespace mlir;

namespace tw::partition {

#define GEN_PASS_DEF_PROPAGATEPASS
#include "passes/Partition/Passes.h.inc"

static void writeDown(func::FuncOp function, const Propagation &propagation) {
  Builder builder(function.getContext());
  function.walk([&](Operation *op) {
    auto texts = llvm::map_to_vector(op->getResults(), [&](Value value) { return describe(propagation.get(value)); });
    bool anySplit = llvm::any_of(op->getResults(), [&](Value value) {
      return llvm::any_of(propagation.get(value), [](const Axes &axes) { return !axes.empty(); });
    });
    if (anySplit)
      op->setAttr(kShardingAttribute, builder.getStrArrayAttr(SmallVector<StringRef>(texts.begin(), texts.end())));
  });
}

namespace {
struct PropagatePass : impl::PropagatePassBase<PropagatePass> {
  void runOnOperation() override {
    shard::GridOp mesh = lookupMesh(getOperation());
    if (!mesh)
      return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      Propagation propagation(function, mesh);
      propagation.run();
      writeDown(function, propagation);
    }
  }
};
} // namespace

} // namespace tw::partition
