// Reverse-mode differentiation of a straight-line block.
#ifndef TW_COMPILER_AUTODIFF_REVERSEMODE_H
#define TW_COMPILER_AUTODIFF_REVERSEMODE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseSet.h"

namespace tw::autodiff {

/// The float values of a block on a path from `sources` to `target`.
class Paths {
public:
  Paths(mlir::ValueRange sources, mlir::Value target);
  bool contains(mlir::Value value) const { return values.contains(value); }
  /// The ops on the paths, in block order.
  llvm::ArrayRef<mlir::Operation *> getOps() const { return ops; }

private:
  llvm::DenseSet<mlir::Value> values;
  llvm::SmallVector<mlir::Operation *> ops;
};

/// One error at `anchor` that lists all ops on the paths that cannot be differentiated, each as a note at its ONNX
/// node.
llvm::LogicalResult verifyDifferentiable(mlir::Operation *anchor, const Paths &paths);

/// Appends the reverse sweep at the builder's insertion point, which all values of the block must dominate. `seed` is
/// the cotangent of `target`. Returns the cotangents of `sources`, null where there is none.
llvm::FailureOr<llvm::SmallVector<mlir::Value>> buildReverse(mlir::OpBuilder &builder, mlir::ValueRange sources,
                                                             mlir::Value target, mlir::Value seed, const Paths &paths);

} // namespace tw::autodiff

#endif
