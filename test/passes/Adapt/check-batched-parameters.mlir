// RUN: tw-opt %s --tw-adapt-check-batched-parameters --verify-diagnostics --split-input-file -o /dev/null

// A class token that was expanded to the batch before it was stored, also behind other ops; the batch's size elsewhere
// is chance.
// expected-warning @+1 {{dimension 0 of parameter 'token' ('tensor<4x1x3xf32>') is the batch: the exporter folded an expansion into it}}
graph.parameter @token : tensor<4x1x3xf32> {role = #graph.role<trainable>}
graph.parameter @frozen : tensor<4x3xf32> {role = #graph.role<frozen>}
// expected-warning @+1 {{dimension 1 of parameter 'bias' ('tensor<3x4xf32>') is the batch}}
graph.parameter @bias : tensor<3x4xf32> {role = #graph.role<trainable>}
graph.parameter @positions : tensor<1x3xf32> {role = #graph.role<trainable>}
graph.parameter @square : tensor<4x4xf32> {role = #graph.role<trainable>}
func.func @forward(%x: tensor<4x2x3xf32>, %v: tensor<4x4xf32>) -> (tensor<4x3x3xf32>, tensor<4x4xf32>, tensor<4x3xf32>) {
  %token = graph.load @token : tensor<4x1x3xf32>
  %minus = arith.negf %token : tensor<4x1x3xf32>
  %all = graph.concat %minus, %x {axis = 1 : i64} : (tensor<4x1x3xf32>, tensor<4x2x3xf32>) -> tensor<4x3x3xf32>
  %positions = graph.load @positions : tensor<1x3xf32>
  %row = graph.broadcast %positions {dimensions = array<i64: 1, 2>} : (tensor<1x3xf32>) -> tensor<4x3x3xf32>
  %placed = arith.addf %all, %row : tensor<4x3x3xf32>
  %square = graph.load @square : tensor<4x4xf32>
  %product = graph.matmul %v, %square : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %flat = graph.reduce %placed {kind = #graph.reduction<sum>, dimensions = array<i64: 1>} : (tensor<4x3x3xf32>) -> tensor<4x3xf32>
  %bias = graph.load @bias : tensor<3x4xf32>
  %turned = graph.transpose %bias {permutation = array<i64: 1, 0>} : (tensor<3x4xf32>) -> tensor<4x3xf32>
  %frozen = graph.load @frozen : tensor<4x3xf32>
  %sum = arith.addf %flat, %turned : tensor<4x3xf32>
  %more = arith.addf %sum, %frozen : tensor<4x3xf32>
  return %placed, %product, %more : tensor<4x3x3xf32>, tensor<4x4xf32>, tensor<4x3xf32>
}

// -----

// With a batch of one the expansion changed nothing.
graph.parameter @token : tensor<1x3xf32> {role = #graph.role<trainable>}
func.func @forward(%x: tensor<1x3xf32>) -> tensor<1x3xf32> {
  %token = graph.load @token : tensor<1x3xf32>
  %0 = arith.addf %x, %token : tensor<1x3xf32>
  return %0 : tensor<1x3xf32>
}
