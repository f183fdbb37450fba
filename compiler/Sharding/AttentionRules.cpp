// Sharding rules of attention: batch and heads split, sequences stay whole.
#include "compiler/Sharding/Rules.h"

#include "compiler/Dialect/Graph/Graph.h"

using namespace mlir;
using namespace tw::graph;

namespace tw::sharding {

namespace {
/// Query heads are (key/value heads) x (queries that share one). Dropout counts heads from the first of all, so that
/// with it they stay together.
struct AttentionFactors {
  ShardingRule rule;
  unsigned batch, keyHeads, sharing;

  template <typename Op>
  explicit AttentionFactors(Op op) {
    FactorKind heads = op.getRandom().empty() ? FactorKind::Parallel : FactorKind::Whole;
    batch = rule.addFactor(sizeOf(op.getQuery(), 0));
    keyHeads = rule.addFactor(sizeOf(op.getKey(), 1), heads);
    sharing = rule.addFactor(sizeOf(op.getQuery(), 1) / sizeOf(op.getKey(), 1), heads);
  }
  TensorFactors query() const { return {{batch}, {keyHeads, sharing}, {}, {}}; }
  TensorFactors key() const { return {{batch}, {keyHeads}, {}, {}}; }
  TensorFactors rows() const { return {{batch}, {keyHeads, sharing}, {}}; }
  /// The bias may have size 1 where it is shared.
  TensorFactors bias(Value bias) const {
    TensorFactors factors = query();
    for (int64_t dimension : {0, 1})
      if (sizeOf(bias, dimension) == 1)
        factors[dimension].clear();
    return factors;
  }
  /// Bias and random operands, which come last.
  template <typename Op>
  void addExtras(Op op) {
    if (op.getBias())
      rule.operands.push_back(bias(op.getBias()));
    if (!op.getRandom().empty())
      rule.firstRowOperand = op->getNumOperands() - 1;
    rule.operands.resize(op->getNumOperands());
  }
};
} // namespace

static ShardingRule attentionRule(AttentionOp op) {
  AttentionFactors f(op);
  f.rule.operands = {f.query(), f.key(), f.key()};
  f.addExtras(op);
  f.rule.results = {f.query(), f.rows()};
  return f.rule;
}

static ShardingRule attentionBackwardRule(AttentionBackwardOp op) {
  AttentionFactors f(op);
  f.rule.operands = {f.query(), f.query(), f.key(), f.key(), f.query(), f.rows()};
  f.addExtras(op);
  f.rule.results = {f.query(), f.key(), f.key()};
  for (Value dBias : op.getDBias())
    f.rule.results.push_back(f.bias(dBias));
  return f.rule;
}

void registerAttentionRules(MLIRContext *context) {
  attach<AttentionOp, attentionRule>(context);
  attach<AttentionBackwardOp, attentionBackwardRule>(context);
}

} // namespace tw::sharding
