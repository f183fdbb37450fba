#include "passes/Partition/Localizer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tw::partition {

/// A constant zero is a partial sum over any axes.
static bool isZero(Value value) {
  DenseElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat() || !isa<FloatType>(elements.getElementType()))
    return false;
  return elements.getSplatValue<APFloat>().isZero();
}

static bool isFloat(Value value) {
  return isa<FloatType>(getElementTypeOrSelf(value.getType()));
}
static bool isSplit(const Split &split) {
  return llvm::any_of(split, [](const Axes &axes) { return !axes.empty(); });
}

static shard::ReductionKind combineOf(FactorKind kind) {
  switch (kind) {
  case FactorKind::ReduceMax:
    return shard::ReductionKind::Max;
  case FactorKind::ReduceMin:
    return shard::ReductionKind::Min;
  default:
    return shard::ReductionKind::Sum;
  }
}

void Localizer::set(Value value, Value local, Split split, Partial partial) {
  locals[value] = {local, std::move(split), std::move(partial)};
}

void Localizer::reportMove(Operation *op, Value value, const Split &have, const Split &need) {
  problems.push_back({op->getLoc(), ("'" + op->getName().getStringRef() + "' has an operand split as " +
                                     describe(have) + " and needs it as " + describe(need))
                                        .str()});
}

Value Localizer::complete(Value value) {
  Local &local = locals[value];
  if (!local.partial)
    return local.value;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(local.value);
  local.value = shard::AllReduceOp::create(builder, value.getLoc(), local.value, kMeshName, local.partial.axes,
                                           local.partial.kind);
  local.partial = {};
  return local.value;
}

Value Localizer::require(Operation *op, Value value, const Split &split, bool keepsPartial) {
  Value result = keepsPartial ? locals[value].value : complete(value);
  const Local &local = locals[value];
  Split present = local.split;
  for (auto [dimension, need] : llvm::enumerate(split)) {
    if (present[dimension] == need)
      continue;
    if (!present[dimension].empty()) {
      reportMove(op, value, local.split, split);
      return result;
    }
    present[dimension] = need;
    result = shard::AllSliceOp::create(builder, op->getLoc(), result, mesh, need, dimension);
  }
  return result;
}

Partial Localizer::partialThroughSum(ShardableOpInterface op, ArrayRef<int16_t> usedAxes,
                                     SmallVectorImpl<bool> &keeps) {
  Partial common;
  for (Value operand : op->getOperands()) {
    if (!isFloat(operand) || isZero(operand))
      continue;
    const Partial &partial = locals[operand].partial;
    bool clashes = llvm::any_of(usedAxes, [&](int16_t axis) { return llvm::is_contained(partial.axes, axis); });
    bool differs = common && common.axes != partial.axes;
    if (!partial || partial.kind != shard::ReductionKind::Sum || clashes || differs)
      return {};
    common = partial;
  }
  for (auto [index, operand] : llvm::enumerate(op->getOperands()))
    keeps[index] = static_cast<bool>(locals[operand].partial);
  return common;
}

Partial Localizer::partialThrough(ShardableOpInterface op, const ShardingRule &rule, ArrayRef<Axes> factorAxes,
                                  SmallVectorImpl<bool> &keeps) {
  SmallVector<int16_t> used;
  for (const Axes &axes : factorAxes)
    llvm::append_range(used, axes);
  if (rule.additive)
    return partialThroughSum(op, used, keeps);
  auto isPartial = [&](Value operand) { return static_cast<bool>(locals[operand].partial); };
  if (llvm::count_if(op->getOperands(), isPartial) != 1)
    return {};
  for (unsigned index : rule.linearOperands) {
    const Partial &partial = locals[op->getOperand(index)].partial;
    bool clashes = llvm::any_of(used, [&](int16_t axis) { return llvm::is_contained(partial.axes, axis); });
    if (!partial || partial.kind != shard::ReductionKind::Sum || clashes)
      continue;
    keeps[index] = true;
    return partial;
  }
  return {};
}

Value Localizer::offsetRow(Location location, Value row, ArrayRef<int16_t> axes, int64_t rows) {
  Value index;
  for (int16_t axis : axes) {
    Value part =
        shard::ProcessMultiIndexOp::create(builder, location, kMeshName, ArrayRef<int16_t>{axis}).getResult()[0];
    if (index) {
      Value parts = arith::ConstantIndexOp::create(builder, location, mesh.getShape()[axis]);
      part = arith::AddIOp::create(builder, location, arith::MulIOp::create(builder, location, index, parts), part);
    }
    index = part;
  }
  Value number = arith::IndexCastOp::create(builder, location, builder.getI64Type(), index);
  auto type = cast<RankedTensorType>(row.getType());
  Value first = tensor::FromElementsOp::create(builder, location, type, number);
  Attribute count = builder.getI64IntegerAttr(rows);
  Value rowsEach = arith::ConstantOp::create(builder, location, DenseElementsAttr::get(type, count));
  Value offset = arith::MulIOp::create(builder, location, first, rowsEach);
  return arith::AddIOp::create(builder, location, row, offset);
}

