// How every value of a function is split over the grid.
#ifndef TW_PASSES_PARTITION_PROPAGATION_H
#define TW_PASSES_PARTITION_PROPAGATION_H

#include "compiler/Dialect/Graph/Graph.h"
#include "compiler/Interfaces/ShardableOpInterface.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"
#include "llvm/ADT/MapVector.h"

namespace tw::partition {

inline constexpr llvm::StringLiteral kMeshName = "mesh";
inline constexpr llvm::StringLiteral kShardingAttribute = "graph.sharding";

using Axes = llvm::SmallVector<int16_t, 1>;
/// The axes that split each dimension, major to minor.
using Split = llvm::SmallVector<Axes, 4>;

/// The grid @mesh, or null after an error.
mlir::shard::GridOp lookupMesh(mlir::ModuleOp module);

/// The number of parts along some axes.
int64_t partsOf(mlir::shard::GridOp mesh, llvm::ArrayRef<int16_t> axes);
/// The type of one part.
mlir::RankedTensorType localType(mlir::shard::GridOp mesh, mlir::RankedTensorType type, const Split &split);
/// `[data], []` and so on.
std::string describe(const Split &split);

/// The axes that split each factor of an op, gathered from what is known of its operands and results. An axis serves
/// one factor only; a factor that an axis does not divide stays whole.
llvm::SmallVector<Axes> gatherFactorAxes(mlir::shard::GridOp mesh, const ShardingRule &rule,
                                         llvm::ArrayRef<Split> operands, llvm::ArrayRef<Split> results);
/// How a tensor is split when its op's factors are.
Split splitByFactors(const TensorFactors &tensor, llvm::ArrayRef<Axes> factorAxes);

class Propagation {
public:
  Propagation(mlir::func::FuncOp function, mlir::shard::GridOp mesh);
  /// Runs until nothing changes.
  void run();
  Split get(mlir::Value value) const;

private:
  bool visit(mlir::Operation *op);
  bool visitShardable(ShardableOpInterface op);
  bool visitAccumulate(graph::AccumulateOp loop);
  bool visitShard(mlir::shard::ShardOp op);
  /// Adds what is new; whether anything was.
  bool merge(mlir::Value value, const Split &split);
  /// Merges both pairs; whether one of them changed something.
  bool mergeBoth(mlir::Value first, const Split &firstSplit, mlir::Value second, const Split &secondSplit);
  /// Two values that are split alike, `value` without its first dimension when `dropsFirst`.
  bool tie(mlir::Value value, mlir::Value other, bool dropsFirst = false);

  mlir::func::FuncOp function;
  mlir::shard::GridOp mesh;
  llvm::DenseMap<mlir::Value, Split> splits;
  llvm::DenseSet<mlir::Value> closed; ///< values that stay as they are: parameters and what has no rule
};

} // namespace tw::partition

#endif
