#include "passes/Lower/Passes.h"

#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace tw::lower {
#define GEN_PASS_DEF_LOWERCOLLECTIVESPASS
#include "passes/Lower/Passes.h.inc"

namespace {

/// The grid of ranks, row-major.
struct Grid {
  SmallVector<int64_t> shape;

  int64_t ranks() const {
    int64_t count = 1;
    for (int64_t size : shape)
      count *= size;
    return count;
  }
  int64_t coordinate(int64_t rank, int64_t axis) const {
    for (size_t d = shape.size(); d-- > size_t(axis) + 1;)
      rank /= shape[d];
    return rank % shape[axis];
  }
  /// Ranks that differ along `axes` only, group by group.
  SmallVector<SmallVector<int64_t>> groups(ArrayRef<int16_t> axes) const {
    std::map<SmallVector<int64_t>, SmallVector<int64_t>> byOthers;
    for (int64_t rank = 0; rank < ranks(); ++rank) {
      SmallVector<int64_t> others;
      for (size_t d = 0; d < shape.size(); ++d)
        if (!llvm::is_contained(axes, int16_t(d)))
          others.push_back(coordinate(rank, d));
      byOthers[others].push_back(rank);
    }
    SmallVector<SmallVector<int64_t>> result;
    for (auto &[others, ranks] : byOthers)
      result.push_back(ranks);
    return result;
  }
};

/// The number that a scalar of rank indices and constants has on `rank`.
std::optional<int64_t> evaluate(Value value, int64_t rank, const Grid &grid) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (auto index = dyn_cast<shard::ProcessMultiIndexOp>(op))
    return grid.coordinate(rank, index.getAxes()[cast<OpResult>(value).getResultNumber()]);
  if (isa<shard::ProcessLinearIndexOp>(op))
    return rank;
  if (auto constant = dyn_cast<arith::ConstantOp>(op); constant && isa<IntegerAttr>(constant.getValue()))
    return cast<IntegerAttr>(constant.getValue()).getInt();
  SmallVector<int64_t> operands;
  for (Value operand : op->getOperands()) {
    std::optional<int64_t> number = evaluate(operand, rank, grid);
    if (!number)
      return std::nullopt;
    operands.push_back(*number);
  }
  if (isa<arith::IndexCastOp>(op))
    return operands[0];
  if (isa<arith::AddIOp>(op))
    return operands[0] + operands[1];
  if (isa<arith::MulIOp>(op))
    return operands[0] * operands[1];
  return std::nullopt;
}

class CollectiveLowering {
public:
  explicit CollectiveLowering(const Grid &grid) : grid(grid) {}

  LogicalResult run(func::FuncOp function) {
    for (auto scalar : llvm::make_early_inc_range(function.getOps<tensor::FromElementsOp>()))
      if (failed(lowerRankNumber(scalar)))
        return failure();
    SmallVector<shard::AllReduceOp> group;
    for (Operation &op : llvm::make_early_inc_range(function.getOps())) {
      auto reduce = dyn_cast<shard::AllReduceOp>(op);
      if (!group.empty() && (!reduce || !belongs(group.front(), reduce)) && failed(lowerGroup(group)))
        return failure();
      if (reduce)
        group.push_back(reduce);
    }
    return success(); // a function ends in a return, so no group is left
  }

private:
  const Grid &grid;

  static bool belongs(shard::AllReduceOp first, shard::AllReduceOp next) {
    return first->getAttr("group") && first->getAttr("group") == next->getAttr("group") &&
           first.getReduction() == next.getReduction() && first.getGridAxes() == next.getGridAxes() &&
           getElementTypeOrSelf(first.getType()) == getElementTypeOrSelf(next.getType());
  }

  LogicalResult lowerRankNumber(tensor::FromElementsOp scalar) {
    SmallVector<int64_t> values;
    for (int64_t rank = 0; rank < grid.ranks(); ++rank) {
      std::optional<int64_t> value = evaluate(scalar.getElements()[0], rank, grid);
      if (!value || scalar.getElements().size() != 1)
        return scalar.emitError() << "is no number that depends on the rank alone";
      values.push_back(*value);
    }
    OpBuilder builder(scalar);
    scalar.replaceAllUsesWith(plan::RankOp::create(builder, scalar.getLoc(), scalar.getType(), values).getResult());
    scalar.erase();
    return success();
  }

  LogicalResult lowerGroup(SmallVectorImpl<shard::AllReduceOp> &group) {
    shard::AllReduceOp last = group.back();
    OpBuilder builder(last);
    StringRef reduction = last.getReduction() == shard::ReductionKind::Sum   ? "sum"
                          : last.getReduction() == shard::ReductionKind::Max ? "max"
                          : last.getReduction() == shard::ReductionKind::Min ? "min"
                                                                             : "";
    if (reduction.empty())
      return last.emitError() << "this reduction over ranks is not supported";
    SmallVector<Attribute> groups;
    for (auto &ranks : grid.groups(last.getGridAxes()))
      groups.push_back(builder.getDenseI64ArrayAttr(ranks));
    SmallVector<Value> inputs;
    for (shard::AllReduceOp reduce : group)
      inputs.push_back(reduce.getInput());
    auto merged = plan::AllReduceOp::create(builder, last.getLoc(), ValueRange(inputs).getTypes(), inputs, reduction,
                                            builder.getArrayAttr(groups));
    for (auto [reduce, result] : llvm::zip(group, merged.getResults())) {
      reduce.getResult().replaceAllUsesWith(result);
      reduce.erase();
    }
    group.clear();
    return success();
  }
};

struct LowerCollectivesPass : impl::LowerCollectivesPassBase<LowerCollectivesPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto grids = llvm::to_vector(module.getOps<shard::GridOp>());
    if (grids.empty())
      return;
    Grid grid{SmallVector<int64_t>(grids.front().getShape())};
    for (auto function : module.getOps<func::FuncOp>()) {
      if (failed(CollectiveLowering(grid).run(function)))
        return signalPassFailure();
      eraseDead(function);
    }
    for (shard::GridOp op : grids)
      op.erase();
  }

private:
  /// Rank indices and what was computed from them.
  static void eraseDead(func::FuncOp function) {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(function.getBody().front())))
      if (op.use_empty() && isPure(&op) && !op.hasTrait<OpTrait::IsTerminator>())
        op.erase();
  }
};
} // namespace
} // namespace tw::lower
