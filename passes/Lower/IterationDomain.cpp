#include "passes/Lower/IterationDomain.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tw::lower {

Boundaries findBoundaries(ArrayRef<int64_t> shape, ArrayRef<bool> marked) {
  Boundaries boundaries;
  int64_t elements = 1;
  std::optional<bool> inner;
  for (auto [size, mark] : llvm::reverse(llvm::zip_equal(shape, marked))) {
    if (size == 1)
      continue;
    if (inner && *inner != mark)
      boundaries.push_back(elements);
    inner = mark;
    elements *= size;
  }
  return boundaries;
}

SmallVector<bool> presentDimensions(graph::BroadcastOp op) {
  auto input = cast<RankedTensorType>(op.getInput().getType()), result = cast<RankedTensorType>(op.getType());
  SmallVector<bool> present(result.getRank(), false);
  for (auto [i, dimension] : llvm::enumerate(op.getDimensions()))
    present[dimension] = input.getDimSize(i) != 1;
  return present;
}

SmallVector<bool> reducedDimensions(graph::ReduceOp op) {
  SmallVector<bool> reduced(cast<RankedTensorType>(op.getInput().getType()).getRank(), false);
  for (int64_t dimension : op.getDimensions())
    reduced[dimension] = true;
  return reduced;
}

Boundaries findBoundaries(Operation *op) {
  if (auto broadcast = dyn_cast<graph::BroadcastOp>(op))
    return findBoundaries(cast<RankedTensorType>(broadcast.getType()).getShape(), presentDimensions(broadcast));
  if (auto reduce = dyn_cast<graph::ReduceOp>(op))
    return findBoundaries(cast<RankedTensorType>(reduce.getInput().getType()).getShape(), reducedDimensions(reduce));
  return {};
}

std::optional<Boundaries> uniteBoundaries(const Boundaries &a, const Boundaries &b) {
  Boundaries all(a);
  all.append(b);
  llvm::sort(all);
  all.erase(llvm::unique(all), all.end());
  for (size_t i = 1; i < all.size(); ++i)
    if (all[i] % all[i - 1] != 0)
      return std::nullopt;
  return all;
}

SmallVector<int64_t> dimensionSizes(int64_t domain, const Boundaries &boundaries) {
  SmallVector<int64_t> sizes;
  int64_t inner = 1;
  for (int64_t boundary : boundaries) {
    sizes.push_back(boundary / inner);
    inner = boundary;
  }
  if (domain != inner)
    sizes.push_back(domain / inner);
  std::reverse(sizes.begin(), sizes.end());
  return sizes;
}

SmallVector<bool> transferMarks(ArrayRef<int64_t> sizes, ArrayRef<int64_t> shape, ArrayRef<bool> marked) {
  SmallVector<bool> marks(sizes.size(), false);
  int64_t start = 1; // elements inside of dimension i
  for (size_t i = sizes.size(); i-- > 0;) {
    int64_t elements = 1; // elements up to and including dimension d of shape
    for (size_t d = shape.size(); d-- > 0;) {
      elements *= shape[d];
      if (elements > start) {
        marks[i] = marked[d];
        break;
      }
    }
    start *= sizes[i];
  }
  return marks;
}

} // namespace tw::lower
