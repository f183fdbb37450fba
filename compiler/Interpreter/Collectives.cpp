// Ops of upstream's shard dialect, over all ranks at once.
#include "compiler/Interpreter/Execution.h"

#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace tw::interpreter;

using RankResults = SmallVector<SmallVector<Tensor>>;

namespace {
/// A grid of devices, numbered row-major.
struct Grid {
  ArrayRef<int64_t> shape;

  SmallVector<int64_t> coordinates(int64_t rank) const {
    SmallVector<int64_t> index(shape.size());
    for (size_t axis = shape.size(); axis-- > 0; rank /= shape[axis])
      index[axis] = rank % shape[axis];
    return index;
  }
  int64_t rankAt(ArrayRef<int64_t> coordinates) const {
    int64_t rank = 0;
    for (auto [size, i] : llvm::zip_equal(shape, coordinates))
      rank = rank * size + i;
    return rank;
  }
  /// The ranks that differ from `rank` in `axes` only, the first axis being the slowest.
  SmallVector<int64_t> group(int64_t rank, ArrayRef<int16_t> axes) const {
    SmallVector<int64_t> sizes, ranks, place = coordinates(rank);
    for (int16_t axis : axes)
      sizes.push_back(shape[axis]);
    forEachIndex(sizes, [&](ArrayRef<int64_t> index) {
      for (auto [axis, i] : llvm::zip_equal(axes, index))
        place[axis] = i;
      ranks.push_back(rankAt(place));
    });
    return ranks;
  }
};
} // namespace

static FailureOr<Grid> gridOf(Operation *op, FlatSymbolRefAttr name, unsigned ranks) {
  auto grid = SymbolTable::lookupNearestSymbolFrom<shard::GridOp>(op, name);
  if (!grid)
    return op->emitError("'") << name.getValue() << "' does not name a shard.grid";
  if (ShapedType::isDynamicShape(grid.getShape()) ||
      ShapedType::getNumElements(grid.getShape()) != static_cast<int64_t>(ranks))
    return op->emitError("the grid '") << name.getValue() << "' is not one of the " << ranks << " ranks that execute";
  return Grid{grid.getShape()};
}

static FailureOr<double> combine(Operation *op, shard::ReductionKind kind, double a, double b) {
  switch (kind) {
  case shard::ReductionKind::Sum:
  case shard::ReductionKind::Average:
    return a + b;
  case shard::ReductionKind::Product:
    return a * b;
  case shard::ReductionKind::Max:
    return std::fmax(a, b);
  case shard::ReductionKind::Min:
    return std::fmin(a, b);
  default:
    return op->emitError("the interpreter cannot reduce by '") << shard::stringifyReductionKind(kind) << "'";
  }
}

/// The reduction of a group's tensors, in the group's order.
static FailureOr<Tensor> reduceGroup(Operation *op, ArrayRef<const Tensor *> inputs, ArrayRef<int64_t> group,
                                     shard::ReductionKind kind, Type elementType) {
  Tensor result(inputs[group[0]]->getShape(), elementType);
  for (int64_t i = 0, count = result.getNumElements(); i < count; ++i) {
    auto element = [&](int64_t rank) {
      return result.isFloat() ? inputs[rank]->real(i) : static_cast<double>(inputs[rank]->integer(i));
    };
    double value = element(group[0]);
    for (int64_t rank : group.drop_front()) {
      FailureOr<double> combined = combine(op, kind, value, element(rank));
      if (failed(combined))
        return failure();
      value = *combined;
    }
    if (kind == shard::ReductionKind::Average)
      value /= group.size();
    if (result.isFloat())
      result.real(i) = value;
    else
      result.integer(i) = static_cast<int64_t>(value);
  }
  return result;
}

/// Part `part` of `parts` equal ones along a dimension.
static FailureOr<Tensor> slicePart(Operation *op, const Tensor &tensor, int64_t dimension, int64_t part,
                                   int64_t parts) {
  SmallVector<int64_t> shape(tensor.getShape()), source;
  if (shape[dimension] % parts != 0)
    return op->emitError("dimension ") << dimension << " of size " << shape[dimension] << " cannot be split into "
                                       << parts << " equal parts";
  shape[dimension] /= parts;
  Tensor result(shape, tensor.getElementType());
  forEachIndex(shape, [&](ArrayRef<int64_t> index) {
    source.assign(index.begin(), index.end());
    source[dimension] += part * shape[dimension];
    result.copyElement(result.offsetOf(index), tensor, tensor.offsetOf(source));
  });
  return result;
}

