// Sharding rules of attention: batch and heads split, sequences stay whole.
#include "compiler/Sharding/Rules.h"

#include "compiler/Dialect/Graph/Graph.h"

using namespace mlir;
using namespace tw::graph;

namespace tw::sharding {

namespace {
/// Query heads are (key/value heads) x (queries that share one).
struct AttentionFactors {
  ShardingRule rule;
  unsigned batch, keyHeads, sharing;

  AttentionFactors(Value query, Value key) {
    batch = rule.addFactor(sizeOf(query, 0));
    keyHeads = rule.addFactor(sizeOf(key, 1));
    sharing = rule.addFactor(sizeOf(query, 1) / sizeOf(key, 1));
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
};
} // namespace

static ShardingRule attentionRule(AttentionOp op) {
  AttentionFactors f(op.getQuery(), op.getKey());
  f.rule.operands = {f.query(), f.key(), f.key()};
  if (op.getBias())
    f.rule.operands.push_back(f.bias(op.getBias()));
  f.rule.results = {f.query(), f.rows()};
  return f.rule;
}

static ShardingRule attentionBackwardRule(AttentionBackwardOp op) {
  AttentionFactors f(op.getQuery(), op.getKey());
  f.rule.operands = {f.query(), f.query(), f.key(), f.key(), f.query(), f.rows()};
  if (op.getBias())
    f.rule.operands.push_back(f.bias(op.getBias()));
  f.rule.results = {f.query(), f.key(), f.key()};
  return f.rule;
}

void registerAttentionRules(MLIRContext *context) {
  attach<AttentionOp, attentionRule>(context);
  attach<AttentionBackwardOp, attentionBackwardRule>(context);
}

} // namespace tw::sharding
