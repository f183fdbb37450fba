// RUN: tw-opt %s --tw-lower-select-kernels=threads=2 | FileCheck %s

// Names follow from op, types and target; attributes keep their names; optional operands come last.
// CHECK-LABEL: func.func @names(
// CHECK: plan.kernel "matmul_f32_host"(%{{.*}}, %{{.*}}, %{{.*}}) {transpose_rhs = 1 : i64} in_place [0, 2]
// CHECK: plan.kernel "reduce_f32_host"(%{{.*}}) {dimensions = array<i64: 1>, kind = "sum"}
// CHECK: plan.kernel "gather_f32_i64_host"(%{{.*}}, %{{.*}}) {axis = 0 : i64}
// CHECK: plan.kernel "cross_entropy_f32_i64_host"(%{{.*}}, %{{.*}}) {ignore_index = -100 : i64, label_smoothing = 0.000000e+00 : f64}
// CHECK: plan.kernel "cross_entropy_backward_f32_i64_host"({{.*}}) {{.*}} in_place [0, 1]
func.func @names(%x: tensor<2x3xf32>, %w: tensor<4x3xf32>, %i: tensor<2x4xf32>, %ids: tensor<2xi64>, %d: tensor<f32>)
    -> (tensor<2xf32>, tensor<2x3xf32>, tensor<2x4xf32>) {
  %0 = graph.matmul %x, %w, %i {transpose_rhs} : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %1 = graph.reduce %0 {kind = #graph.reduction<sum>, dimensions = array<i64: 1>} : (tensor<2x4xf32>) -> tensor<2xf32>
  %2 = graph.gather %w, %ids {axis = 0 : i64} : (tensor<4x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  %3:2 = graph.cross_entropy %0, %ids {ignore_index = -100 : i64, label_smoothing = 0.0 : f64} : (tensor<2x4xf32>, tensor<2xi64>) -> (tensor<f32>, tensor<2xf32>)
  %4 = graph.cross_entropy_backward %d, %0, %ids, %3#1 {ignore_index = -100 : i64, label_smoothing = 0.0 : f64} : (tensor<f32>, tensor<2x4xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<2x4xf32>
  return %1, %2, %4 : tensor<2xf32>, tensor<2x3xf32>, tensor<2x4xf32>
}

// What only moves elements is left to eliminate-copies.
// CHECK-LABEL: func.func @structure(
// CHECK: graph.reshape
// CHECK: graph.transpose
func.func @structure(%x: tensor<2x6xf32>) -> tensor<4x3xf32> {
  %0 = graph.reshape %x : (tensor<2x6xf32>) -> tensor<3x4xf32>
  %1 = graph.transpose %0 {permutation = array<i64: 1, 0>} : (tensor<3x4xf32>) -> tensor<4x3xf32>
  return %1 : tensor<4x3xf32>
}
