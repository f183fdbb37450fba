// Scaled dot-product attention.
#ifndef TW_GRAPH_ATTENTION
#define TW_GRAPH_ATTENTION
include "compiler/Dialect/Graph/GraphBase.td"

// What attention and its adjoint say about the scores. `extras` are, in this order and each only if it is there: the
// bias, then the three random operands.
class Graph_AttentionOpOf<string mnemonic> : Graph_PureOp<mnemonic> {
  dag extras = (ins Variadic<Graph_Tensor>:$extras, F64Attr:$scale, UnitAttr:$causal,
      DefaultValuedAttr<I64Attr, "0">:$window, DefaultValuedAttr<F64Attr, "::llvm::APFloat(0.0)">:$dropout,
      DefaultValuedAttr<I64Attr, "0">:$id);
  code extrasDeclaration = [{
    /// Null if there is none.
    ::mlir::Value getBias() { return getExtras().size() % 3 == 1 ? getExtras().front() : ::mlir::Value(); }
    /// Seed, step and row; empty without dropout.
    ::mlir::OperandRange getRandom() { return getExtras().drop_front(getExtras().size() % 3); }
    /// Null takes the bias away.
    void setBias(::mlir::Value bias) {
      ::llvm::SmallVector<::mlir::Value> values(getRandom());
      if (bias)
        values.insert(values.begin(), bias);
      getExtrasMutable().assign(values);
    }
  }];
}

def Graph_AttentionOp : Graph_AttentionOpOf<"attention"> {
  let summary = "dropout(softmax(scale q k^T + bias)) v";
  let description = [{
    query [b, h, s, d], key [b, g, t, d], value [b, g, t, e]: query head i uses key/value head i / (h / g). `extras`
    are the bias, if there is one, and seed, step and row (rank-0 i64), if there is dropout.

    The bias is [b or 1, h or 1, s or 1, t]. If it is float it is added to the scores; if it is boolean (i1), a query
    sees the keys where it is true. With `causal`, query i sees keys j <= i (upper left alignment). With a `window` w
    above 0, query i sees keys j with |i - j| < w. A row that sees no key gives zeros. `logsumexp` [b, h, s] is the
    logarithm of the softmax's denominator, kept for the backward op; no s x t tensor needs to exist. It is f32 where
    the query's element type is narrower than that.

    With `dropout` r above 0, each probability is zeroed at random and the others are divided by 1 - r, by the random
    number of graph.dropout for (seed, step, `id`, index), where the index of (i, j) of head n of sample m counts
    row-major over [all samples, h, s, t]: ((row + m) h + n) s t + i t + j.

    Constraints:
    - (C1) ranks are 4, and sizes agree as above; g divides h.
    - (C2) result is [b, h, s, e], logsumexp [b, h, s].
    - (C3) key, value and result have the query's element type; logsumexp has it too, or f32 if it is narrower.
    - (C4) window >= 0, 0 <= dropout < 1; random operands come with dropout > 0 alone.
  }];
  let arguments = !con((ins Graph_FloatTensor:$query, Graph_FloatTensor:$key, Graph_FloatTensor:$value), extras);
  let results = (outs Graph_FloatTensor:$result, Graph_FloatTensor:$logsumexp);
  let extraClassDeclaration = extrasDeclaration # [{
    /// Leaves the bias alone: what attention is where nothing is trained.
    void removeDropout();
  }];
}
def Graph_AttentionBackwardOp : Graph_AttentionOpOf<"attention_backward"> {
  let summary = "cotangents of attention's query, key, value and bias";
  let description = [{
    With p = exp(scale q k^T + bias - logsumexp), m the dropout's factors (0 or 1 / (1 - r); 1 without dropout) and
    delta = rowsum(dy * y): d_value = (m p)^T dy, ds = p * (m (dy v^T) - delta), d_query = scale ds k,
    d_key = scale ds^T q; heads that share a key sum. `d_bias` (at most one) is ds summed over the dimensions that the
    bias has as 1.

    Constraints:
    - (C1) sizes and types as in attention; those of the cotangents as what they belong to.
    - (C2) d_bias comes with a float bias alone.
    - (C3), (C4) as in attention.
  }];
  let arguments = !con((ins Graph_FloatTensor:$cotangent, Graph_FloatTensor:$query, Graph_FloatTensor:$key,
      Graph_FloatTensor:$value, Graph_FloatTensor:$result, Graph_FloatTensor:$logsumexp), extras);
  let results = (outs Graph_FloatTensor:$d_query, Graph_FloatTensor:$d_key, Graph_FloatTensor:$d_value,
      Variadic<Graph_FloatTensor>:$d_bias);
  let extraClassDeclaration = extrasDeclaration;
}
#endif
