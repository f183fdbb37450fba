// Cost of attention: its matrix products over all pairs of query and key that see each other, and the softmax.
#include "compiler/Cost/Costs.h"

#include "compiler/Dialect/Graph/Graph.h"

using namespace mlir;
using namespace tw::graph;

namespace tw::cost {

/// How many keys the queries see, of all s t pairs: all, or those within the window and not above the diagonal.
template <typename Op>
static int64_t visiblePairs(Op op, int64_t queries, int64_t keys) {
  int64_t window = op.getWindow(), pairs = 0;
  if (!op.getCausal() && window == 0)
    return product({queries, keys});
  for (int64_t i = 0; i < queries; ++i) {
    int64_t first = window ? std::max<int64_t>(0, i - window + 1) : 0;
    int64_t last = op.getCausal() ? i + 1 : window ? std::min(keys, i + window) : keys;
    pairs += std::max<int64_t>(0, std::min(keys, last) - first);
  }
  return pairs;
}

/// b h (pairs of a query and a key it sees) (2 (queryProducts d + valueProducts e) + softmax).
template <typename Op>
static int64_t attentionFlopsOf(Op op, int64_t queryProducts, int64_t valueProducts, int64_t softmax) {
  ArrayRef<int64_t> query = cast<RankedTensorType>(op.getQuery().getType()).getShape();
  ArrayRef<int64_t> value = cast<RankedTensorType>(op.getValue().getType()).getShape();
  int64_t pairs = product({query[0], query[1], visiblePairs(op, query[2], value[2])});
  return product({pairs, 2 * (queryProducts * query[3] + valueProducts * value[3]) + softmax});
}

/// q k^T and p v.
static int64_t attentionFlops(AttentionOp op) {
  return attentionFlopsOf(op, 1, 1, 4);
}
/// q k^T again, ds k and ds^T q; p^T dy and dy v^T.
static int64_t attentionBackwardFlops(AttentionBackwardOp op) {
  return attentionFlopsOf(op, 3, 2, 4);
}

void registerAttentionCosts(MLIRContext *context) {
  attach<AttentionOp, attentionFlops>(context);
  attach<AttentionBackwardOp, attentionBackwardFlops>(context);
}

} // namespace tw::cost
