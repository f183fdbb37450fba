// RUN: tw-opt %s --verify-diagnostics --tw-lower-generate-kernels

func.func @dimensions_do_not_nest(%x: tensor<2x6xf32>, %b: tensor<6xf32>, %c: tensor<3xf32>) -> tensor<3x4xf32> {
  %0 = graph.fused ins(%x, %b, %c) {
  ^bb0(%x0: tensor<2x6xf32>, %b0: tensor<6xf32>, %c0: tensor<3xf32>):
    %1 = graph.broadcast %b0 {dimensions = array<i64: 1>} : (tensor<6xf32>) -> tensor<2x6xf32>
    %2 = arith.addf %x0, %1 : tensor<2x6xf32>
    %3 = graph.reshape %2 : (tensor<2x6xf32>) -> tensor<3x4xf32>
    // expected-error@+1 {{split the graph.fused before this op}}
    %4 = graph.broadcast %c0 {dimensions = array<i64: 0>} : (tensor<3xf32>) -> tensor<3x4xf32>
    %5 = arith.mulf %3, %4 : tensor<3x4xf32>
    graph.fused_yield %5 : tensor<3x4xf32>
  } : (tensor<2x6xf32>, tensor<6xf32>, tensor<3xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
