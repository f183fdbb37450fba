// Cost of attention: its matrix products over all pairs of query and key (half of them when causal), and the softmax.
#include "compiler/Cost/Costs.h"

#include "compiler/Dialect/Graph/Graph.h"

using namespace mlir;
using namespace tw::graph;

namespace tw::cost {

/// b h s t (2 (queryProducts d + valueProducts e) + softmax), halved when causal.
template <typename Op>
static int64_t attentionFlopsOf(Op op, int64_t queryProducts, int64_t valueProducts, int64_t softmax) {
  ArrayRef<int64_t> query = cast<RankedTensorType>(op.getQuery().getType()).getShape();
  ArrayRef<int64_t> value = cast<RankedTensorType>(op.getValue().getType()).getShape();
  int64_t pairs = product({query[0], query[1], query[2], value[2]});
  int64_t total = product({pairs, 2 * (queryProducts * query[3] + valueProducts * value[3]) + softmax});
  return op.getCausal() ? total / 2 : total;
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
