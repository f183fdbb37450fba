// Losses that deserve an op of their own, and random numbers.
#ifndef TW_GRAPH_LOSS
#define TW_GRAPH_LOSS
include "compiler/Dialect/Graph/GraphBase.td"

def Graph_CrossEntropyOp : Graph_PureOp<"cross_entropy"> {
  let summary = "softmax cross-entropy with integer labels, summed over rows";
  let description = [{
    logits [rows, classes], labels [rows]. loss = sum over rows whose label is not ignore_index of
    logsumexp - (1 - label_smoothing) logit[label] - label_smoothing mean(logits). `logsumexp` [rows] is kept for the
    backward op (defined for ignored rows too). A label outside [0, classes) other than ignore_index is an error.

    Constraints: (C1) shapes as above; 0 <= label_smoothing < 1.
  }];
  let arguments = (ins Graph_FloatTensor:$logits, Graph_IntTensor:$labels, I64Attr:$ignore_index,
      F64Attr:$label_smoothing);
  let results = (outs Graph_FloatScalar:$loss, Graph_FloatTensor:$logsumexp);
}
def Graph_CrossEntropyBackwardOp : Graph_PureOp<"cross_entropy_backward"> {
  let summary = "the cotangent of cross_entropy's logits";
  let description = [{
    d_loss (exp(logits - logsumexp) - (1 - label_smoothing) onehot(label) - label_smoothing / classes); zero for
    ignored rows.

    Constraints: (C1) types as in cross_entropy; cotangent is the scalar d_loss.
  }];
  let arguments = (ins Graph_FloatScalar:$cotangent, Graph_FloatTensor:$logits, Graph_IntTensor:$labels,
      Graph_FloatTensor:$logsumexp, I64Attr:$ignore_index, F64Attr:$label_smoothing);
  let results = (outs Graph_FloatTensor:$result);
}
def Graph_DropoutOp : Graph_PureOp<"dropout"> {
  let summary = "zeroes elements at random and scales the others by 1 / (1 - ratio)";
  let description = [{
    The random number of an element is a function of (seed, step, id, global element index), the index counting
    row-major over the tensor of the whole batch: element e of this tensor has index row * (elements a row) + e, where
    `row` is the global index of this tensor's first row (dimension 0). Philox4x32-10 (Salmon et al., 2011) with key
    (low and high 32 bits of seed) and counter (low and high 32 bits of index / 4, id, low 32 bits of step); word
    index mod 4, u = (word >> 8) * 2^-24; kept where u >= ratio. Linear in the input: its own adjoint.

    Constraints: (C1) 0 <= ratio < 1; the result has the input's type; rank >= 1.
  }];
  let arguments = (ins Graph_FloatTensor:$input, Graph_IndexScalar:$seed, Graph_IndexScalar:$step,
      Graph_IndexScalar:$row, F64Attr:$ratio, I64Attr:$id);
  let results = (outs Graph_FloatTensor:$result);
}
#endif
