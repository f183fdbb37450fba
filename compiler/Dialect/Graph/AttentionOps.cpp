// Verifiers of attention.
#include "compiler/Dialect/Graph/Verification.h"

using namespace mlir;
using namespace tw::graph;

/// (C1) of graph.attention.
template <typename Op>
static LogicalResult verifyAttentionOperands(Op op) {
  if (failed(verifyRank(op, "C1", "query", op.getQuery(), 4)) || failed(verifyRank(op, "C1", "key", op.getKey(), 4)) ||
      failed(verifyRank(op, "C1", "value", op.getValue(), 4)))
    return failure();
  ArrayRef<int64_t> query = shapeOf(op.getQuery()), key = shapeOf(op.getKey()), value = shapeOf(op.getValue());
  if (query[0] != key[0] || query[3] != key[3] || key.take_front(3) != value.take_front(3))
    return op.emitOpError("(C1) sizes of query ")
           << toText(query) << ", key " << toText(key) << " and value " << toText(value) << " disagree";
  if (key[1] < 1 || query[1] % key[1] != 0)
    return op.emitOpError("(C1) ") << key[1] << " key heads do not divide " << query[1] << " query heads";
  if (!op.getBias())
    return success();
  if (failed(verifyRank(op, "C1", "bias", op.getBias(), 4)))
    return failure();
  ArrayRef<int64_t> bias = shapeOf(op.getBias());
  int64_t full[] = {query[0], query[1], query[2], key[2]};
  for (int i = 0; i < 4; ++i)
    if (bias[i] != full[i] && (i == 3 || bias[i] != 1))
      return op.emitOpError("(C1) bias has shape ") << toText(bias) << ", expected that of the scores, " << toText(full)
                                                    << ", or 1 in place of all but the last";
  return success();
}

LogicalResult AttentionOp::verify() {
  if (failed(verifyAttentionOperands(*this)))
    return failure();
  SmallVector<int64_t> expected(shapeOf(getQuery()));
  expected[3] = shapeOf(getValue())[3];
  return success(succeeded(verifyType(*this, "C2", "result", getResult(), typeOf(getQuery()).clone(expected))) &&
                 succeeded(verifyShape(*this, "C2", "logsumexp", getLogsumexp(), shapeOf(getQuery()).take_front(3))));
}

LogicalResult AttentionBackwardOp::verify() {
  if (failed(verifyAttentionOperands(*this)))
    return failure();
  SmallVector<int64_t> expected(shapeOf(getQuery()));
  expected[3] = shapeOf(getValue())[3];
  RankedTensorType type = typeOf(getQuery()).clone(expected);
  return success(succeeded(verifyType(*this, "C1", "cotangent", getCotangent(), type)) &&
                 succeeded(verifyType(*this, "C1", "result", getResult(), type)) &&
                 succeeded(verifyShape(*this, "C1", "logsumexp", getLogsumexp(), shapeOf(getQuery()).take_front(3))) &&
                 succeeded(verifyType(*this, "C1", "d_query", getDQuery(), typeOf(getQuery()))) &&
                 succeeded(verifyType(*this, "C1", "d_key", getDKey(), typeOf(getKey()))) &&
                 succeeded(verifyType(*this, "C1", "d_value", getDValue(), typeOf(getValue()))));
}
