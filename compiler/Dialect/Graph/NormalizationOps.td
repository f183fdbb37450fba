// Normalisation, softmax and activations that upstream's elementwise dialects lack.
#ifndef TW_GRAPH_NORMALIZATION
#define TW_GRAPH_NORMALIZATION
include "compiler/Dialect/Graph/GraphBase.td"

def Graph_BatchNormTrainingOp : Graph_PureOp<"batch_norm_training"> {
  let summary = "batch normalisation by the batch's own statistics";
  let description = [{
    Over all dimensions but 1 (the channels): mean, variance (biased), result = (input - mean) / sqrt(variance +
    epsilon) * scale + bias. Mean and variance carry no gradient. Decomposed before partitioning, so that a split
    batch has the statistics of the whole.

    Constraints:
    - (C1) input rank >= 2; scale, bias, mean and variance are [channels]; result has the input's type.
  }];
  let arguments = (ins Graph_FloatTensor:$input, Graph_FloatTensor:$scale, Graph_FloatTensor:$bias, F64Attr:$epsilon);
  let results = (outs Graph_FloatTensor:$result, Graph_FloatTensor:$mean, Graph_FloatTensor:$variance);
}
def Graph_BatchNormBackwardOp : Graph_PureOp<"batch_norm_backward"> {
  let summary = "cotangents of batch_norm_training's input, scale and bias";
  let description = [{
    With x^ = (input - mean) r, r = 1/sqrt(variance + epsilon), N elements a channel:
    d_bias = sum dy, d_scale = sum dy x^, d_input = scale r (dy - d_bias / N - x^ d_scale / N).

    Constraints: (C1) types as in batch_norm_training.
  }];
  let arguments = (ins Graph_FloatTensor:$cotangent, Graph_FloatTensor:$input, Graph_FloatTensor:$scale,
      Graph_FloatTensor:$mean, Graph_FloatTensor:$variance, F64Attr:$epsilon);
  let results = (outs Graph_FloatTensor:$d_input, Graph_FloatTensor:$d_scale, Graph_FloatTensor:$d_bias);
}
def Graph_CenteredSquareSumOp : Graph_PureOp<"centered_square_sum"> {
  let summary = "sum over all dimensions but 1 of (input - mean)^2";
  let description = [{ Constraints: (C1) input rank >= 2; mean and result are [channels]. }];
  let arguments = (ins Graph_FloatTensor:$input, Graph_FloatTensor:$mean);
  let results = (outs Graph_FloatTensor:$result);
}
def Graph_BatchNormOp : Graph_PureOp<"batch_norm"> {
  let summary = "normalisation by given statistics, channel by channel";
  let description = [{
    result = (input - mean) / sqrt(variance + epsilon) * scale + bias; inference's batch normalisation.

    Constraints: (C1) input rank >= 2; the other operands are [channels]; result has the input's type.
  }];
  let arguments = (ins Graph_FloatTensor:$input, Graph_FloatTensor:$scale, Graph_FloatTensor:$bias,
      Graph_FloatTensor:$mean, Graph_FloatTensor:$variance, F64Attr:$epsilon);
  let results = (outs Graph_FloatTensor:$result);
}
def Graph_BatchNormBackwardReduceOp : Graph_PureOp<"batch_norm_backward_reduce"> {
  let summary = "the sums of batch_norm_backward: d_scale and d_bias";
  let description = [{ Constraints: (C1) types as in batch_norm_backward. }];
  let arguments = (ins Graph_FloatTensor:$cotangent, Graph_FloatTensor:$input, Graph_FloatTensor:$mean,
      Graph_FloatTensor:$variance, F64Attr:$epsilon);
  let results = (outs Graph_FloatTensor:$d_scale, Graph_FloatTensor:$d_bias);
}
def Graph_BatchNormBackwardApplyOp : Graph_PureOp<"batch_norm_backward_apply"> {
  let summary = "the elementwise part of batch_norm_backward: d_input";
  let description = [{
    `count` is N of the whole batch, however it is split.

    Constraints: (C1) types as in batch_norm_backward; count > 0.
  }];
  let arguments = (ins Graph_FloatTensor:$cotangent, Graph_FloatTensor:$input, Graph_FloatTensor:$scale,
      Graph_FloatTensor:$mean, Graph_FloatTensor:$variance, Graph_FloatTensor:$d_scale, Graph_FloatTensor:$d_bias,
      F64Attr:$epsilon, I64Attr:$count);
  let results = (outs Graph_FloatTensor:$d_input);
}

