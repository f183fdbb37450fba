#include "passes/Lower/Passes.h"

using namespace mlir;

namespace tw::lower {
#define GEN_PASS_DEF_SCHEDULEPASS
#include "passes/Lower/Passes.h.inc"

namespace {

bool isFree(Operation *op) {
  return isa<graph::LoadOp, plan::ViewOp, plan::RankOp>(op) || op->hasTrait<OpTrait::ConstantLike>();
}

/// What the value comes from once views are looked through.
Value owner(Value value) {
  while (auto view = value.getDefiningOp<plan::ViewOp>())
    value = view.getInput();
  return value;
}

/// Users of `value` and of its views that run.
void collectUsers(Value value, SmallVectorImpl<Operation *> &users) {
  for (Operation *user : value.getUsers())
    if (auto view = dyn_cast<plan::ViewOp>(user))
      collectUsers(view.getResult(), users);
    else
      users.push_back(user);
}

int64_t bytesOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getNumElements() * llvm::divideCeil(type.getElementTypeBitWidth(), 8) : 0;
}

/// An op that computes parameters' next values and little besides, such as a gradient's part of the global norm.
bool isUpdate(Operation *op) {
  int64_t stored = 0, kept = 0;
  for (Value result : op->getResults())
    if (!result.use_empty() && llvm::all_of(result.getUsers(), llvm::IsaPred<graph::StoreOp>))
      stored += bytesOf(result);
    else
      kept += bytesOf(result);
  return stored > 0 && kept <= stored / 8;
}

class Scheduler {
public:
  explicit Scheduler(Block &block) : block(block) {}

  void run() {
    for (Operation &op : block.without_terminator())
      program.push_back(&op);
    for (auto [i, op] : llvm::enumerate(program))
      position[op] = i;
    for (Operation *op : program)
      for (Value operand : op->getOperands())
        if (Operation *source = owner(operand).getDefiningOp(); source && !isFree(source))
          before[op].push_back(source);
    for (Operation *op : program)
      if (auto store = dyn_cast<graph::StoreOp>(op))
        waitForReaders(store);
    for (Operation *op : program)
      for (Operation *source : before[op])
        after[source].push_back(op);
    for (Operation *op : program)
      if (!isLazy(op))
        emit(op);
    for (Operation *op : program)
      emit(op);
    for (Operation *op : order)
      op->moveBefore(block.getTerminator());
  }

private:
  Block &block;
  SmallVector<Operation *> program, order;
  DenseMap<Operation *, size_t> position;
  DenseMap<Operation *, SmallVector<Operation *>> before, after; // ops that run, and what they wait for
  DenseSet<Operation *> started, done;                           // what an op waits for is done between the two

  /// Makes the op that computes a parameter's next value wait for all readers of the current one, where that is not
  /// circular, so that it can overwrite it.
  void waitForReaders(graph::StoreOp store) {
    Operation *writer = owner(store.getValue()).getDefiningOp();
    if (!writer || isFree(writer))
      return;
    SmallVector<Operation *> readers;
    for (auto load : block.getOps<graph::LoadOp>())
      if (load.getParameter() == store.getParameter())
        collectUsers(load.getResult(), readers);
    for (Operation *reader : readers)
      if (reader != writer && reader->getBlock() == &block && !reader->hasTrait<OpTrait::IsTerminator>() &&
          !isa<graph::StoreOp>(reader) && !dependsOn(reader, writer))
        before[writer].push_back(reader);
  }

  bool dependsOn(Operation *op, Operation *source) {
    DenseSet<Operation *> seen;
    SmallVector<Operation *> pending{op};
    while (!pending.empty()) {
      Operation *next = pending.pop_back_val();
      if (next == source)
        return true;
      if (seen.insert(next).second)
        pending.append(before[next].begin(), before[next].end());
    }
    return false;
  }

  /// Runs just before its first user: it holds on to nothing that would die earlier.
  bool isLazy(Operation *op) {
    return isFree(op) || isa<graph::StoreOp>(op) || (before[op].empty() && !op->use_empty());
  }

  /// Of what an op waits for, that which needs parameters and constants alone goes last: these are there all the time.
  /// Before it goes what needs only inputs as well, which may die there.
  int turnOf(Operation *op) {
    if (!isLazy(op))
      return 0;
    return llvm::any_of(op->getOperands(), [](Value operand) { return isa<BlockArgument>(owner(operand)); }) ? 1 : 2;
  }

  void emit(Operation *op) {
    if (!started.insert(op).second)
      return;
    SmallVector<Operation *> sources(before[op]);
    llvm::sort(sources, [&](Operation *a, Operation *b) {
      return std::pair(turnOf(a), position[a]) < std::pair(turnOf(b), position[b]);
    });
    for (Operation *source : sources)
      emit(source);
    for (Value operand : op->getOperands())
      emitFree(operand.getDefiningOp());
    order.push_back(op);
    done.insert(op);
    if (!isFree(op))
      emitUpdates(op);
  }

  void emitFree(Operation *op) {
    if (!op || !isFree(op) || !started.insert(op).second)
      return;
    for (Value operand : op->getOperands())
      emitFree(operand.getDefiningOp());
    order.push_back(op);
  }

  /// Updates that waited for `op` alone.
  void emitUpdates(Operation *op) {
    for (Operation *next : after[op])
      if (isUpdate(next) && llvm::all_of(before[next], [&](Operation *source) { return done.count(source); }))
        emit(next);
  }
};

struct SchedulePass : impl::SchedulePassBase<SchedulePass> {
  void runOnOperation() override {
    if (!getOperation().isExternal())
      Scheduler(getOperation().getBody().front()).run();
  }
};
} // namespace
} // namespace tw::lower
