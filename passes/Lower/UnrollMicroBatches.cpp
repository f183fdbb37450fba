#include "passes/Lower/Passes.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tw::lower {
#define GEN_PASS_DEF_UNROLLMICROBATCHESPASS
#include "passes/Lower/Passes.h.inc"

namespace {

/// Slice `index` along dimension 0, that dimension dropped.
Value sliceOf(OpBuilder &builder, Location loc, Value stacked, int64_t index) {
  auto type = cast<RankedTensorType>(stacked.getType());
  SmallVector<int64_t> shape(type.getShape()), starts(type.getRank(), 0), strides(type.getRank(), 1);
  shape[0] = 1;
  starts[0] = index;
  Value slice = graph::SliceOp::create(builder, loc, type.clone(shape), stacked, starts, strides);
  return graph::ReshapeOp::create(builder, loc, type.clone(ArrayRef(shape).drop_front()), slice);
}

Value addUp(OpBuilder &builder, Location loc, Value sum, Value term) {
  if (!sum)
    return term;
  if (isa<FloatType>(getElementTypeOrSelf(sum.getType())))
    return arith::AddFOp::create(builder, loc, sum, term);
  return arith::AddIOp::create(builder, loc, sum, term);
}

/// One value with a new dimension 0 from the parts of all micro-batches.
Value stack(OpBuilder &builder, Location loc, ArrayRef<Value> parts, RankedTensorType result) {
  SmallVector<int64_t> shape(result.getShape());
  shape[0] = 1;
  SmallVector<Value> expanded;
  for (Value part : parts)
    expanded.push_back(graph::ReshapeOp::create(builder, loc, result.clone(shape), part));
  return graph::ConcatOp::create(builder, loc, result, expanded, builder.getI64IntegerAttr(0));
}

void unroll(graph::AccumulateOp loop) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  Block &body = loop.getBody().front();
  auto yield = cast<graph::YieldOp>(body.getTerminator());
  SmallVector<Value> carried(loop.getInitial()), sums(yield.getSums().size());
  SmallVector<SmallVector<Value>> stacked(yield.getStacked().size());
  for (int64_t i = 0, n = loop.getMicroBatches(); i < n; ++i) {
    IRMapping map;
    auto indexType = cast<RankedTensorType>(body.getArgument(0).getType());
    map.map(body.getArgument(0),
            arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(indexType, APInt(64, i))).getResult());
    unsigned argument = 1;
    for (Value value : loop.getSliced())
      map.map(body.getArgument(argument++), sliceOf(builder, loc, value, i));
    for (Value value : carried)
      map.map(body.getArgument(argument++), value);
    for (Operation &op : body.without_terminator())
      builder.clone(op, map);
    for (auto [sum, term] : llvm::zip(sums, yield.getSums()))
      sum = addUp(builder, loc, sum, map.lookupOrDefault(term));
    for (auto [value, next] : llvm::zip(carried, yield.getCarried()))
      value = map.lookupOrDefault(next);
    for (auto [parts, part] : llvm::zip(stacked, yield.getStacked()))
      parts.push_back(map.lookupOrDefault(part));
  }
  SmallVector<Value> results(sums);
  results.append(carried);
  for (auto [parts, result] : llvm::zip(stacked, loop.getStacked()))
    results.push_back(stack(builder, loc, parts, cast<RankedTensorType>(result.getType())));
  loop.replaceAllUsesWith(results);
  loop.erase();
}

struct UnrollMicroBatchesPass : impl::UnrollMicroBatchesPassBase<UnrollMicroBatchesPass> {
  void runOnOperation() override {
    SmallVector<graph::AccumulateOp> loops;
    getOperation().walk([&](graph::AccumulateOp loop) { loops.push_back(loop); });
    for (graph::AccumulateOp loop : loops)
      unroll(loop);
  }
};
} // namespace
} // namespace tw::lower