def Graph_LayerNormOp : Graph_PureOp<"layer_norm"> {
  let summary = "layer normalisation over the dimensions from `axis` on";
  let description = [{
    Rows are the dimensions before `axis`. mean and inverse_deviation = 1/sqrt(variance + epsilon) are shaped as the
    rows. result = (input - mean) * inverse_deviation * scale + bias.

    Constraints:
    - (C1) 0 < axis < rank; scale and bias (optional) have the shape of the dimensions from axis on.
    - (C2) result has the input's type; mean and inverse_deviation the rows' shape.
  }];
  let arguments = (ins Graph_FloatTensor:$input, Graph_FloatTensor:$scale, Optional<Graph_FloatTensor>:$bias,
      I64Attr:$axis, F64Attr:$epsilon);
  let results = (outs Graph_FloatTensor:$result, Graph_FloatTensor:$mean, Graph_FloatTensor:$inverse_deviation);
}
def Graph_LayerNormBackwardOp : Graph_PureOp<"layer_norm_backward"> {
  let summary = "cotangents of layer_norm's input, scale and bias";
  let description = [{
    With x^ = (x - mean) r and g = dy scale: d_input = r (g - mean(g) - x^ mean(g x^)); d_scale = sum dy x^ and
    d_bias = sum dy over rows.

    Constraints: (C1) types as in layer_norm.
  }];
  let arguments = (ins Graph_FloatTensor:$cotangent, Graph_FloatTensor:$input, Graph_FloatTensor:$scale,
      Graph_FloatTensor:$mean, Graph_FloatTensor:$inverse_deviation, I64Attr:$axis);
  let results = (outs Graph_FloatTensor:$d_input, Graph_FloatTensor:$d_scale, Graph_FloatTensor:$d_bias);
}
def Graph_RmsNormOp : Graph_PureOp<"rms_norm"> {
  let summary = "root-mean-square normalisation over the dimensions from `axis` on";
  let description = [{
    result = input * inverse_rms * scale, inverse_rms = 1/sqrt(mean(input^2) + epsilon).

    Constraints: (C1), (C2) of layer_norm, without mean and bias.
  }];
  let arguments = (ins Graph_FloatTensor:$input, Graph_FloatTensor:$scale, I64Attr:$axis, F64Attr:$epsilon);
  let results = (outs Graph_FloatTensor:$result, Graph_FloatTensor:$inverse_rms);
}
def Graph_RmsNormBackwardOp : Graph_PureOp<"rms_norm_backward"> {
  let summary = "cotangents of rms_norm's input and scale";
  let description = [{
    With x^ = x r and g = dy scale: d_input = r (g - x^ mean(g x^)), d_scale = sum over rows of dy x^.

    Constraints: (C1) types as in rms_norm.
  }];
  let arguments = (ins Graph_FloatTensor:$cotangent, Graph_FloatTensor:$input, Graph_FloatTensor:$scale,
      Graph_FloatTensor:$inverse_rms, I64Attr:$axis);
  let results = (outs Graph_FloatTensor:$d_input, Graph_FloatTensor:$d_scale);
}

class Graph_SoftmaxBase<string mnemonic> : Graph_PureOp<mnemonic>;
def Graph_SoftmaxOp : Graph_SoftmaxBase<"softmax"> {
  let summary = "softmax along one axis; a row of minus infinities gives zeros";
  let description = [{ Constraints: (C1) 0 <= axis < rank; result has the input's type. }];
  let arguments = (ins Graph_FloatTensor:$input, I64Attr:$axis);
  let results = (outs Graph_FloatTensor:$result);
}
def Graph_SoftmaxBackwardOp : Graph_SoftmaxBase<"softmax_backward"> {
  let summary = "y * (dy - sum(dy * y)), y being softmax's result";
  let description = [{ Constraints: (C1) all types are equal; axis as in softmax. }];
  let arguments = (ins Graph_FloatTensor:$cotangent, Graph_FloatTensor:$softmax, I64Attr:$axis);
  let results = (outs Graph_FloatTensor:$result);
}
def Graph_LogSoftmaxOp : Graph_SoftmaxBase<"log_softmax"> {
  let summary = "logarithm of softmax along one axis";
  let description = [{ Constraints: (C1) 0 <= axis < rank; result has the input's type. }];
  let arguments = (ins Graph_FloatTensor:$input, I64Attr:$axis);
  let results = (outs Graph_FloatTensor:$result);
}
def Graph_LogSoftmaxBackwardOp : Graph_SoftmaxBase<"log_softmax_backward"> {
  let summary = "dy - exp(y) * sum(dy), y being log_softmax's result";
  let description = [{ Constraints: (C1) all types are equal; axis as in log_softmax. }];
  let arguments = (ins Graph_FloatTensor:$cotangent, Graph_FloatTensor:$log_softmax, I64Attr:$axis);
  let results = (outs Graph_FloatTensor:$result);
}

def Graph_GeluOp : Graph_PureOp<"gelu", [SameOperandsAndResultType]> {
  let summary = "Gaussian error linear unit";
  let description = [{
    x/2 (1 + erf(x / sqrt 2)); with `tanh`: x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))). Elementwise: lowered to
    `arith` and `math` before fusion.
  }];
  let arguments = (ins Graph_FloatTensor:$input, UnitAttr:$tanh);
  let results = (outs Graph_FloatTensor:$result);
  let hasVerifier = 0;
}
def Graph_GeluBackwardOp : Graph_PureOp<"gelu_backward", [SameOperandsAndResultType]> {
  let summary = "cotangent * gelu'(input)";
  let description = [{ Elementwise: lowered to `arith` and `math` before fusion. }];
  let arguments = (ins Graph_FloatTensor:$cotangent, Graph_FloatTensor:$input, UnitAttr:$tanh);
  let results = (outs Graph_FloatTensor:$result);
  let hasVerifier = 0;
}
def Graph_SigmoidOp : Graph_PureOp<"sigmoid", [SameOperandsAndResultType]> {
  let summary = "1 / (1 + exp(-x)), with the derivative y (1 - y) that never overflows";
  let description = [{ Elementwise: lowered to `arith` and `math` before fusion. }];
  let arguments = (ins Graph_FloatTensor:$input);
  let results = (outs Graph_FloatTensor:$result);
  let hasVerifier = 0;
}
#endif
