// Ops on tensors: the form between kernel selection and memory planning.
#ifndef TW_PLAN_VALUE_OPS
#define TW_PLAN_VALUE_OPS
include "compiler/Dialect/Plan/PlanBase.td"

def Plan_KernelOp : Plan_Op<"kernel", [Pure]> {
  let summary = "a call of a hand-written kernel, results in memory of their own";
  let description = [{
    `call_attributes` are those of the call (kernels/abi/README.md says how they are passed). `in_place` lists pairs
    (result, operand) that may be the same buffer: r0, o0, r1, o1, ... `workspace` is scratch memory in bytes.
    `result_strides` (one array a result, empty: row-major) lays a result out otherwise; only kernels marked STRIDED
    allow it.

    Constraints:
    - (C1) in_place has pairs of valid result and operand numbers, whose types have equal sizes.
    - (C2) workspace is not negative.
    - (C3) result_strides, if given, has one entry a result, and an entry that is not empty one stride a dimension.

    ```mlir
    %y = plan.kernel "matmul_f32_host"(%x, %w) {transpose_rhs = 1 : i64} : (tensor<8x64xf32>, tensor<10x64xf32>) -> tensor<8x10xf32>
    ```
  }];
  let arguments = (ins StrAttr:$kernel, Variadic<Plan_Tensor>:$inputs, DictionaryAttr:$call_attributes,
      DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$in_place, DefaultValuedAttr<I64Attr, "0">:$workspace,
      OptionalAttr<ArrayAttr>:$result_strides);
  let results = (outs Variadic<Plan_Tensor>:$results);
  let assemblyFormat = [{ $kernel `(` $inputs `)` $call_attributes (`in_place` $in_place^)? (`workspace` $workspace^)?
      (`result_strides` $result_strides^)? attr-dict `:` functional-type($inputs, $results) }];
  let hasVerifier = 1;
}

def Plan_AllReduceOp : Plan_Op<"all_reduce", [Pure]> {
  let summary = "combines tensors over a group of ranks; every rank gets the results, in place";
  let description = [{
    `groups` partition the ranks; each rank takes part in the group it is in. Several operands are one transfer: memory
    planning places them side by side.

    Constraints:
    - (C1) the results have the operands' types, all of one element type.
    - (C2) reduction is "sum", "max" or "min"; groups are arrays of distinct ranks.
  }];
  let arguments = (ins Variadic<Plan_Tensor>:$inputs, StrAttr:$reduction, ArrayAttr:$groups);
  let results = (outs Variadic<Plan_Tensor>:$results);
  let assemblyFormat = "$reduction `(` $inputs `)` `groups` $groups attr-dict `:` functional-type($inputs, $results)";
  let hasVerifier = 1;
}

def Plan_RankOp : Plan_Op<"rank", [Pure]> {
  let summary = "a number that depends on the rank only: values[rank]";
  let description = [{ Becomes a constant in each rank's program. Constraints: (C1) values is not empty. }];
  let arguments = (ins DenseI64ArrayAttr:$values);
  let results = (outs TensorOf<[I64]>:$result);
  let assemblyFormat = "$values attr-dict `:` type($result)";
}

def Plan_ViewOp : Plan_Op<"view", [Pure]> {
  let summary = "another look at the same bytes";
  let description = [{
    Element (i, j, ...) of the result is element offset + i * strides[0] + j * strides[1] + ... of the memory that holds
    `input` (counted from input's first element). `input` is never the result of a view itself.

    Constraints:
    - (C1) one stride a dimension of the result; element types are equal.
    - (C2) all elements lie inside the input's memory.
    - (C3) input is not a plan.view's result.
  }];
  let arguments = (ins Plan_Tensor:$input, I64Attr:$offset, DenseI64ArrayAttr:$strides);
  let results = (outs Plan_Tensor:$result);
  let assemblyFormat = "$input `offset` $offset `strides` $strides attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def Plan_AssembleOp : Plan_Op<"assemble", [Pure]> {
  let summary = "one value out of parts that were computed in its memory";
  let description = [{
    Element (i, j, ...) of part p lies in the result's memory at offsets[p] + i * strides[p][0] + j * strides[p][1] + ...
    Nothing runs: memory planning places the parts there. Each part is the result of a plan.kernel or graph.fused and
    has no other use.

    Constraints:
    - (C1) one offset and one list of strides a part; element types are equal; parts lie inside the result.
    - (C2) each part is the result of a plan.kernel or graph.fused, and used only here.
  }];
  let arguments = (ins Variadic<Plan_Tensor>:$parts, DenseI64ArrayAttr:$offsets, ArrayAttr:$strides);
  let results = (outs Plan_Tensor:$result);
  let assemblyFormat = [{ $parts `offsets` $offsets `strides` $strides attr-dict
      `:` functional-type($parts, $result) }];
  let hasVerifier = 1;
}
#endif
