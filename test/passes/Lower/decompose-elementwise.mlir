// gelu, its derivative and sigmoid leave only arith and math. (Their values: execute-kernels.mlir.)
// RUN: tw-opt %s --tw-lower-decompose-elementwise | FileCheck %s

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
