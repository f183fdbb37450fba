// The sharding rule of an op: its dimensions as factors, as in an einsum.
//
// matmul [m, k] x [k, n] -> [m, n] has factors m, n (Parallel) and k (ReduceSum); operand 0 is {{m}, {k}}, operand 1
// {{k}, {n}}, the result {{m}, {n}}. reshape [6, 4] -> [2, 12] has factors a = 2, b = 3, c = 4; its operand is
// {{a, b}, {c}}, its result {{a}, {b, c}}: of a dimension with several factors only the first (the major one) can be
// split without moving elements.
#ifndef TW_COMPILER_INTERFACES_SHARDINGRULE_H
#define TW_COMPILER_INTERFACES_SHARDINGRULE_H

#include "mlir/IR/Operation.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace tw {

/// What happens to the results when a factor is split.
enum class FactorKind {
  Parallel,  ///< each part computes its part of the results; results that lack the factor are partial sums
  ReduceSum, ///< in operands only: partial results add up to the result
  ReduceMax, ///< likewise, their maximum is the result
  ReduceMin, ///< likewise, their minimum
  Whole      ///< must not be split
};

struct Factor {
  int64_t size;
  FactorKind kind;
};

/// Indices into ShardingRule::factors, major to minor. Their sizes multiply to the dimension's size; an empty list
/// means that the dimension is never split (of size 1, or read whole by every part).
using DimensionFactors = llvm::SmallVector<unsigned, 2>;
/// One entry a dimension.
using TensorFactors = llvm::SmallVector<DimensionFactors, 4>;

struct ShardingRule {
  llvm::SmallVector<Factor, 4> factors;
  llvm::SmallVector<TensorFactors, 4> operands;
  llvm::SmallVector<TensorFactors, 2> results;
  /// The results are linear jointly in all float operands (add, sub, concat, reshape, reduce sum): when all of them
  /// are partial sums over an axis, so are the results.
  bool additive = false;
  /// Operands in each of which alone the results are linear (mul, matmul): when one of them is a partial sum over an
  /// axis and the others are whole, the results are partial sums.
  llvm::SmallVector<unsigned, 2> linearOperands;
  /// An i64 scalar operand that holds the global index of result 0's first row (dimension 0): a part that starts
  /// elsewhere adds its offset.
  std::optional<unsigned> firstRowOperand;

  /// Adds a factor and returns its index.
  unsigned addFactor(int64_t size, FactorKind kind = FactorKind::Parallel);
};

/// Checks that a rule fits the op's operands and results: one entry a tensor and dimension, sizes that multiply to the
/// dimension's, reduction factors absent from results. Emits an error at the op that says what does not fit.
mlir::LogicalResult verifyShardingRule(mlir::Operation *op, const ShardingRule &rule);

/// A rule for ops whose operands and results have one shape: a Parallel factor a dimension. Operands of rank 0 are
/// read whole.
ShardingRule elementwiseShardingRule(mlir::Operation *op);

} // namespace tw

#endif
