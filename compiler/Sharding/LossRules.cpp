// Sharding rules of losses and dropout.
#include "compiler/Sharding/Rules.h"

#include "compiler/Dialect/Graph/Graph.h"

using namespace mlir;
using namespace tw::graph;

namespace tw::sharding {

/// Rows split; the loss, which has none, is then a partial sum.
static ShardingRule crossEntropyRule(CrossEntropyOp op) {
  ShardingRule rule;
  int rows = rule.addFactor(sizeOf(op.getLogits(), 0));
  rule.operands = {tensor({rows, kWhole}), tensor({rows})};
  rule.results = {tensor({}), tensor({rows})};
  return rule;
}
static ShardingRule crossEntropyBackwardRule(CrossEntropyBackwardOp op) {
  ShardingRule rule;
  int rows = rule.addFactor(sizeOf(op.getLogits(), 0));
  rule.operands = {tensor({}), tensor({rows, kWhole}), tensor({rows}), tensor({rows})};
  rule.results = {tensor({rows, kWhole})};
  rule.linearOperands = {0};
  return rule;
}

/// Only rows (dimension 0) split: their global number decides which elements fall.
static ShardingRule dropoutRule(DropoutOp op) {
  ShardingRule rule;
  TensorFactors factors = addFactors(rule, op.getInput(), [](int64_t dimension) { return dimension != 0; });
  rule.operands = {factors, {}, {}, {}};
  rule.results = {factors};
  rule.linearOperands = {0};
  rule.firstRowOperand = 3;
  return rule;
}

void registerLossRules(MLIRContext *context) {
  attach<CrossEntropyOp, crossEntropyRule>(context);
  attach<CrossEntropyBackwardOp, crossEntropyBackwardRule>(context);
  attach<DropoutOp, dropoutRule>(context);
}

} // namespace tw::sharding
