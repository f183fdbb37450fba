// Sharding rules of ops that move elements, and of reductions.
#include "compiler/Sharding/Rules.h"

#include "compiler/Dialect/Graph/Graph.h"

#include <numeric>

using namespace mlir;
using namespace tw::graph;

namespace tw::sharding {

/// Walks both shapes from the major end and cuts every dimension at the other's boundaries; where sizes share no
/// boundary, the dimensions stay whole.
static ShardingRule reshapeRule(ReshapeOp op) {
  ShardingRule rule;
  rule.additive = true;
  auto from = cast<RankedTensorType>(op.getInput().getType()).getShape();
  auto to = cast<RankedTensorType>(op.getType()).getShape();
  TensorFactors input(from.size()), result(to.size());
  size_t i = 0, j = 0;
  int64_t left = from.empty() ? 1 : from[0], right = to.empty() ? 1 : to[0];
  while (i < from.size() && j < to.size()) {
    int64_t common = std::gcd(left, right);
    bool divides = common == left || common == right;
    if (common > 1 && divides) {
      unsigned factor = rule.addFactor(common);
      input[i].push_back(factor);
      result[j].push_back(factor);
    }
    if (!divides) { // no common boundary: this dimension pair, and what hangs on it, stays whole
      input[i].clear();
      result[j].clear();
      break;
    }
    left /= common;
    right /= common;
    if (left == 1 && ++i < from.size())
      left = from[i];
    if (right == 1 && ++j < to.size())
      right = to[j];
  }
  // A dimension whose factors do not multiply to its size is whole after all.
  auto dropIncomplete = [&](TensorFactors &factors, ArrayRef<int64_t> shape) {
    for (auto [list, size] : llvm::zip_equal(factors, shape)) {
      int64_t product = 1;
      for (unsigned factor : list)
        product *= rule.factors[factor].size;
      if (product != size)
        list.clear();
    }
  };
  dropIncomplete(input, from);
  dropIncomplete(result, to);
  rule.operands = {input};
  rule.results = {result};
  return rule;
}

static ShardingRule transposeRule(TransposeOp op) {
  ShardingRule rule;
  rule.additive = true;
  TensorFactors input = addFactors(rule, op.getInput(), [](int64_t) { return false; }), result;
  for (int64_t dimension : op.getPermutation())
    result.push_back(input[dimension]);
  rule.operands = {input};
  rule.results = {result};
  return rule;
}

static ShardingRule broadcastRule(BroadcastOp op) {
  ShardingRule rule;
  rule.additive = true;
  TensorFactors result = addFactors(rule, op.getResult(), [](int64_t) { return false; }), input;
  for (auto [dimension, target] : llvm::enumerate(op.getDimensions())) {
    bool repeated = sizeOf(op.getInput(), dimension) != sizeOf(op.getResult(), target);
    input.push_back(repeated ? DimensionFactors() : result[target]);
  }
  rule.operands = {input};
  rule.results = {result};
  return rule;
}

/// A dimension that is taken as it is splits; one that is cut does not.
static ShardingRule sliceRule(SliceOp op) {
  ShardingRule rule;
  rule.additive = true;
  TensorFactors factors = addFactors(rule, op.getInput(), [&](int64_t dimension) {
    return op.getStarts()[dimension] != 0 || op.getStrides()[dimension] != 1 ||
           sizeOf(op.getInput(), dimension) != sizeOf(op.getResult(), dimension);
  });
  rule.operands.push_back(factors);
  rule.results.push_back(factors);
  return rule;
}

static ShardingRule padRule(PadOp op) {
  ShardingRule rule;
  rule.additive = op.getValue().isZero();
  TensorFactors factors = addFactors(rule, op.getInput(), [&](int64_t dimension) {
    return sizeOf(op.getInput(), dimension) != sizeOf(op.getResult(), dimension);
  });
  rule.operands.push_back(factors);
  rule.results.push_back(factors);
  return rule;
}

static ShardingRule concatRule(ConcatOp op) {
  ShardingRule rule;
  rule.additive = true;
  TensorFactors factors = addFactors(
      rule, op.getResult(), [&](int64_t dimension) { return dimension == static_cast<int64_t>(op.getAxis()); });
  rule.operands.assign(op->getNumOperands(), factors);
  rule.results.push_back(factors);
  return rule;
}

namespace {
/// data[before, axis, after], picked[before, indices, after].
struct GatherFactors {
  ShardingRule rule;
  TensorFactors data, indices, picked;

  GatherFactors(Value dataValue, Value indicesValue, int64_t axis) {
    data = addFactors(rule, dataValue, [&](int64_t dimension) { return dimension == axis; });
    indices = addFactors(rule, indicesValue, [](int64_t) { return false; });
    picked.assign(data.begin(), data.begin() + axis);
    picked.append(indices.begin(), indices.end());
    picked.append(data.begin() + axis + 1, data.end());
  }
};
} // namespace

static ShardingRule gatherRule(GatherOp op) {
  GatherFactors f(op.getInput(), op.getIndices(), op.getAxis());
  f.rule.operands = {f.data, f.indices};
  f.rule.results = {f.picked};
  f.rule.linearOperands = {0};
  return f.rule;
}

/// Split indices give partial sums.
static ShardingRule scatterAddRule(ScatterAddOp op) {
  GatherFactors f(op.getResult(), op.getIndices(), op.getAxis());
  f.rule.operands = {f.picked, f.indices};
  f.rule.results = {f.data};
  f.rule.linearOperands = {0};
  for (const DimensionFactors &dimension : f.indices)
    f.rule.factors[dimension.front()].kind = FactorKind::ReduceSum;
  return f.rule;
}

static ShardingRule reduceRule(ReduceOp op) {
  static const FactorKind kinds[] = {FactorKind::Whole, FactorKind::ReduceSum, FactorKind::ReduceMax,
                                     FactorKind::ReduceMin, FactorKind::Whole};
  ShardingRule rule;
  rule.additive = op.getKind() == Reduction::Sum;
  TensorFactors input, result;
  for (int64_t dimension = 0; dimension < rankOf(op.getInput()); ++dimension) {
    bool reduced = llvm::is_contained(op.getDimensions(), dimension);
    FactorKind kind = reduced ? kinds[static_cast<int>(op.getKind())] : FactorKind::Parallel;
    input.push_back({rule.addFactor(sizeOf(op.getInput(), dimension), kind)});
    if (!reduced)
      result.push_back(input.back());
  }
  rule.operands = {input};
  rule.results = {result};
  return rule;
}

void registerStructureRules(MLIRContext *context) {
  attach<ReshapeOp, reshapeRule>(context);
  attach<TransposeOp, transposeRule>(context);
  attach<BroadcastOp, broadcastRule>(context);
  attach<SliceOp, sliceRule>(context);
  attach<PadOp, padRule>(context);
  attach<ConcatOp, concatRule>(context);
  attach<GatherOp, gatherRule>(context);
  attach<ScatterAddOp, scatterAddRule>(context);
  attach<ReduceOp, reduceRule>(context);
}

} // namespace tw::sharding
