#include "passes/Partition/Propagation.h"

#include "mlir/IR/Iterators.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tw::partition {

shard::GridOp lookupMesh(ModuleOp module) {
  auto mesh = module.lookupSymbol<shard::GridOp>(kMeshName);
  if (!mesh)
    module.emitError("expected a shard.grid @mesh; run tw-partition-annotate first");
  return mesh;
}

int64_t partsOf(shard::GridOp mesh, ArrayRef<int16_t> axes) {
  int64_t parts = 1;
  for (int16_t axis : axes)
    parts *= mesh.getShape()[axis];
  return parts;
}

RankedTensorType localType(shard::GridOp mesh, RankedTensorType type, const Split &split) {
  SmallVector<int64_t> shape(type.getShape());
  for (auto [size, axes] : llvm::zip(shape, split))
    size /= partsOf(mesh, axes);
  return type.clone(shape);
}

std::string describe(const Split &split) {
  static constexpr StringLiteral names[] = {"data", "tensor", "pipeline"};
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::interleaveComma(split, stream, [&](const Axes &axes) {
    stream << "[";
    llvm::interleaveComma(axes, stream, [&](int16_t axis) { stream << names[axis]; });
    stream << "]";
  });
  return text;
}

SmallVector<Axes> gatherFactorAxes(shard::GridOp mesh, const ShardingRule &rule, ArrayRef<Split> operands,
                                   ArrayRef<Split> results) {
  SmallVector<Axes> factorAxes(rule.factors.size());
  llvm::SmallDenseSet<int16_t> used;
  auto gather = [&](ArrayRef<TensorFactors> tensors, ArrayRef<Split> splits) {
    for (auto [tensor, split] : llvm::zip_equal(tensors, splits))
      for (auto [factors, axes] : llvm::zip(tensor, split)) {
        if (axes.empty() || factors.empty())
          continue;
        // Of a dimension with several factors only the major one can be split without moving elements.
        unsigned major = factors.front();
        const Factor &factor = rule.factors[major];
        bool taken = llvm::any_of(axes, [&](int16_t axis) { return used.contains(axis); });
        if (taken || !factorAxes[major].empty() || factor.kind == FactorKind::Whole ||
            factor.size % partsOf(mesh, axes) != 0)
          continue;
        factorAxes[major] = axes;
        used.insert(axes.begin(), axes.end());
      }
  };
  gather(rule.operands, operands);
  gather(rule.results, results);
  return factorAxes;
}

Split splitByFactors(const TensorFactors &tensor, ArrayRef<Axes> factorAxes) {
  Split split;
  for (const DimensionFactors &factors : tensor)
    split.push_back(factors.empty() ? Axes() : factorAxes[factors.front()]);
  return split;
}

Propagation::Propagation(func::FuncOp function, shard::GridOp mesh) : function(function), mesh(mesh) {
  function.walk([&](Operation *op) {
    if (!isa<ShardableOpInterface, graph::AccumulateOp, shard::ShardOp>(op))
      closed.insert(op->result_begin(), op->result_end());
  });
  for (Value argument : function.getArguments())
    if (llvm::none_of(argument.getUsers(), [](Operation *user) { return isa<shard::ShardOp>(user); }))
      closed.insert(argument);
}

Split Propagation::get(Value value) const {
  auto found = splits.find(value);
  if (found != splits.end())
    return found->second;
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return Split(type ? type.getRank() : 0);
}

bool Propagation::merge(Value value, const Split &split) {
  if (closed.contains(value) || llvm::all_of(split, [](const Axes &axes) { return axes.empty(); }))
    return false;
  Split present = get(value);
  bool changed = false;
  auto uses = [&present](const Axes &others) {
    return llvm::any_of(present, [&](const Axes &axes) {
      return llvm::any_of(axes, [&](int16_t axis) { return llvm::is_contained(others, axis); });
    });
  };
  for (auto [mine, other] : llvm::zip(present, split)) {
    if (!mine.empty() || other.empty() || uses(other))
      continue;
    mine = other;
    changed = true;
  }
  if (changed)
    splits[value] = present;
  return changed;
}

