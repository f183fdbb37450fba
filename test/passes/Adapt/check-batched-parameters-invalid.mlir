// RUN: tw-opt %s --tw-adapt-check-batched-parameters="data=2 whole-inputs=mask" --verify-diagnostics -o /dev/null

// Ranks cannot share what holds the batch; an input without a batch says nothing about one.
// expected-error @+1 {{dimension 0 of parameter 'token' ('tensor<4x3xf32>') is the batch, so that 2 data-parallel ranks cannot share it: the exporter folded}}
graph.parameter @token : tensor<4x3xf32> {role = #graph.role<trainable>}
graph.parameter @scale : tensor<6x3xf32> {role = #graph.role<trainable>}
func.func @forward(%x: tensor<4x3xf32> {graph.name = "x"}, %mask: tensor<6x3xf32> {graph.name = "mask"}) -> (tensor<4x3xf32>, tensor<6x3xf32>) {
  %token = graph.load @token : tensor<4x3xf32>
  %0 = arith.addf %x, %token : tensor<4x3xf32>
  %scale = graph.load @scale : tensor<6x3xf32>
  %1 = arith.mulf %mask, %scale : tensor<6x3xf32>
  return %0, %1 : tensor<4x3xf32>, tensor<6x3xf32>
}
