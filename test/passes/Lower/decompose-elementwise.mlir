// gelu, its derivative and sigmoid leave only arith and math. (Their values: execute-kernels.mlir.)
// RUN: tw-opt %s --tw-lower-decompose-elementwise | FileCheck %s
// RUN: tw-opt %s --tw-lower-decompose-elementwise=target=cuda | FileCheck %s --check-prefix=CUDA

// CHECK-LABEL: func.func @erf_form
// CHECK-NOT: graph.gelu
// CHECK: math.erf
// CHECK-NOT: math.tanh
func.func @erf_form(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.gelu %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @tanh_form
// CHECK-NOT: graph.gelu
// CHECK: math.tanh
// CHECK-NOT: math.erf
func.func @tanh_form(%dy: tensor<4xf16>, %x: tensor<4xf16>) -> tensor<4xf16> {
  %0 = graph.gelu_backward %dy, %x {tanh} : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// CHECK-LABEL: func.func @sigmoid
// CHECK-NOT: graph.sigmoid
// CHECK: arith.divf
func.func @sigmoid(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %0 = graph.sigmoid %x : (tensor<2x3xf64>) -> tensor<2x3xf64>
  return %0 : tensor<2x3xf64>
}

// Batch normalisation is written out, but for its reductions on CUDA.
// CHECK-LABEL: func.func @batch_norm
// CHECK-NOT: graph.centered_square_sum
// CHECK: graph.reduce
// CHECK-NOT: graph.batch_norm
// CUDA-LABEL: func.func @batch_norm
// CUDA: graph.centered_square_sum
// CUDA-NOT: graph.batch_norm
func.func @batch_norm(%x: tensor<2x3x4xf32>, %c: tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>) {
  %0 = graph.centered_square_sum %x, %c : (tensor<2x3x4xf32>, tensor<3xf32>) -> tensor<3xf32>
  %1 = graph.batch_norm %x, %c, %c, %c, %0 {epsilon = 1.0e-5 : f64} : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  return %1, %0 : tensor<2x3x4xf32>, tensor<3xf32>
}
