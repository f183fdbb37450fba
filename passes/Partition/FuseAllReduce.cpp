// tw-partition-fuse-all-reduce: independent all_reduces side by side.
#include "passes/Partition/Passes.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tw::partition {

#define GEN_PASS_DEF_FUSEALLREDUCEPASS
#include "passes/Partition/Passes.h.inc"

namespace {
/// What must agree for all_reduces to be one collective: how many rounds of them still depend on it, axes, reduction.
using GroupKey = std::tuple<unsigned, Attribute, shard::ReductionKind, Type>;
using Groups = llvm::MapVector<GroupKey, SmallVector<shard::AllReduceOp>>;
} // namespace

/// The number of all_reduces on the longest chain from a value's users on. Users inside regions count as their ops.
static unsigned roundsAfter(Operation *op, const DenseMap<Operation *, unsigned> &rounds) {
  unsigned most = 0;
  for (Operation *user : op->getUsers())
    if (Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*user))
      most = std::max(most, rounds.lookup(ancestor));
  return most;
}

static Groups collectGroups(Block &block) {
  DenseMap<Operation *, unsigned> rounds; // all_reduces on the longest chain that starts with this op
  SmallVector<std::pair<GroupKey, shard::AllReduceOp>> found;
  for (Operation &op : llvm::reverse(block)) {
    unsigned after = roundsAfter(&op, rounds);
    auto reduce = dyn_cast<shard::AllReduceOp>(op);
    bool communicates = reduce || op.walk([](shard::AllReduceOp) { return WalkResult::interrupt(); }).wasInterrupted();
    rounds[&op] = after + communicates;
    if (reduce)
      found.push_back(
          {{after, reduce.getGridAxesAttr(), reduce.getReduction(), getElementTypeOrSelf(reduce.getType())}, reduce});
  }
  Groups groups;
  for (auto &[key, reduce] : llvm::reverse(found))
    groups[key].push_back(reduce);
  return groups;
}

/// Moves all members to just before the last one, and what uses their results in between to after it.
static void gatherGroup(SmallVector<shard::AllReduceOp> &group) {
  // Gathering another group may have changed the order.
  llvm::sort(group, [](shard::AllReduceOp a, shard::AllReduceOp b) { return a->isBeforeInBlock(b); });
  Operation *last = group.back();
  llvm::DenseSet<Operation *> delayed(group.begin(), group.end());
  SmallVector<Operation *> users;
  for (Operation *op = group.front(); op != last; op = op->getNextNode()) {
    if (delayed.contains(op))
      continue;
    bool depends = op->walk([&](Operation *inner) {
                       for (Value operand : inner->getOperands())
                         if (Operation *definition = operand.getDefiningOp(); delayed.contains(definition))
                           return WalkResult::interrupt();
                       return WalkResult::advance();
                     }).wasInterrupted();
    if (depends) {
      delayed.insert(op);
      users.push_back(op);
    }
  }
  for (shard::AllReduceOp reduce : ArrayRef(group).drop_back())
    reduce->moveBefore(last);
  for (Operation *user : llvm::reverse(users))
    user->moveAfter(last);
}

static void fuse(Block &block, int64_t &number) {
  for (auto &[key, group] : collectGroups(block)) {
    gatherGroup(group);
    for (shard::AllReduceOp reduce : group)
      reduce->setAttr("group", Builder(reduce.getContext()).getI64IntegerAttr(number));
    ++number;
  }
}

namespace {
struct FuseAllReducePass : impl::FuseAllReducePassBase<FuseAllReducePass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      int64_t number = 0;
      function.walk([&](Operation *op) {
        for (Region &region : op->getRegions())
          for (Block &block : region)
            fuse(block, number);
      });
    }
  }
};
} // namespace

} // namespace tw::partition