bool Propagation::mergeBoth(Value first, const Split &firstSplit, Value second, const Split &secondSplit) {
  bool firstChanged = merge(first, firstSplit);
  return merge(second, secondSplit) || firstChanged;
}

bool Propagation::tie(Value value, Value other, bool dropsFirst) {
  Split full = get(value), part = get(other);
  if (!dropsFirst)
    return mergeBoth(other, full, value, part);
  Split rest(full.begin() + 1, full.end());
  part.insert(part.begin(), Axes());
  return mergeBoth(other, rest, value, part);
}

bool Propagation::visitShardable(ShardableOpInterface op) {
  ShardingRule rule = op.getShardingRule();
  auto operands = llvm::map_to_vector(op->getOperands(), [&](Value value) { return get(value); });
  auto results = llvm::map_to_vector(op->getResults(), [&](Value value) { return get(value); });
  SmallVector<Axes> factorAxes = gatherFactorAxes(mesh, rule, operands, results);
  bool changed = false;
  for (auto [value, tensor] : llvm::zip_equal(op->getOperands(), rule.operands))
    changed |= merge(value, splitByFactors(tensor, factorAxes));
  for (auto [value, tensor] : llvm::zip_equal(op->getResults(), rule.results))
    changed |= merge(value, splitByFactors(tensor, factorAxes));
  return changed;
}

bool Propagation::visitAccumulate(graph::AccumulateOp loop) {
  bool changed = false;
  Block &body = loop.getBody().front();
  auto yield = cast<graph::YieldOp>(body.getTerminator());
  auto arguments = body.getArguments().drop_front();
  for (auto [outer, inner] : llvm::zip_equal(loop.getSliced(), arguments.take_front(loop.getSliced().size())))
    changed |= tie(outer, inner, /*dropsFirst=*/true);
  for (auto [outer, inner] : llvm::zip_equal(loop.getInitial(), arguments.drop_front(loop.getSliced().size())))
    changed |= tie(outer, inner);
  for (auto [inner, next] : llvm::zip_equal(arguments.drop_front(loop.getSliced().size()), yield.getCarried()))
    changed |= tie(inner, next);
  for (auto [result, inner] : llvm::zip_equal(loop.getSums(), yield.getSums()))
    changed |= tie(result, inner);
  for (auto [result, inner] : llvm::zip_equal(loop.getCarried(), yield.getCarried()))
    changed |= tie(result, inner);
  for (auto [result, inner] : llvm::zip_equal(loop.getStacked(), yield.getStacked()))
    changed |= tie(result, inner, /*dropsFirst=*/true);
  return changed;
}

bool Propagation::visitShard(shard::ShardOp op) {
  auto sharding = op.getSharding().getDefiningOp<shard::ShardingOp>();
  if (!sharding)
    return false;
  Split split(cast<RankedTensorType>(op.getType()).getRank());
  for (auto [axes, attribute] : llvm::zip(split, sharding.getSplitAxes().getAxes()))
    axes.assign(attribute.asArrayRef().begin(), attribute.asArrayRef().end());
  return mergeBoth(op.getResult(), split, op.getSrc(), split);
}

bool Propagation::visit(Operation *op) {
  if (auto loop = dyn_cast<graph::AccumulateOp>(op))
    return visitAccumulate(loop);
  if (auto annotation = dyn_cast<shard::ShardOp>(op))
    return visitShard(annotation);
  if (auto shardable = dyn_cast<ShardableOpInterface>(op))
    return visitShardable(shardable);
  return false;
}

void Propagation::run() {
  bool changed = true;
  while (changed) { // ends: every round adds an axis to some dimension, and none is ever taken away
    changed = false;
    function.walk<WalkOrder::PreOrder>([&](Operation *op) { changed |= visit(op); });
    function.walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) { changed |= visit(op); });
  }
}

} // namespace tw::partition
