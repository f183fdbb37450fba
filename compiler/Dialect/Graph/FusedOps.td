// Regions that become one generated kernel each.
#ifndef TW_GRAPH_FUSED
#define TW_GRAPH_FUSED
include "compiler/Dialect/Graph/GraphBase.td"

def Graph_FusedOp : Graph_Op<"fused", [Pure, IsolatedFromAbove, SingleBlock]> {
  let summary = "elementwise ops, and reductions of their results, that one generated kernel computes";
  let description = [{
    The body has one block argument for each input and ends in `graph.fused_yield`. It holds elementwise `arith` and
    `math` ops on tensors, splat `arith.constant`s, `graph.broadcast`s of block arguments and constants,
    `graph.reshape`s and `graph.reduce`s whose results are only yielded. All elementwise values have the same number
    of elements: the domain, walked once in row-major order.

    `tw-lower-generate-kernels` sets `kernel` (the generated function), `sizes`, `extent` and `grain` (see
    GeneratedCall in kernels/abi/plan.proto); the kernel's buffers are the inputs, then the results.
    `canShareMemory(i, j)` says whether result j may be written over input i.

    Constraints:
    - (C1) block arguments have the inputs' types; yielded values have the results' types.
    - (C2) the body holds only the ops named above.
    - (C3) values that are neither block arguments, constants nor reductions have as many elements as the domain.
    - (C4) all reductions in one op reduce the same dimensions of the same shape.
    - (C5) `kernel`, `sizes`, `extent` and `grain` come together.

    ```mlir
    %y = graph.fused ins(%x, %b) {
    ^bb0(%x0: tensor<8x64xf32>, %b0: tensor<64xf32>):
      %0 = graph.broadcast %b0 {dimensions = array<i64: 1>} : (tensor<64xf32>) -> tensor<8x64xf32>
      %1 = arith.addf %x0, %0 : tensor<8x64xf32>
      graph.fused_yield %1 : tensor<8x64xf32>
    } : (tensor<8x64xf32>, tensor<64xf32>) -> tensor<8x64xf32>
    ```
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$inputs, OptionalAttr<StrAttr>:$kernel,
      OptionalAttr<DenseI64ArrayAttr>:$sizes, OptionalAttr<I64Attr>:$extent, OptionalAttr<I64Attr>:$grain);
  let results = (outs Variadic<Graph_Tensor>);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{ (`ins` `(` $inputs^ `)`)? attr-dict-with-keyword $body `:` functional-type(operands, results) }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Block &getBlock() { return getBody().front(); }
    /// The number of elements of the domain.
    int64_t getDomainSize();
    /// Whether the kernel may write `result` into the memory of `input`: each element of it is read only where the
    /// same element of the result is written.
    bool canShareMemory(unsigned input, unsigned result);
  }];
}

def Graph_FusedYieldOp : Graph_Op<"fused_yield", [Pure, Terminator, HasParent<"FusedOp">]> {
  let summary = "ends the body of graph.fused";
  let arguments = (ins Variadic<Graph_Tensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}
#endif