static Tensor concatenate(ArrayRef<const Tensor *> inputs, ArrayRef<int64_t> group, int64_t dimension) {
  SmallVector<int64_t> shape(inputs[group[0]]->getShape()), target;
  int64_t part = shape[dimension];
  shape[dimension] *= group.size();
  Tensor result(shape, inputs[group[0]]->getElementType());
  for (auto [position, rank] : llvm::enumerate(group))
    forEachIndex(inputs[rank]->getShape(), [&, position = position, rank = rank](ArrayRef<int64_t> index) {
      target.assign(index.begin(), index.end());
      target[dimension] += position * part;
      result.copyElement(result.offsetOf(target), *inputs[rank], inputs[rank]->offsetOf(index));
    });
  return result;
}

static int64_t positionIn(ArrayRef<int64_t> group, int64_t rank) {
  return llvm::find(group, rank) - group.begin();
}

namespace {
/// Evaluates one collective for one rank.
struct RankEvaluator {
  ArrayRef<const Tensor *> inputs;
  Grid grid;
  int64_t rank;

  FailureOr<Tensor> operator()(shard::AllReduceOp op) const {
    return reduceGroup(op, inputs, grid.group(rank, op.getGridAxes()), op.getReduction(),
                       cast<ShapedType>(op.getType()).getElementType());
  }
  FailureOr<Tensor> operator()(shard::AllGatherOp op) const {
    return concatenate(inputs, grid.group(rank, op.getGridAxes()), op.getGatherAxis().getSExtValue());
  }
  FailureOr<Tensor> operator()(shard::ReduceScatterOp op) const {
    SmallVector<int64_t> group = grid.group(rank, op.getGridAxes());
    FailureOr<Tensor> sum =
        reduceGroup(op, inputs, group, op.getReduction(), cast<ShapedType>(op.getType()).getElementType());
    if (failed(sum))
      return failure();
    return slicePart(op, *sum, op.getScatterAxis().getSExtValue(), positionIn(group, rank), group.size());
  }
  FailureOr<Tensor> operator()(shard::AllSliceOp op) const {
    SmallVector<int64_t> group = grid.group(rank, op.getGridAxes());
    return slicePart(op, *inputs[rank], op.getSliceAxis().getSExtValue(), positionIn(group, rank), group.size());
  }
};
} // namespace

template <typename Op>
static FailureOr<RankResults> evaluateCollective(Op op, ArrayRef<const Tensor *> inputs, unsigned ranks) {
  FailureOr<Grid> grid = gridOf(op, op.getGridAttr(), ranks);
  if (failed(grid))
    return failure();
  RankResults results;
  for (unsigned rank = 0; rank < ranks; ++rank) {
    FailureOr<Tensor> result = RankEvaluator{inputs, *grid, rank}(op);
    if (failed(result))
      return failure();
    if (result->getType() != op.getType())
      return op.emitError("gives ") << result->getType() << " on rank " << rank << ", but its type is " << op.getType();
    results.push_back({std::move(*result)});
  }
  return results;
}

static Tensor indexScalar(MLIRContext *context, int64_t value) {
  Tensor result{Type(IndexType::get(context))};
  result.integer(0) = value;
  return result;
}

static FailureOr<RankResults> evaluateMultiIndex(shard::ProcessMultiIndexOp op, unsigned ranks) {
  FailureOr<Grid> grid = gridOf(op, op.getGridAttr(), ranks);
  if (failed(grid))
    return failure();
  RankResults results(ranks);
  for (unsigned rank = 0; rank < ranks; ++rank)
    for (auto [axis, index] : llvm::enumerate(grid->coordinates(rank)))
      if (op.getAxes().empty() || llvm::is_contained(op.getAxes(), static_cast<int16_t>(axis)))
        results[rank].push_back(indexScalar(op.getContext(), index));
  return results;
}

static FailureOr<RankResults> evaluateLinearIndex(shard::ProcessLinearIndexOp op, unsigned ranks) {
  if (failed(gridOf(op, op.getGridAttr(), ranks)))
    return failure();
  RankResults results;
  for (unsigned rank = 0; rank < ranks; ++rank)
    results.push_back({indexScalar(op.getContext(), rank)});
  return results;
}

FailureOr<RankResults> tw::interpreter::evaluateShardOp(Operation *op, ArrayRef<const Tensor *> inputs,
                                                        unsigned ranks) {
  return llvm::TypeSwitch<Operation *, FailureOr<RankResults>>(op)
      .Case<shard::AllReduceOp, shard::AllGatherOp, shard::ReduceScatterOp, shard::AllSliceOp>(
          [&](auto collective) { return evaluateCollective(collective, inputs, ranks); })
      .Case([&](shard::ProcessMultiIndexOp index) { return evaluateMultiIndex(index, ranks); })
      .Case([&](shard::ProcessLinearIndexOp index) { return evaluateLinearIndex(index, ranks); })
      .Case([&](shard::ShardOp) { // an annotation: the value passes through
        RankResults results;
        for (const Tensor *input : inputs)
          results.push_back({*input});
        return FailureOr<RankResults>(std::move(results));
      })
      .Default([&](Operation *other) -> FailureOr<RankResults> {
        return other->emitError("the interpreter cannot execute '") << other->getName() << "'";
      });
}