/// The axes of factors that a result lacks: over these it is partial.
static Partial partialByFactors(const ShardingRule &rule, const TensorFactors &result, ArrayRef<Axes> factorAxes) {
  llvm::SmallDenseSet<unsigned> present;
  for (const DimensionFactors &factors : result)
    present.insert(factors.begin(), factors.end());
  Partial partial;
  for (auto [index, axes] : llvm::enumerate(factorAxes)) {
    if (axes.empty() || present.contains(index))
      continue;
    llvm::append_range(partial.axes, axes);
    partial.kind = combineOf(rule.factors[index].kind);
  }
  return partial;
}

void Localizer::localizeShardable(ShardableOpInterface op) {
  ShardingRule rule = op.getShardingRule();
  auto have = llvm::map_to_vector(op->getOperands(), [&](Value value) { return locals[value].split; });
  auto want = llvm::map_to_vector(op->getResults(), [&](Value value) { return propagation.get(value); });
  SmallVector<Axes> factorAxes = gatherFactorAxes(mesh, rule, have, want);
  SmallVector<bool> keeps(op->getNumOperands(), false);
  Partial through = partialThrough(op, rule, factorAxes, keeps);

  SmallVector<Value> operands;
  for (auto [index, value] : llvm::enumerate(op->getOperands()))
    operands.push_back(require(op, value, splitByFactors(rule.operands[index], factorAxes), keeps[index]));
  SmallVector<Split> splits;
  SmallVector<Type> types;
  for (auto [value, tensor] : llvm::zip_equal(op->getResults(), rule.results)) {
    splits.push_back(splitByFactors(tensor, factorAxes));
    auto type = dyn_cast<RankedTensorType>(value.getType());
    types.push_back(type ? Type(localType(mesh, type, splits.back())) : value.getType());
  }
  if (rule.firstRowOperand && !splits.front().front().empty()) {
    Value &row = operands[*rule.firstRowOperand];
    row = offsetRow(op->getLoc(), row, splits.front().front(), cast<RankedTensorType>(types.front()).getDimSize(0));
  }
  Operation *local = op.localize(builder, operands, types);
  local->removeDiscardableAttr(kShardingAttribute);
  for (auto [index, value] : llvm::enumerate(op->getResults())) {
    Partial partial = partialByFactors(rule, rule.results[index], factorAxes);
    if (through) {
      llvm::append_range(partial.axes, through.axes);
      partial.kind = shard::ReductionKind::Sum;
    }
    set(value, local->getResult(index), splits[index], partial);
  }
}

/// Ops without a rule take and give whole values.
void Localizer::localizeUnknown(Operation *op) {
  IRMapping mapping;
  for (Value operand : op->getOperands()) {
    if (isSplit(locals[operand].split))
      problems.push_back(
          {op->getLoc(), ("'" + op->getName().getStringRef() + "' has no sharding rule, but an operand split as " +
                          describe(locals[operand].split))
                             .str()});
    mapping.map(operand, complete(operand));
  }
  Operation *local = builder.clone(*op, mapping);
  for (auto [value, result] : llvm::zip_equal(op->getResults(), local->getResults()))
    set(value, result, propagation.get(value));
}

/// [micro_batches, shape...] for each value.
static SmallVector<Type> stackedTypes(ValueRange values, int64_t microBatches) {
  return llvm::map_to_vector(values.getTypes(), [&](Type type) -> Type {
    SmallVector<int64_t> shape{microBatches};
    llvm::append_range(shape, cast<RankedTensorType>(type).getShape());
    return cast<RankedTensorType>(type).clone(shape);
  });
}

void Localizer::addBodyArguments(graph::AccumulateOp loop, Block *body) {
  auto arguments = loop.getBody().front().getArguments();
  set(arguments[0], body->addArgument(arguments[0].getType(), loop.getLoc()), {});
  for (auto [index, value] : llvm::enumerate(loop.getOperands())) {
    complete(value);
    Split split = locals[value].split;
    if (index < loop.getSliced().size())
      split.erase(split.begin());
    Value argument = arguments[index + 1];
    Type type = localType(mesh, cast<RankedTensorType>(argument.getType()), split);
    set(argument, body->addArgument(type, loop.getLoc()), split);
  }
}

