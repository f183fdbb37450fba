// Scaled dot-product attention.
#ifndef TW_GRAPH_ATTENTION
#define TW_GRAPH_ATTENTION
include "compiler/Dialect/Graph/GraphBase.td"

def Graph_AttentionOp : Graph_PureOp<"attention"> {
  let summary = "softmax(scale q k^T + bias) v";
  let description = [{
    query [b, h, s, d], key [b, g, t, d], value [b, g, t, e]: query head i uses key/value head i / (h / g). `bias`
    (optional) is added to the scores and carries no gradient: [b or 1, h or 1, s or 1, t]. With `causal`, query i
    sees keys j <= i (upper left alignment). A row that sees no key gives zeros. `logsumexp` [b, h, s] is the
    logarithm of the softmax's denominator, kept for the backward op; no s x t tensor needs to exist.

    Constraints:
    - (C1) ranks are 4, and sizes agree as above; g divides h.
    - (C2) result is [b, h, s, e], logsumexp [b, h, s].
  }];
  let arguments = (ins Graph_FloatTensor:$query, Graph_FloatTensor:$key, Graph_FloatTensor:$value,
      Optional<Graph_FloatTensor>:$bias, F64Attr:$scale, UnitAttr:$causal);
  let results = (outs Graph_FloatTensor:$result, Graph_FloatTensor:$logsumexp);
}
def Graph_AttentionBackwardOp : Graph_PureOp<"attention_backward"> {
  let summary = "cotangents of attention's query, key and value";
  let description = [{
    With p = exp(scale q k^T + bias - logsumexp), delta = rowsum(dy * y): d_value = p^T dy, ds = p * (dy v^T - delta),
    d_query = scale ds k, d_key = scale ds^T q; heads that share a key sum.

    Constraints: (C1) types as in attention.
  }];
  let arguments = (ins Graph_FloatTensor:$cotangent, Graph_FloatTensor:$query, Graph_FloatTensor:$key,
      Graph_FloatTensor:$value, Graph_FloatTensor:$result, Graph_FloatTensor:$logsumexp,
      Optional<Graph_FloatTensor>:$bias, F64Attr:$scale, UnitAttr:$causal);
  let results = (outs Graph_FloatTensor:$d_query, Graph_FloatTensor:$d_key, Graph_FloatTensor:$d_value);
}
#endif
