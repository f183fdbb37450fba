// Sharding rules of normalisation, softmax and activations.
#include "compiler/Sharding/Rules.h"

#include "compiler/Dialect/Graph/Graph.h"

using namespace mlir;
using namespace tw::graph;

namespace tw::sharding {

/// Every operand and result either has the first operand's shape or is [channels].
static ShardingRule channelRule(Operation *op, FactorKind othersKind) {
  ShardingRule rule;
  Value input = op->getOperand(0);
  TensorFactors full;
  for (int64_t dimension = 0; dimension < rankOf(input); ++dimension)
    full.push_back({rule.addFactor(sizeOf(input, dimension), dimension == 1 ? FactorKind::Parallel : othersKind)});
  auto factorsOf = [&](Value value) { return rankOf(value) == 1 ? TensorFactors{full[1]} : full; };
  for (Value operand : op->getOperands())
    rule.operands.push_back(factorsOf(operand));
  for (Value result : op->getResults())
    rule.results.push_back(factorsOf(result));
  return rule;
}

/// Statistics of the whole batch are taken inside, so that only channels split.
template <typename OpT>
static ShardingRule wholeBatchRule(OpT op) {
  return channelRule(op, FactorKind::Whole);
}
template <typename OpT>
static ShardingRule channelwiseRule(OpT op) {
  return channelRule(op, FactorKind::Parallel);
}
template <typename OpT>
static ShardingRule channelSumRule(OpT op) {
  return channelRule(op, FactorKind::ReduceSum);
}
static ShardingRule batchNormBackwardReduceRule(BatchNormBackwardReduceOp op) {
  ShardingRule rule = channelRule(op, FactorKind::ReduceSum);
  rule.linearOperands = {0};
  return rule;
}

namespace {
/// Dimensions before `axis` are rows that split; the others stay whole. Results without rows are sums over them.
struct RowFactors {
  ShardingRule rule;
  TensorFactors full, rows, columns;

  RowFactors(Value input, int64_t axis) {
    full = addFactors(rule, input, [&](int64_t dimension) { return dimension >= axis; });
    rows.assign(full.begin(), full.begin() + axis);
    columns.assign(full.begin() + axis, full.end());
  }
};
} // namespace

static ShardingRule layerNormRule(LayerNormOp op) {
  RowFactors f(op.getInput(), op.getAxis());
  f.rule.operands = {f.full, f.columns};
  if (op.getBias())
    f.rule.operands.push_back(f.columns);
  f.rule.results = {f.full, f.rows, f.rows};
  return f.rule;
}
static ShardingRule layerNormBackwardRule(LayerNormBackwardOp op) {
  RowFactors f(op.getInput(), op.getAxis());
  f.rule.operands = {f.full, f.full, f.columns, f.rows, f.rows};
  f.rule.results = {f.full, f.columns, f.columns};
  f.rule.linearOperands = {0};
  return f.rule;
}
static ShardingRule rmsNormRule(RmsNormOp op) {
  RowFactors f(op.getInput(), op.getAxis());
  f.rule.operands = {f.full, f.columns};
  f.rule.results = {f.full, f.rows};
  return f.rule;
}
static ShardingRule rmsNormBackwardRule(RmsNormBackwardOp op) {
  RowFactors f(op.getInput(), op.getAxis());
  f.rule.operands = {f.full, f.full, f.columns, f.rows};
  f.rule.results = {f.full, f.columns};
  f.rule.linearOperands = {0};
  return f.rule;
}

/// Softmax and its like: all dimensions but `axis`.
template <typename OpT>
static ShardingRule alongAxisRule(OpT op) {
  ShardingRule rule;
  TensorFactors full = addFactors(rule, op.getResult(),
                                  [&](int64_t dimension) { return dimension == static_cast<int64_t>(op.getAxis()); });
  rule.operands.assign(op->getNumOperands(), full);
  rule.results = {full};
  if (op->getNumOperands() > 1) // the backward ops are linear in the cotangent
    rule.linearOperands = {0};
  return rule;
}

template <typename OpT>
static ShardingRule elementwise(OpT op) {
  return elementwiseShardingRule(op);
}
static ShardingRule geluBackwardRule(GeluBackwardOp op) {
  ShardingRule rule = elementwiseShardingRule(op);
  rule.linearOperands = {0};
  return rule;
}

void registerNormalizationRules(MLIRContext *context) {
  attach<BatchNormTrainingOp, wholeBatchRule<BatchNormTrainingOp>>(context);
  attach<BatchNormBackwardOp, wholeBatchRule<BatchNormBackwardOp>>(context);
  attach<BatchNormOp, channelwiseRule<BatchNormOp>>(context);
  attach<BatchNormBackwardApplyOp, channelwiseRule<BatchNormBackwardApplyOp>>(context);
  attach<CenteredSquareSumOp, channelSumRule<CenteredSquareSumOp>>(context);
  attach<BatchNormBackwardReduceOp, batchNormBackwardReduceRule>(context);
  attach<LayerNormOp, layerNormRule>(context);
  attach<LayerNormBackwardOp, layerNormBackwardRule>(context);
  attach<RmsNormOp, rmsNormRule>(context);
  attach<RmsNormBackwardOp, rmsNormBackwardRule>(context);
  attach<SoftmaxOp, alongAxisRule<SoftmaxOp>>(context);
  attach<SoftmaxBackwardOp, alongAxisRule<SoftmaxBackwardOp>>(context);
  attach<LogSoftmaxOp, alongAxisRule<LogSoftmaxOp>>(context);
  attach<LogSoftmaxBackwardOp, alongAxisRule<LogSoftmaxBackwardOp>>(context);
  attach<GeluOp, elementwise<GeluOp>>(context);
  attach<SigmoidOp, elementwise<SigmoidOp>>(context);
  attach<GeluBackwardOp, geluBackwardRule>(context);
}

} // namespace tw::sharding
