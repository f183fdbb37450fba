// How a kernel walks the elements of its domain: dimensions that all operands treat alike are one.
#ifndef TW_PASSES_LOWER_ITERATION_DOMAIN_H
#define TW_PASSES_LOWER_ITERATION_DOMAIN_H

#include "compiler/Dialect/Graph/Graph.h"

#include "llvm/ADT/SmallVector.h"

namespace tw::lower {

/// Places where a domain must be cut into dimensions: ascending numbers of elements from the innermost side, each
/// dividing the next; neither 1 nor the domain's size.
using Boundaries = llvm::SmallVector<int64_t, 4>;

/// Cuts `shape` where `marked` changes between neighbouring dimensions (those of size 1 do not count).
Boundaries findBoundaries(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<bool> marked);
/// The result dimensions that a broadcast's input has (with a size other than 1).
llvm::SmallVector<bool> presentDimensions(graph::BroadcastOp op);
/// The input dimensions that a reduction removes.
llvm::SmallVector<bool> reducedDimensions(graph::ReduceOp op);
/// The cuts an op needs: none unless it is a broadcast or a reduction.
Boundaries findBoundaries(mlir::Operation *op);
/// The cuts of both, or nothing when they do not nest.
std::optional<Boundaries> uniteBoundaries(const Boundaries &a, const Boundaries &b);

/// The dimensions that boundaries cut a domain into, outermost first.
llvm::SmallVector<int64_t> dimensionSizes(int64_t domain, const Boundaries &boundaries);
/// For each of those dimensions, whether it lies in a dimension of `shape` that is marked.
llvm::SmallVector<bool> transferMarks(llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> shape,
                                      llvm::ArrayRef<bool> marked);

} // namespace tw::lower
#endif
