// Rewrites one function into that of one rank.
#ifndef TW_PASSES_PARTITION_LOCALIZER_H
#define TW_PASSES_PARTITION_LOCALIZER_H

#include "passes/Partition/Propagation.h"

#include "mlir/IR/Builders.h"

namespace tw::partition {

/// Axes over which a value is a partial result, and how the parts combine.
struct Partial {
  Axes axes;
  mlir::shard::ReductionKind kind = mlir::shard::ReductionKind::Sum;
  explicit operator bool() const { return !axes.empty(); }
};

class Localizer {
public:
  Localizer(mlir::func::FuncOp function, mlir::shard::GridOp mesh, const Propagation &propagation)
      : function(function), mesh(mesh), propagation(propagation), builder(function.getContext()) {}

  /// Fails after one error that lists all places where elements would have to move between ranks.
  llvm::LogicalResult run();

private:
  /// What became of a value: its part on this rank.
  struct Local {
    mlir::Value value;
    Split split;
    Partial partial;
  };

  void localizeBlock(mlir::Block &block);
  void localizeOp(mlir::Operation *op);
  void localizeShardable(ShardableOpInterface op);
  void localizeUnknown(mlir::Operation *op);
  void localizeAccumulate(graph::AccumulateOp loop);
  void addBodyArguments(graph::AccumulateOp loop, mlir::Block *body);
  graph::YieldOp localizeYield(graph::AccumulateOp loop, graph::YieldOp yield);
  void localizeReturn(mlir::func::ReturnOp op);

  /// The value whole: completed if it is a partial sum. The all_reduce stands right after its definition, once.
  mlir::Value complete(mlir::Value value);
  /// The value as `op` needs it: completed unless `keepsPartial`, and cut further where `split` has more axes.
  mlir::Value require(mlir::Operation *op, mlir::Value value, const Split &split, bool keepsPartial);
  /// The axes over which the op's results remain partial because of its operands, and which operands may stay so.
  Partial partialThrough(ShardableOpInterface op, const ShardingRule &rule, llvm::ArrayRef<Axes> factorAxes,
                         llvm::SmallVectorImpl<bool> &keeps);
  Partial partialThroughSum(ShardableOpInterface op, llvm::ArrayRef<int16_t> usedAxes,
                            llvm::SmallVectorImpl<bool> &keeps);
  /// row + (index of this rank's part) * (its rows)
  mlir::Value offsetRow(mlir::Location location, mlir::Value row, llvm::ArrayRef<int16_t> axes, int64_t rows);
  void set(mlir::Value value, mlir::Value local, Split split, Partial partial = {});
  void reportMove(mlir::Operation *op, mlir::Value value, const Split &have, const Split &need);

  mlir::func::FuncOp function;
  mlir::shard::GridOp mesh;
  const Propagation &propagation;
  mlir::OpBuilder builder;
  llvm::DenseMap<mlir::Value, Local> locals;
  llvm::SmallVector<std::pair<mlir::Location, std::string>> problems;
};

} // namespace tw::partition

#endif
