// What verifiers of graph ops have in common. Messages cite the constraint of the op's description.
#ifndef TW_COMPILER_DIALECT_GRAPH_VERIFICATION_H
#define TW_COMPILER_DIALECT_GRAPH_VERIFICATION_H

#include "compiler/Dialect/Graph/Graph.h"

namespace tw::graph {

inline mlir::RankedTensorType typeOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) {
  return typeOf(value).getShape();
}

/// "[2, 3]"
std::string toText(llvm::ArrayRef<int64_t> numbers);

/// `value` is null (an absent optional operand) or has the shape.
mlir::LogicalResult verifyShape(mlir::Operation *op, llvm::StringRef constraint, llvm::StringRef what,
                                mlir::Value value, llvm::ArrayRef<int64_t> expected);
/// The value has the shape and element type.
mlir::LogicalResult verifyType(mlir::Operation *op, llvm::StringRef constraint, llvm::StringRef what, mlir::Value value,
                               mlir::RankedTensorType expected);
mlir::LogicalResult verifyRank(mlir::Operation *op, llvm::StringRef constraint, llvm::StringRef what, mlir::Value value,
                               int64_t expected);
/// All operands and results have the first result's element type.
mlir::LogicalResult verifyElementTypes(mlir::Operation *op, llvm::StringRef constraint);
/// lowest <= axis < rank.
mlir::LogicalResult verifyAxis(mlir::Operation *op, llvm::StringRef constraint, int64_t axis, int64_t rank,
                               int64_t lowest = 0);
/// Ascending numbers below `rank`.
mlir::LogicalResult verifyDimensions(mlir::Operation *op, llvm::StringRef constraint,
                                     llvm::ArrayRef<int64_t> dimensions, int64_t rank);
/// An attribute has one entry for each of `expected` dimensions, each in [lowest, 2^31).
mlir::LogicalResult verifyEntries(mlir::Operation *op, llvm::StringRef countConstraint, llvm::StringRef valueConstraint,
                                  llvm::StringRef name, llvm::ArrayRef<int64_t> entries, int64_t expected,
                                  int64_t lowest);
/// lowest <= number < highest, which a NaN is not.
mlir::LogicalResult verifyInterval(mlir::Operation *op, llvm::StringRef constraint, llvm::StringRef name, double number,
                                   double lowest, double highest);

} // namespace tw::graph

#endif
