#include "passes/Lower/Layout.h"

#include "compiler/Dialect/Graph/Graph.h"

using namespace mlir;

namespace tw::lower {

SmallVector<int64_t> rowMajorStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t d = int64_t(shape.size()) - 2; d >= 0; --d)
    strides[d] = strides[d + 1] * std::max<int64_t>(shape[d + 1], 1);
  return strides;
}

Layout rowMajorLayout(ArrayRef<int64_t> shape) {
  return {0, rowMajorStrides(shape)};
}

bool isRowMajor(const Layout &layout, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> expected = rowMajorStrides(shape);
  for (size_t d = 0; d < shape.size(); ++d)
    if (shape[d] > 1 && layout.strides[d] != expected[d])
      return false;
  return true;
}

/// Takes groups of dimensions of `from` and `to` that cover the same elements; a group can be re-split when its
/// dimensions of `from` follow one another without gaps.
std::optional<Layout> reshapeLayout(const Layout &layout, ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  Layout result{layout.offset, SmallVector<int64_t>(to.size(), 1)};
  if (llvm::is_contained(from, 0))
    return rowMajorLayout(to);
  SmallVector<int64_t> sizes, strides;
  for (size_t d = 0; d < from.size(); ++d)
    if (from[d] != 1) {
      sizes.push_back(from[d]);
      strides.push_back(layout.strides[d]);
    }
  size_t source = 0, target = 0;
  while (source < sizes.size()) {
    size_t sourceEnd = source + 1, targetEnd = target;
    int64_t sourceCount = sizes[source], targetCount = 1;
    while (sourceCount != targetCount || targetEnd == target) {
      if (targetCount < sourceCount || targetEnd == target) {
        if (targetEnd == to.size())
          return std::nullopt;
        targetCount *= to[targetEnd++];
      } else {
        sourceCount *= sizes[sourceEnd++];
      }
    }
    for (size_t d = source; d + 1 < sourceEnd; ++d)
      if (strides[d] != strides[d + 1] * sizes[d + 1])
        return std::nullopt;
    int64_t stride = strides[sourceEnd - 1];
    for (size_t d = targetEnd; d > target; --d) {
      result.strides[d - 1] = stride;
      stride *= to[d - 1];
    }
    source = sourceEnd;
    target = targetEnd;
  }
  return result;
}

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

std::optional<Layout> resultLayout(Operation *op, const Layout &input) {
  if (auto reshape = dyn_cast<graph::ReshapeOp>(op))
    return reshapeLayout(input, shapeOf(reshape.getInput()), reshape.getType().getShape());
  if (auto transpose = dyn_cast<graph::TransposeOp>(op)) {
    Layout result{input.offset, {}};
    for (int64_t d : transpose.getPermutation())
      result.strides.push_back(input.strides[d]);
    return result;
  }
  if (auto slice = dyn_cast<graph::SliceOp>(op)) {
    Layout result = input;
    for (size_t d = 0; d < result.strides.size(); ++d) {
      result.offset += slice.getStarts()[d] * input.strides[d];
      result.strides[d] *= slice.getStrides()[d];
    }
    return result;
  }
  if (auto broadcast = dyn_cast<graph::BroadcastOp>(op)) {
    ArrayRef<int64_t> from = shapeOf(broadcast.getInput()), to = broadcast.getType().getShape();
    Layout result{input.offset, SmallVector<int64_t>(to.size(), 0)};
    for (auto [d, target] : llvm::enumerate(broadcast.getDimensions()))
      if (from[d] == to[target])
        result.strides[target] = input.strides[d];
    return result;
  }
  return std::nullopt;
}

std::optional<Layout> inputLayout(Operation *op, const Layout &result) {
  if (auto reshape = dyn_cast<graph::ReshapeOp>(op))
    return reshapeLayout(result, reshape.getType().getShape(), shapeOf(reshape.getInput()));
  if (auto transpose = dyn_cast<graph::TransposeOp>(op)) {
    Layout input{result.offset, SmallVector<int64_t>(result.strides.size())};
    for (auto [d, from] : llvm::enumerate(transpose.getPermutation()))
      input.strides[from] = result.strides[d];
    return input;
  }
  return std::nullopt;
}

} // namespace tw::lower
