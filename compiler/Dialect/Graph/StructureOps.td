// Ops that move elements without computing: structure and indexing; and reductions.
#ifndef TW_GRAPH_STRUCTURE
#define TW_GRAPH_STRUCTURE
include "compiler/Dialect/Graph/GraphBase.td"

def Graph_ReshapeOp : Graph_PureOp<"reshape"> {
  let summary = "the same elements in row-major order under another shape";
  let description = [{ Constraints: (C1) equal element types and numbers of elements. }];
  let arguments = (ins Graph_Tensor:$input);
  let results = (outs Graph_Tensor:$result);
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}
def Graph_TransposeOp : Graph_PureOp<"transpose"> {
  let summary = "result dimension i is input dimension permutation[i]";
  let description = [{ Constraints: (C1) permutation is one of the input's dimensions; result shape follows. }];
  let arguments = (ins Graph_Tensor:$input, DenseI64ArrayAttr:$permutation);
  let results = (outs Graph_Tensor:$result);
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}
def Graph_BroadcastOp : Graph_PureOp<"broadcast"> {
  let summary = "repeats the input along new or size-one dimensions";
  let description = [{
    Input dimension i is result dimension dimensions[i].

    Constraints:
    - (C1) dimensions ascend, one for each input dimension, below the result's rank.
    - (C2) input dimension i has size 1 or that of result dimension dimensions[i].
  }];
  let arguments = (ins Graph_Tensor:$input, DenseI64ArrayAttr:$dimensions);
  let results = (outs Graph_Tensor:$result);
  let hasFolder = 1;
}
def Graph_SliceOp : Graph_PureOp<"slice"> {
  let summary = "result[i] = input[starts + i * strides], the result's shape saying how many";
  let description = [{
    Constraints:
    - (C1) starts and strides have one entry a dimension; strides are not 0 (negative ones walk backwards).
    - (C2) the first and last element of each dimension lie inside the input.
  }];
  let arguments = (ins Graph_Tensor:$input, DenseI64ArrayAttr:$starts, DenseI64ArrayAttr:$strides);
  let results = (outs Graph_Tensor:$result);
  let hasFolder = 1;
}
def Graph_PadOp : Graph_PureOp<"pad"> {
  let summary = "puts `value` around and between elements";
  let description = [{
    low, high and interior (between neighbours) count elements for each dimension; the adjoint of slice.

    Constraints: (C1) one entry a dimension, not negative; size = low + (n - 1) * (interior + 1) + 1 + high for n > 0.
  }];
  let arguments = (ins Graph_Tensor:$input, DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high, DenseI64ArrayAttr:$interior,
      F64Attr:$value);
  let results = (outs Graph_Tensor:$result);
}
def Graph_ConcatOp : Graph_PureOp<"concat"> {
  let summary = "operands one after another along `axis`";
  let description = [{ Constraints: (C1) at least one operand; types agree but for the size at axis, which adds up. }];
  let arguments = (ins Variadic<Graph_Tensor>:$inputs, I64Attr:$axis);
  let results = (outs Graph_Tensor:$result);
}
def Graph_GatherOp : Graph_PureOp<"gather"> {
  let summary = "slices of the input along `axis`, picked by indices";
  let description = [{
    As ONNX's Gather: result = input.shape[:axis] + indices.shape + input.shape[axis+1:]. A negative index counts from
    the end; any other outside of the axis is an error.

    Constraints: (C1) 0 <= axis < rank; result shape as above.
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_IntTensor:$indices, I64Attr:$axis);
  let results = (outs Graph_Tensor:$result);
}
def Graph_ScatterAddOp : Graph_PureOp<"scatter_add"> {
  let summary = "the adjoint of gather: adds updates into zeros";
  let description = [{ Constraints: (C1) gather of the result's type with these indices has the updates' type. }];
  let arguments = (ins Graph_FloatTensor:$updates, Graph_IntTensor:$indices, I64Attr:$axis);
  let results = (outs Graph_FloatTensor:$result);
}

def Graph_ReductionSum : I32EnumAttrCase<"Sum", 1, "sum">;
def Graph_ReductionMax : I32EnumAttrCase<"Max", 2, "max">;
def Graph_ReductionMin : I32EnumAttrCase<"Min", 3, "min">;
def Graph_ReductionProd : I32EnumAttrCase<"Prod", 4, "prod">;
def Graph_Reduction : I32EnumAttr<"Reduction", "how elements combine",
    [Graph_ReductionSum, Graph_ReductionMax, Graph_ReductionMin, Graph_ReductionProd]> {
  let cppNamespace = "::tw::graph";
  let genSpecializedAttr = 0;
}
def Graph_ReductionAttr : EnumAttr<Graph_Dialect, Graph_Reduction, "reduction"> {
  let assemblyFormat = "`<` $value `>`";
}
def Graph_ReduceOp : Graph_PureOp<"reduce"> {
  let summary = "combines elements over dimensions, which disappear";
  let description = [{
    A mean is a sum times a constant.

    Constraints: (C1) dimensions ascend, without repeats, below the rank; the result has the other dimensions.
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_ReductionAttr:$kind, DenseI64ArrayAttr:$dimensions);
  let results = (outs Graph_Tensor:$result);
}
#endif
