// Matrix products and convolution.
#ifndef TW_GRAPH_CONTRACTION
#define TW_GRAPH_CONTRACTION
include "compiler/Dialect/Graph/GraphBase.td"

def Graph_MatMulOp : Graph_PureOp<"matmul"> {
  let summary = "batched matrix product, optionally plus an initial value";
  let description = [{
    result[b..., m, n] = init + sum over k of lhs[b..., m, k] * rhs[b..., k, n]. `transpose_lhs` says that lhs is laid
    out [b..., k, m], `transpose_rhs` that rhs is [b..., n, k].

    Constraints:
    - (C1) lhs and rhs have equal rank >= 2 and equal batch dimensions.
    - (C2) their contracting sizes agree; the result is [b..., m, n]; all element types are equal.
    - (C3) init, if given, has the result's type or is [n].

    ```mlir
    %y = graph.matmul %x, %w {transpose_rhs} : (tensor<8x64xf32>, tensor<10x64xf32>) -> tensor<8x10xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$lhs, Graph_FloatTensor:$rhs, Optional<Graph_FloatTensor>:$init,
      UnitAttr:$transpose_lhs, UnitAttr:$transpose_rhs);
  let results = (outs Graph_FloatTensor:$result);
}

class Graph_ConvolutionBase<string mnemonic> : Graph_PureOp<mnemonic> {
  dag windowAttributes = (ins DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$dilations,
      I64Attr:$groups);
}

def Graph_ConvolutionOp : Graph_ConvolutionBase<"convolution"> {
  let summary = "cross-correlation over 1 to 3 spatial dimensions";
  let description = [{
    Input [n, c, spatial...], filter [m, c / groups, window...], bias [m], result [n, m, spatial...], as ONNX's Conv.
    `pads` holds the begins, then the ends.

    Constraints:
    - (C1) element types agree; ranks agree and are 3 to 5; attribute lengths fit the number of spatial dimensions.
    - (C2) groups divides c and m; channels agree; strides and dilations are positive, pads not negative.
    - (C3) spatial sizes: (in + begin + end - dilation * (window - 1) - 1) / stride + 1, positive.
  }];
  let arguments = !con((ins Graph_FloatTensor:$input, Graph_FloatTensor:$filter, Optional<Graph_FloatTensor>:$bias),
      windowAttributes);
  let results = (outs Graph_FloatTensor:$result);
}
def Graph_ConvolutionBackwardInputOp : Graph_ConvolutionBase<"convolution_backward_input"> {
  let summary = "the cotangent of a convolution's input";
  let description = [{
    Also what ONNX's ConvTranspose computes.

    Constraints: (C1) to (C3) of graph.convolution hold for (result, filter) -> cotangent.
  }];
  let arguments = !con((ins Graph_FloatTensor:$cotangent, Graph_FloatTensor:$filter), windowAttributes);
  let results = (outs Graph_FloatTensor:$result);
}
def Graph_ConvolutionBackwardFilterOp : Graph_ConvolutionBase<"convolution_backward_filter"> {
  let summary = "the cotangent of a convolution's filter";
  let description = [{
    Constraints: (C1) to (C3) of graph.convolution hold for (input, result) -> cotangent.
  }];
  let arguments = !con((ins Graph_FloatTensor:$cotangent, Graph_FloatTensor:$input), windowAttributes);
  let results = (outs Graph_FloatTensor:$result);
}

class Graph_PoolBase<string mnemonic> : Graph_PureOp<mnemonic> {
  dag windowAttributes = (ins DenseI64ArrayAttr:$window, DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads,
      DenseI64ArrayAttr:$dilations);
}
def Graph_MaxPoolOp : Graph_PoolBase<"max_pool"> {
  let summary = "maximum over windows";
  let description = [{
    Input [n, c, spatial...]; padding counts as minus infinity. A window that lies partly beyond the padded input (as
    ceil_mode makes) is clipped; `pads` of the importer are large enough to say so.

    Constraints:
    - (C1) rank 3 to 5; attribute lengths and values fit, one element type; every window touches an element.
    - (C2) spatial sizes as for convolution.
  }];
  let arguments = !con((ins Graph_FloatTensor:$input), windowAttributes);
  let results = (outs Graph_FloatTensor:$result);
}
def Graph_MaxPoolBackwardOp : Graph_PoolBase<"max_pool_backward"> {
  let summary = "the cotangent of max_pool's input: goes to the first maximum of each window in row-major order";
  let description = [{ Constraints: (C1) cotangent has the type of max_pool's result, input and result its input's. }];
  let arguments = !con((ins Graph_FloatTensor:$cotangent, Graph_FloatTensor:$input), windowAttributes);
  let results = (outs Graph_FloatTensor:$result);
}
def Graph_AveragePoolOp : Graph_PoolBase<"average_pool"> {
  let summary = "mean over windows";
  let description = [{
    `count_include_pad` divides by the window's size, otherwise by the number of elements inside the input.

    Constraints: (C1), (C2) of graph.max_pool.
  }];
  let arguments = !con((ins Graph_FloatTensor:$input), windowAttributes, (ins UnitAttr:$count_include_pad));
  let results = (outs Graph_FloatTensor:$result);
}
def Graph_AveragePoolBackwardOp : Graph_PoolBase<"average_pool_backward"> {
  let summary = "the cotangent of average_pool's input";
  let description = [{ Constraints: (C1) average_pool of the result's type gives the cotangent's type. }];
  let arguments = !con((ins Graph_FloatTensor:$cotangent), windowAttributes, (ins UnitAttr:$count_include_pad));
  let results = (outs Graph_FloatTensor:$result);
}
#endif
