// Activations: relative to 1 where they are small, since 1 + erf(x) cancels for negative x; no NaN for any finite or
// infinite input.
// RUN: tw-opt %s --tw-lower-execute-kernels="floor=1" -o /dev/null | FileCheck %s
// RUN: tw-opt %s --tw-lower-execute-kernels="floor=1 scale=20 tolerance=5e-6" -o /dev/null | FileCheck %s
// CHECK-NOT: DIFFERS

// CHECK: gelu: agrees
func.func @gelu(%x: tensor<1001xf32>) -> tensor<1001xf32> {
  %0 = graph.gelu %x : (tensor<1001xf32>) -> tensor<1001xf32>
  return %0 : tensor<1001xf32>
}
// CHECK: gelu_tanh: agrees
func.func @gelu_tanh(%x: tensor<1001xf32>) -> tensor<1001xf32> {
  %0 = graph.gelu %x {tanh} : (tensor<1001xf32>) -> tensor<1001xf32>
  return %0 : tensor<1001xf32>
}
// CHECK: gelu_backward: agrees
func.func @gelu_backward(%x: tensor<1001xf32>) -> tensor<1001xf32> {
  %one = arith.constant dense<1.0> : tensor<1001xf32>
  %0 = graph.gelu_backward %one, %x : (tensor<1001xf32>, tensor<1001xf32>) -> tensor<1001xf32>
  return %0 : tensor<1001xf32>
}
// CHECK: gelu_backward_tanh: agrees
func.func @gelu_backward_tanh(%x: tensor<1001xf32>) -> tensor<1001xf32> {
  %one = arith.constant dense<1.0> : tensor<1001xf32>
  %0 = graph.gelu_backward %one, %x {tanh} : (tensor<1001xf32>, tensor<1001xf32>) -> tensor<1001xf32>
  return %0 : tensor<1001xf32>
}
// Zeros at minus infinity, where the formula alone would be infinity times zero.
// CHECK: far_left: agrees
func.func @far_left() -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %x = arith.constant dense<[-1.0e30, -3.0e38, -40.0]> : tensor<3xf32>
  %one = arith.constant dense<1.0> : tensor<3xf32>
  %0 = graph.gelu %x : (tensor<3xf32>) -> tensor<3xf32>
  %1 = graph.gelu %x {tanh} : (tensor<3xf32>) -> tensor<3xf32>
  %2 = graph.gelu_backward %one, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %3 = graph.gelu_backward %one, %x {tanh} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %4 = graph.sigmoid %x : (tensor<3xf32>) -> tensor<3xf32>
  return %0, %1, %2, %3, %4 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}
