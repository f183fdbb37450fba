// Gradient rules of ops that move elements: each is the adjoint of a selection.
#include "compiler/Autodiff/Rules.h"

#include "compiler/Dialect/Graph/Graph.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace tw::graph;

namespace tw::autodiff {

static Cotangents reshapeRule(ReshapeOp op, Reverse &r) {
  return r.each({[&] { return r.reshape(r.dy(), op.getInput().getType()); }});
}

static Cotangents transposeRule(TransposeOp op, Reverse &r) {
  return r.each({[&] {
    return r.make<TransposeOp>(op.getInput().getType(), r.dy(), invertPermutationVector(op.getPermutation()));
  }});
}

/// The dimensions that were repeated are summed.
static Cotangents broadcastRule(BroadcastOp op, Reverse &r) {
  return r.each({[&] {
    auto input = cast<RankedTensorType>(op.getInput().getType()), result = cast<RankedTensorType>(op.getType());
    llvm::SmallBitVector kept(result.getRank());
    for (auto [dimension, target] : llvm::enumerate(op.getDimensions()))
      if (input.getDimSize(dimension) == result.getDimSize(target))
        kept.set(target);
    SmallVector<int64_t> repeated;
    for (int64_t dimension = 0; dimension < result.getRank(); ++dimension)
      if (!kept[dimension])
        repeated.push_back(dimension);
    return r.reshape(r.sum(r.dy(), repeated), input);
  }});
}

/// Slices that walk backwards are turned round first, then zeros go around and between the elements.
static Value adjointOfSlice(SliceOp op, Reverse &r) {
  auto input = cast<RankedTensorType>(op.getInput().getType()), result = cast<RankedTensorType>(op.getType());
  int64_t rank = input.getRank();
  SmallVector<int64_t> flipStarts(rank, 0), flipStrides(rank, 1), low(rank), high(rank), interior(rank);
  bool flips = false;
  for (int64_t i = 0; i < rank; ++i) {
    int64_t count = result.getDimSize(i), stride = op.getStrides()[i], start = op.getStarts()[i];
    int64_t last = start + (count - 1) * stride;
    if (stride < 0) {
      flips = true;
      flipStarts[i] = count - 1;
      flipStrides[i] = -1;
      std::swap(start, last);
    }
    low[i] = start;
    high[i] = input.getDimSize(i) - 1 - last;
    interior[i] = count > 1 ? std::abs(stride) - 1 : 0;
  }
  Value dy = r.dy();
  if (flips)
    dy = r.make<SliceOp>(result, dy, flipStarts, flipStrides);
  return r.make<PadOp>(input, dy, low, high, interior, APFloat(0.0));
}

static Cotangents sliceRule(SliceOp op, Reverse &r) {
  return r.each({[&] { return adjointOfSlice(op, r); }});
}

static Cotangents padRule(PadOp op, Reverse &r) {
  return r.each({[&] {
    auto strides = llvm::map_to_vector(op.getInterior(), [](int64_t interior) { return interior + 1; });
    return r.make<SliceOp>(op.getInput().getType(), r.dy(), op.getLow(), strides);
  }});
}

static Cotangents concatRule(ConcatOp op, Reverse &r) {
  SmallVector<Value> result;
  int64_t rank = cast<RankedTensorType>(op.getType()).getRank(), axis = op.getAxis(), start = 0;
  for (auto [index, input] : llvm::enumerate(op.getInputs())) {
    SmallVector<int64_t> starts(rank, 0), strides(rank, 1);
    starts[axis] = start;
    start += cast<RankedTensorType>(input.getType()).getDimSize(axis);
    result.push_back(r.wanted(index) ? r.make<SliceOp>(input.getType(), r.dy(), starts, strides) : Value());
  }
  return result;
}

static Cotangents gatherRule(GatherOp op, Reverse &r) {
  return r.each({[&] { return r.make<ScatterAddOp>(op.getInput().getType(), r.dy(), op.getIndices(), op.getAxis()); }});
}

static Cotangents scatterAddRule(ScatterAddOp op, Reverse &r) {
  return r.each({[&] { return r.make<GatherOp>(op.getUpdates().getType(), r.dy(), op.getIndices(), op.getAxis()); }});
}

void registerStructureRules(MLIRContext *context) {
  attach<ReshapeOp, reshapeRule>(context);
  attach<TransposeOp, transposeRule>(context);
  attach<BroadcastOp, broadcastRule>(context);
  attach<SliceOp, sliceRule>(context);
  attach<PadOp, padRule>(context);
  attach<ConcatOp, concatRule>(context);
  attach<GatherOp, gatherRule>(context);
  attach<ScatterAddOp, scatterAddRule>(context);
}

} // namespace tw::autodiff
