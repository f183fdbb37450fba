// State across steps, and the loop over micro-batches.
#ifndef TW_GRAPH_STATE
#define TW_GRAPH_STATE
include "compiler/Dialect/Graph/GraphBase.td"

def Graph_RoleTrainable : I32EnumAttrCase<"Trainable", 1, "trainable">;
def Graph_RoleFrozen : I32EnumAttrCase<"Frozen", 2, "frozen">;
def Graph_RoleBuffer : I32EnumAttrCase<"Buffer", 3, "buffer">;
def Graph_RoleOptimizer : I32EnumAttrCase<"Optimizer", 4, "optimizer">;
def Graph_RoleCounter : I32EnumAttrCase<"Counter", 5, "counter">;
def Graph_Role : I32EnumAttr<"Role", "what a parameter is for",
    [Graph_RoleTrainable, Graph_RoleFrozen, Graph_RoleBuffer, Graph_RoleOptimizer, Graph_RoleCounter]> {
  let cppNamespace = "::tw::graph";
  let genSpecializedAttr = 0;
}
def Graph_RoleAttr : EnumAttr<Graph_Dialect, Graph_Role, "role"> {
  let assemblyFormat = "`<` $value `>`";
}

def Graph_ParameterOp : Graph_Op<"parameter", [Symbol, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a named tensor that lives across steps";
  let description = [{
    Declares state at module level: a weight, a buffer (running statistics), optimizer state or a counter. Its first
    value comes from one of: `file` with `offset` and `length` (bytes, little endian, row-major; mapped, never copied
    into the IR), `value` (small, mostly for tests), `fill` (every element), `copy_of` (another parameter's first
    value). With none of them the value is absent: good enough for planning.
    `onnx_name` is the initializer it came from when the symbol differs.

    Constraints:
    - (C1) `type` is a ranked tensor of static shape.
    - (C2) at most one source is given; `offset` and `length` come with `file`, and `length` is the tensor's size.
    - (C3) `value` has type `type`; `copy_of` names a parameter of the same type that is no copy itself.

    ```mlir
    graph.parameter @fc.weight : tensor<10x84xf32> {role = #graph.role<trainable>, file = "m.onnx", offset = 64 : i64, length = 3360 : i64}
    graph.parameter @step : tensor<i64> {role = #graph.role<counter>, fill = 0.0 : f64}
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttr:$type, Graph_RoleAttr:$role, OptionalAttr<StrAttr>:$file,
      OptionalAttr<I64Attr>:$offset, OptionalAttr<I64Attr>:$length, OptionalAttr<ElementsAttr>:$value,
      OptionalAttr<F64Attr>:$fill, OptionalAttr<FlatSymbolRefAttr>:$copy_of, OptionalAttr<StrAttr>:$onnx_name);
  let assemblyFormat = "$sym_name `:` $type attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getTensorType() { return ::llvm::cast<::mlir::RankedTensorType>(getType()); }
    /// The initializer's name in the ONNX file.
    ::llvm::StringRef getOnnxNameOrSymbol() { return getOnnxName().value_or(getSymName()); }
  }];
}

def Graph_LoadOp : Graph_Op<"load", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the value a parameter has when the step begins";
  let description = [{
    Stores take effect when the step ends, so a load gives the same value wherever it stands.

    Constraints:
    - (C1) `parameter` names a `graph.parameter` of the result's type.
  }];
  let arguments = (ins FlatSymbolRefAttr:$parameter);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$parameter attr-dict `:` type($result)";
}

def Graph_StoreOp : Graph_Op<"store", [MemoryEffects<[MemWrite]>, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the value a parameter has when the step has ended";
  let description = [{
    Constraints:
    - (C1) `parameter` names a `graph.parameter` of the operand's type.
    - (C2) a function stores to a parameter at most once, outside of any region.
  }];
  let arguments = (ins Graph_Tensor:$value, FlatSymbolRefAttr:$parameter);
  let assemblyFormat = "$value `,` $parameter attr-dict `:` type($value)";
}

def Graph_AccumulateOp : Graph_Op<"accumulate", [AttrSizedResultSegments, AttrSizedOperandSegments, SingleBlock]> {
  let summary = "runs its body once for each micro-batch";
  let description = [{
    For i = 0 ... micro_batches - 1, in order: block argument 0 is i (`tensor<i64>`), the next are slice i along
    dimension 0 of each `sliced` operand (that dimension dropped), the last are the carried values (first `initial`,
    then what the iteration before carried). The body may use values from outside. Results: the sums over iterations
    of the yielded sums, the last carried values, and the stacked values (a new dimension 0 of size micro_batches).

    Constraints:
    - (C1) micro_batches >= 1, and dimension 0 of every `sliced` operand equals it.
    - (C2) block arguments are as described; yielded values match the results' types.

    ```mlir
    %sum, %carried, %stacked = graph.accumulate micro_batches 4 slices(%x) carries(%m) {
    ^bb0(%i: tensor<i64>, %xi: tensor<8x3xf32>, %mi: tensor<3xf32>):
      graph.yield sums(%g) carries(%n) stacks(%y) : (tensor<f32>) (tensor<3xf32>) (tensor<8xf32>)
    } : (tensor<4x8x3xf32>, tensor<3xf32>) -> (tensor<f32>, tensor<3xf32>, tensor<4x8xf32>)
    ```
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$sliced, Variadic<Graph_Tensor>:$initial, I64Attr:$micro_batches);
  let results = (outs Variadic<Graph_Tensor>:$sums, Variadic<Graph_Tensor>:$carried, Variadic<Graph_Tensor>:$stacked);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Graph_YieldOp : Graph_Op<"yield", [Pure, Terminator, AttrSizedOperandSegments, HasParent<"AccumulateOp">]> {
  let summary = "ends the body of graph.accumulate";
  let arguments = (ins Variadic<Graph_Tensor>:$sums, Variadic<Graph_Tensor>:$carried, Variadic<Graph_Tensor>:$stacked);
  let assemblyFormat = [{ `sums` `(` $sums `)` `carries` `(` $carried `)` `stacks` `(` $stacked `)` attr-dict
      `:` custom<TypeGroup>(type($sums)) custom<TypeGroup>(type($carried)) custom<TypeGroup>(type($stacked)) }];
}
#endif