/// Carried and stacked values are used as they are. Sums stay partial until after the last iteration; they come last,
/// because a value that is stacked as well is whole by then.
graph::YieldOp Localizer::localizeYield(graph::AccumulateOp loop, graph::YieldOp yield) {
  SmallVector<Value> carried;
  for (auto [value, start] : llvm::zip_equal(yield.getCarried(), loop.getInitial()))
    carried.push_back(require(yield, value, locals[start].split, false));
  auto stacked = llvm::map_to_vector(yield.getStacked(), [&](Value value) { return complete(value); });
  auto sums = llvm::map_to_vector(yield.getSums(), [&](Value value) {
    return locals[value].partial.kind == shard::ReductionKind::Sum ? locals[value].value : complete(value);
  });
  return graph::YieldOp::create(builder, yield.getLoc(), sums, carried, stacked);
}

void Localizer::localizeAccumulate(graph::AccumulateOp loop) {
  Block &oldBody = loop.getBody().front();
  auto oldYield = cast<graph::YieldOp>(oldBody.getTerminator());
  Region region; // the results' types are known only when the body is there
  Block *body = &region.emplaceBlock();
  addBodyArguments(loop, body);
  OpBuilder::InsertPoint outside = builder.saveInsertionPoint();
  builder.setInsertionPointToEnd(body);
  localizeBlock(oldBody);
  graph::YieldOp yield = localizeYield(loop, oldYield);
  builder.restoreInsertionPoint(outside);

  auto part = [&](Value value) { return locals[value].value; };
  auto local = graph::AccumulateOp::create(
      builder, loop.getLoc(), yield.getSums().getTypes(), yield.getCarried().getTypes(),
      stackedTypes(yield.getStacked(), loop.getMicroBatches()), llvm::map_to_vector(loop.getSliced(), part),
      llvm::map_to_vector(loop.getInitial(), part), loop.getMicroBatches());
  local.getBody().takeBody(region);
  for (auto [value, inner, result] : llvm::zip_equal(loop.getSums(), oldYield.getSums(), local.getSums()))
    set(value, result, Split(locals[inner].split), Partial(locals[inner].partial));
  for (auto [value, inner, result] : llvm::zip_equal(loop.getCarried(), oldYield.getCarried(), local.getCarried()))
    set(value, result, Split(locals[inner].split));
  for (auto [value, inner, result] : llvm::zip_equal(loop.getStacked(), oldYield.getStacked(), local.getStacked())) {
    Split split = locals[inner].split;
    split.insert(split.begin(), Axes());
    set(value, result, split);
  }
}

void Localizer::localizeReturn(func::ReturnOp op) {
  auto values = llvm::map_to_vector(op.getOperands(), [&](Value value) { return complete(value); });
  func::ReturnOp::create(builder, op.getLoc(), values);
  for (auto [index, value] : llvm::enumerate(op.getOperands()))
    if (isSplit(locals[value].split))
      function.setResultAttr(index, kShardingAttribute, builder.getStringAttr(describe(locals[value].split)));
}

void Localizer::localizeOp(Operation *op) {
  if (isa<shard::ShardingOp>(op))
    return;
  if (auto annotation = dyn_cast<shard::ShardOp>(op))
    locals[annotation.getResult()] = Local(locals[annotation.getSrc()]);
  else if (auto loop = dyn_cast<graph::AccumulateOp>(op))
    localizeAccumulate(loop);
  else if (auto returned = dyn_cast<func::ReturnOp>(op))
    localizeReturn(returned);
  else if (auto shardable = dyn_cast<ShardableOpInterface>(op))
    localizeShardable(shardable);
  else if (!isa<graph::YieldOp>(op))
    localizeUnknown(op);
}

void Localizer::localizeBlock(Block &block) {
  for (Operation &op : block)
    localizeOp(&op);
}

LogicalResult Localizer::run() {
  Block *old = &function.front();
  Block *fresh = builder.createBlock(&function.getBody(), function.getBody().end());
  for (BlockArgument argument : old->getArguments()) {
    Split split = propagation.get(argument);
    auto tensor = dyn_cast<RankedTensorType>(argument.getType());
    Type type = tensor ? Type(localType(mesh, tensor, split)) : argument.getType();
    set(argument, fresh->addArgument(type, argument.getLoc()), split);
    if (isSplit(split))
      function.setArgAttr(argument.getArgNumber(), kShardingAttribute, builder.getStringAttr(describe(split)));
  }
  builder.setInsertionPointToEnd(fresh);
  localizeBlock(*old);
  old->dropAllDefinedValueUses();
  old->dropAllReferences();
  old->erase();
  function.setType(builder.getFunctionType(fresh->getArgumentTypes(), fresh->getTerminator()->getOperandTypes()));
  if (problems.empty())
    return success();
  InFlightDiagnostic error = function.emitError()
                             << problems.size() << " operation" << (problems.size() == 1 ? "" : "s") << " of @"
                             << function.getName()
                             << " would need elements of other ranks; these cannot be partitioned this way";
  for (const auto &[location, text] : problems)
    error.attachNote(location) << text;
  return error;
}

} // namespace tw::partition
