// tw-differentiate-concatenate-pads: the cotangents of neighbouring slices, put side by side.
#include "passes/Differentiate/Passes.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tw::differentiate {

#define GEN_PASS_DEF_CONCATENATEPADSPASS
#include "passes/Differentiate/Passes.h.inc"

/// The only dimension that a pad makes larger, if zeros go only before and after the whole input.
static std::optional<int64_t> paddedAxis(graph::PadOp pad) {
  std::optional<int64_t> axis;
  if (!pad.getValue().isZero() || llvm::any_of(pad.getInterior(), [](int64_t interior) { return interior != 0; }))
    return std::nullopt;
  for (auto [dimension, low, high] : llvm::enumerate(pad.getLow(), pad.getHigh())) {
    if (low == 0 && high == 0)
      continue;
    if (axis)
      return std::nullopt;
    axis = dimension;
  }
  return axis;
}

/// The summands of a sum, through additions that nothing else uses.
static void collectSummands(Value value, bool isRoot, SmallVectorImpl<Value> &summands) {
  auto sum = value.getDefiningOp<arith::AddFOp>();
  if (!sum || !(isRoot || value.hasOneUse())) {
    summands.push_back(value);
    return;
  }
  collectSummands(sum.getLhs(), false, summands);
  collectSummands(sum.getRhs(), false, summands);
}

/// Takes pads that fill `axis` without gap or overlap out of `summands`, in order; empty if there are none.
static SmallVector<graph::PadOp> takeTiling(SmallVectorImpl<Value> &summands, int64_t axis) {
  SmallVector<graph::PadOp> tiling;
  for (Value summand : summands)
    if (auto pad = summand.getDefiningOp<graph::PadOp>(); pad && paddedAxis(pad) == axis)
      tiling.push_back(pad);
  if (tiling.size() < 2)
    return {};
  llvm::sort(tiling, [&](graph::PadOp a, graph::PadOp b) { return a.getLow()[axis] < b.getLow()[axis]; });
  int64_t end = 0;
  for (graph::PadOp pad : tiling) {
    if (pad.getLow()[axis] != end)
      return {};
    end += cast<RankedTensorType>(pad.getInput().getType()).getDimSize(axis);
  }
  if (tiling.back().getHigh()[axis] != 0)
    return {};
  llvm::erase_if(summands, [&](Value value) { return llvm::is_contained(tiling, value.getDefiningOp()); });
  return tiling;
}

static void rewriteSum(arith::AddFOp root) {
  SmallVector<Value> summands;
  collectSummands(root.getResult(), true, summands);
  OpBuilder builder(root);
  SmallVector<Value> concatenated;
  for (int64_t axis = 0, rank = cast<RankedTensorType>(root.getType()).getRank(); axis < rank; ++axis) {
    SmallVector<graph::PadOp> tiling = takeTiling(summands, axis);
    if (tiling.empty())
      continue;
    auto inputs = llvm::map_to_vector(tiling, [](graph::PadOp pad) -> Value { return pad.getInput(); });
    concatenated.push_back(graph::ConcatOp::create(builder, root.getLoc(), root.getType(), inputs, axis));
  }
  if (concatenated.empty())
    return;
  summands.append(concatenated);
  Value sum = summands.front();
  for (Value summand : llvm::drop_begin(summands))
    sum = arith::AddFOp::create(builder, root.getLoc(), sum, summand);
  root.replaceAllUsesWith(sum);
}

/// Not itself part of a larger sum.
static bool isRoot(arith::AddFOp sum) {
  return isa<RankedTensorType>(sum.getType()) && !(sum->hasOneUse() && isa<arith::AddFOp>(*sum->getUsers().begin()));
}

namespace {
struct ConcatenatePadsPass : impl::ConcatenatePadsPassBase<ConcatenatePadsPass> {
  void runOnOperation() override {
    SmallVector<arith::AddFOp> roots;
    getOperation().walk([&](arith::AddFOp sum) {
      if (isRoot(sum))
        roots.push_back(sum);
    });
    for (arith::AddFOp root : roots)
      rewriteSum(root);
  }
};
} // namespace

} // namespace tw::differentiate
