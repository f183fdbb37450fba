// tw-differentiate-split-dump: @dump for comparing, @train for training.
#include "passes/Differentiate/Passes.h"

#include "passes/Differentiate/Gradients.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tw::differentiate {

#define GEN_PASS_DEF_SPLITDUMPPASS
#include "passes/Differentiate/Passes.h.inc"

/// Drops the sums and stacked results of a micro-batch loop that nothing uses. Carried values stay.
static void pruneAccumulate(graph::AccumulateOp loop) {
  auto yield = cast<graph::YieldOp>(loop.getBody().front().getTerminator());
  SmallVector<Value> sums, stacked, oldResults;
  SmallVector<Type> sumTypes, stackedTypes;
  auto keep = [&](ValueRange results, ValueRange yielded, SmallVector<Value> &values, SmallVector<Type> &types) {
    for (auto [result, value] : llvm::zip_equal(results, yielded))
      if (!result.use_empty()) {
        values.push_back(value);
        types.push_back(result.getType());
        oldResults.push_back(result);
      }
  };
  keep(loop.getSums(), yield.getSums(), sums, sumTypes);
  llvm::append_range(oldResults, loop.getCarried());
  keep(loop.getStacked(), yield.getStacked(), stacked, stackedTypes);
  if (oldResults.size() == loop.getNumResults())
    return;
  OpBuilder builder(loop);
  auto pruned = graph::AccumulateOp::create(builder, loop.getLoc(), sumTypes, loop.getCarried().getTypes(),
                                            stackedTypes, loop.getSliced(), loop.getInitial(), loop.getMicroBatches());
  builder.setInsertionPoint(yield);
  graph::YieldOp::create(builder, yield.getLoc(), sums, yield.getCarried(), stacked);
  yield.erase();
  pruned.getBody().takeBody(loop.getBody());
  for (auto [from, to] : llvm::zip_equal(oldResults, pruned.getResults()))
    from.replaceAllUsesWith(to);
  loop.erase();
}

/// Erases pure ops without uses, last first.
static void eraseDead(func::FuncOp function) {
  for (auto loop : llvm::make_early_inc_range(function.getOps<graph::AccumulateOp>()))
    pruneAccumulate(loop);
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) { ops.push_back(op); });
  // A walk visits regions before their op and blocks in order; backwards, every use comes before its definition.
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op))
      op->erase();
}

namespace {
struct SplitDumpPass : impl::SplitDumpPassBase<SplitDumpPass> {
  void runOnOperation() override {
    func::FuncOp train = lookupTrain(getOperation());
    if (!train)
      return signalPassFailure();
    static constexpr StringLiteral kept[] = {"loss", "learning_rate", "gradient_norm"};
    SmallVector<NamedResult> all = getNamedResults(train), trainResults, dumpResults;
    for (StringRef name : kept) {
      Value value = findResult(all, name);
      if (!value) {
        train.emitError("@train has no result named ") << name << "; run the passes before this one first";
        return signalPassFailure();
      }
      trainResults.push_back({name.str(), value});
    }
    auto dump = cast<func::FuncOp>(train->clone());
    dump.setName("dump");
    SymbolTable(getOperation()).insert(dump, std::next(train->getIterator()));
    SmallVector<NamedResult> copied = getNamedResults(dump);
    for (StringRef name : kept)
      dumpResults.push_back({name.str(), findResult(copied, name)});
    for (const NamedResult &result : copied)
      if (!llvm::is_contained(kept, result.name) && !StringRef(result.name).starts_with(kClippedPrefix))
        dumpResults.push_back(result);
    setNamedResults(dump, dumpResults);
    setNamedResults(train, trainResults);
    eraseDead(dump);
    eraseDead(train);
  }
};
} // namespace

} // namespace tw::differentiate
