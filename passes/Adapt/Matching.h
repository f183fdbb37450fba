// What raising patterns share: reading constants and rows through ops that only move elements.
#ifndef TW_PASSES_ADAPT_MATCHING_H
#define TW_PASSES_ADAPT_MATCHING_H

#include "compiler/Dialect/Graph/Graph.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <optional>

namespace tw::adapt {

inline mlir::RankedTensorType typeOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) {
  return typeOf(value).getShape();
}

/// The double whose shortest decimal spelling is the float's: 1e-5f was meant to be 1e-5.
double asWritten(float value);

/// The number that all elements of a float tensor are, through broadcasts and reshapes.
std::optional<double> splatOf(mlir::Value value);

/// True when a and b differ by no more than f32's rounding.
bool isNear(double a, double b);

/// One operand of a commutative float op and the number the other one is.
template <typename Op>
std::optional<std::pair<mlir::Value, double>> withNumber(mlir::Value value) {
  auto op = value.getDefiningOp<Op>();
  if (!op)
    return std::nullopt;
  if (auto number = splatOf(op.getRhs()))
    return std::pair(op.getLhs(), *number);
  if (auto number = splatOf(op.getLhs()))
    return std::pair(op.getRhs(), *number);
  return std::nullopt;
}

/// A value times a number: looks through multiplications by and divisions by numbers, and negations.
std::pair<mlir::Value, double> scaled(mlir::Value value);

/// `value` spread over rows: if it repeats one number for each row of a tensor of shape `shape`, the rows being the
/// dimensions before `axis`, the value that holds these numbers (any shape with as many elements, row-major).
mlir::Value perRow(mlir::Value value, llvm::ArrayRef<int64_t> shape, int64_t axis);

/// `value` spread over the dimensions before `axis` of a tensor of shape `shape`: the value of the shape from `axis`
/// on.
mlir::Value perColumn(mlir::Value value, llvm::ArrayRef<int64_t> shape, int64_t axis);

/// Looks through reshapes.
mlir::Value throughReshapes(mlir::Value value);

/// A mean or sum over the dimensions from `axis` on.
struct RowReduction {
  mlir::Value input;
  int64_t axis;
};
/// If `value` (one element a row) is the mean of a tensor over its trailing dimensions.
std::optional<RowReduction> rowMean(mlir::Value value);

} // namespace tw::adapt

#endif
