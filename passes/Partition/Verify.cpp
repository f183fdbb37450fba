// tw-partition-verify: the form that architecture.md promises after this phase.
#include "passes/Partition/Passes.h"

#include "passes/Partition/Propagation.h"

using namespace mlir;

namespace tw::partition {

#define GEN_PASS_DEF_VERIFYPARTITIONPASS
#include "passes/Partition/Passes.h.inc"

/// Whether a collective depends on nothing that differs between ranks is not asked here: there is no control flow, and
/// all ranks run the same function, so that all of them meet in every collective in the same order.
static WalkResult verifyOp(Operation *op) {
  if (isa<shard::ShardOp, shard::ShardingOp>(op)) {
    op->emitError("annotation must not remain after the Partition phase; run tw-partition-localize");
    return WalkResult::interrupt();
  }
  if (op->hasAttr(kShardingAttribute) && !isa<func::FuncOp>(op)) {
    op->emitError("still speaks of a split; run tw-partition-localize");
    return WalkResult::interrupt();
  }
  if (auto reduce = dyn_cast<shard::AllReduceOp>(op); reduce && !reduce->hasAttr("group")) {
    op->emitError("belongs to no group; run tw-partition-fuse-all-reduce");
    return WalkResult::interrupt();
  }
  return WalkResult::advance();
}

namespace {
struct VerifyPartitionPass : impl::VerifyPartitionPassBase<VerifyPartitionPass> {
  void runOnOperation() override {
    if (!lookupMesh(getOperation()) || getOperation().walk(verifyOp).wasInterrupted())
      signalPassFailure();
  }
};
} // namespace

} // namespace tw::partition
