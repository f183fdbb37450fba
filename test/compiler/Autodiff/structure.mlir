// Gradient rules of ops that move elements.
// RUN: tw-opt %s --tw-differentiate-define-gradients | FileCheck %s
// RUN: tw-opt %s --tw-differentiate-define-gradients --tw-check-execute -o /dev/null

// CHECK-LABEL: func.func private @reshape_gradient
func.func @reshape(%x: tensor<2x3x2xf64>) -> tensor<f64> {
  %y = graph.reshape %x : (tensor<2x3x2xf64>) -> tensor<6x2xf64>
  %square = arith.mulf %y, %y : tensor<6x2xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1>} : (tensor<6x2xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @reshape_gradient(tensor<2x3x2xf64>) -> tensor<2x3x2xf64>
func.func @test_reshape() {
  %x = arith.constant dense<[[[-0.664, -0.268], [0.999, -0.756], [-0.001, -0.041]], [[-0.505, 0.849], [-0.172, -0.977], [-0.053, -0.991]]]> : tensor<2x3x2xf64>
  check.expect_finite_differences(%x) {function = @reshape, gradient = @reshape_gradient}
    : tensor<2x3x2xf64>
  return
}

// CHECK-LABEL: func.func private @transpose_gradient
// CHECK: graph.transpose %{{.*}} {permutation = array<i64: 1, 2, 0>}
func.func @transpose(%x: tensor<2x3x4xf64>, %t: tensor<4x2x3xf64>) -> tensor<f64> {
  %p = graph.transpose %x {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xf64>) -> tensor<4x2x3xf64>
  %y = arith.mulf %p, %t : tensor<4x2x3xf64>
  %square = arith.mulf %y, %y : tensor<4x2x3xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1, 2>} : (tensor<4x2x3xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @transpose_gradient(tensor<2x3x4xf64>, tensor<4x2x3xf64>) -> (tensor<2x3x4xf64>, tensor<4x2x3xf64>)
func.func @test_transpose() {
  %x = arith.constant dense<[[[0.417, 0.738, 0.811, -0.904], [0.350, -0.391, -0.055, -0.399], [-0.390, -0.735, 0.251, -0.823]], [[0.928, -0.912, 0.928, -0.617], [-0.833, 0.490, 0.062, 0.538], [0.017, 0.261, -0.835, 0.348]]]> : tensor<2x3x4xf64>
  %t = arith.constant dense<[[[0.025, 0.924, -0.988], [-0.863, 0.353, 0.852]], [[-0.157, 0.422, 0.121], [-0.218, -0.069, 0.203]], [[-0.942, -0.389, 0.476], [-0.484, -0.054, -0.487]], [[-0.285, 0.301, 0.487], [0.914, -0.046, -0.594]]]> : tensor<4x2x3xf64>
  check.expect_finite_differences(%x, %t) {function = @transpose, gradient = @transpose_gradient}
    : tensor<2x3x4xf64>, tensor<4x2x3xf64>
  return
}

// CHECK-LABEL: func.func private @broadcast_gradient
// CHECK: graph.reduce %{{.*}} {dimensions = array<i64: 0, 1>
func.func @broadcast(%x: tensor<1x3xf64>, %t: tensor<2x2x3xf64>) -> tensor<f64> {
  %b = graph.broadcast %x {dimensions = array<i64: 1, 2>} : (tensor<1x3xf64>) -> tensor<2x2x3xf64>
  %y = arith.mulf %b, %t : tensor<2x2x3xf64>
  %square = arith.mulf %y, %y : tensor<2x2x3xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1, 2>} : (tensor<2x2x3xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @broadcast_gradient(tensor<1x3xf64>, tensor<2x2x3xf64>) -> (tensor<1x3xf64>, tensor<2x2x3xf64>)
func.func @test_broadcast() {
  %x = arith.constant dense<[[-0.326, -0.883, -0.521]]> : tensor<1x3xf64>
  %t = arith.constant dense<[[[0.169, 0.222, -0.517], [-0.637, -0.804, -0.643]], [[0.003, -0.490, 0.767], [0.130, -0.320, -0.138]]]> : tensor<2x2x3xf64>
  check.expect_finite_differences(%x, %t) {function = @broadcast, gradient = @broadcast_gradient}
    : tensor<1x3xf64>, tensor<2x2x3xf64>
  return
}

// CHECK-LABEL: func.func private @broadcast_scalar_gradient
func.func @broadcast_scalar(%x: tensor<f64>, %t: tensor<2x2xf64>) -> tensor<f64> {
  %b = graph.broadcast %x {dimensions = array<i64>} : (tensor<f64>) -> tensor<2x2xf64>
  %y = arith.mulf %b, %t : tensor<2x2xf64>
  %square = arith.mulf %y, %y : tensor<2x2xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1>} : (tensor<2x2xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @broadcast_scalar_gradient(tensor<f64>, tensor<2x2xf64>) -> (tensor<f64>, tensor<2x2xf64>)
func.func @test_broadcast_scalar() {
  %x = arith.constant dense<-0.920> : tensor<f64>
  %t = arith.constant dense<[[0.466, 0.502], [-0.273, 0.451]]> : tensor<2x2xf64>
  check.expect_finite_differences(%x, %t) {function = @broadcast_scalar, gradient = @broadcast_scalar_gradient}
    : tensor<f64>, tensor<2x2xf64>
  return
}

// CHECK-LABEL: func.func private @slice_gradient
// CHECK: graph.pad %{{.*}} {high = array<i64: 2, 1>, interior = array<i64: 1, 2>, low = array<i64: 1, 0>
func.func @slice(%x: tensor<6x5xf64>) -> tensor<f64> {
  %y = graph.slice %x {starts = array<i64: 1, 0>, strides = array<i64: 2, 3>} : (tensor<6x5xf64>) -> tensor<2x2xf64>
  %square = arith.mulf %y, %y : tensor<2x2xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1>} : (tensor<2x2xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @slice_gradient(tensor<6x5xf64>) -> tensor<6x5xf64>
func.func @test_slice() {
  %x = arith.constant dense<[[-0.455, -0.561, -0.544, -0.607, 0.212], [0.284, 0.455, -0.792, 0.533, -0.043], [-0.243, 0.006, -0.134, -0.600, -0.210], [0.292, 0.430, 0.830, -0.611, 0.782], [0.601, 0.426, 0.959, -0.724, 0.553], [0.799, -0.756, 0.189, 0.894, -0.414]]> : tensor<6x5xf64>
  check.expect_finite_differences(%x) {function = @slice, gradient = @slice_gradient}
    : tensor<6x5xf64>
  return
}

// CHECK-LABEL: func.func private @slice_backwards_gradient
func.func @slice_backwards(%x: tensor<6x3xf64>, %t: tensor<3x2xf64>) -> tensor<f64> {
  %s = graph.slice %x {starts = array<i64: 5, 0>, strides = array<i64: -2, 1>} : (tensor<6x3xf64>) -> tensor<3x2xf64>
  %y = arith.mulf %s, %t : tensor<3x2xf64>
  %square = arith.mulf %y, %y : tensor<3x2xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1>} : (tensor<3x2xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @slice_backwards_gradient(tensor<6x3xf64>, tensor<3x2xf64>) -> (tensor<6x3xf64>, tensor<3x2xf64>)
func.func @test_slice_backwards() {
  %x = arith.constant dense<[[0.711, 0.813, -0.130], [-0.710, -0.569, 0.660], [-0.156, -0.369, -0.114], [0.856, -0.492, -0.963], [0.898, -0.366, -0.229], [0.952, -0.436, -0.829]]> : tensor<6x3xf64>
  %t = arith.constant dense<[[0.775, -0.512], [-0.557, 0.875], [-0.541, 0.802]]> : tensor<3x2xf64>
  check.expect_finite_differences(%x, %t) {function = @slice_backwards, gradient = @slice_backwards_gradient}
    : tensor<6x3xf64>, tensor<3x2xf64>
  return
}

// CHECK-LABEL: func.func private @pad_gradient
// CHECK: graph.slice %{{.*}} {starts = array<i64: 1, 0>, strides = array<i64: 2, 1>}
func.func @pad(%x: tensor<2x3xf64>) -> tensor<f64> {
  %y = graph.pad %x {low = array<i64: 1, 0>, high = array<i64: 0, 2>, interior = array<i64: 1, 0>, value = 0.5 : f64} : (tensor<2x3xf64>) -> tensor<4x5xf64>
  %square = arith.mulf %y, %y : tensor<4x5xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1>} : (tensor<4x5xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @pad_gradient(tensor<2x3xf64>) -> tensor<2x3xf64>
func.func @test_pad() {
  %x = arith.constant dense<[[-0.334, -0.394, -0.568], [0.085, 0.120, -0.203]]> : tensor<2x3xf64>
  check.expect_finite_differences(%x) {function = @pad, gradient = @pad_gradient}
    : tensor<2x3xf64>
  return
}

// CHECK-LABEL: func.func private @concat_gradient
func.func @concat(%a: tensor<2x3xf64>, %b: tensor<1x3xf64>, %t: tensor<3x3xf64>) -> tensor<f64> {
  %c = graph.concat %a, %b {axis = 0 : i64} : (tensor<2x3xf64>, tensor<1x3xf64>) -> tensor<3x3xf64>
  %y = arith.mulf %c, %t : tensor<3x3xf64>
  %square = arith.mulf %y, %y : tensor<3x3xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1>} : (tensor<3x3xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @concat_gradient(tensor<2x3xf64>, tensor<1x3xf64>, tensor<3x3xf64>) -> (tensor<2x3xf64>, tensor<1x3xf64>, tensor<3x3xf64>)
func.func @test_concat() {
  %a = arith.constant dense<[[0.015, -0.404, 0.675], [0.868, 0.506, 0.640]]> : tensor<2x3xf64>
  %b = arith.constant dense<[[-0.859, -0.499, -0.593]]> : tensor<1x3xf64>
  %t = arith.constant dense<[[-0.690, 0.937, 0.811], [0.828, 0.116, -0.767], [-0.146, -0.888, 0.809]]> : tensor<3x3xf64>
  check.expect_finite_differences(%a, %b, %t) {function = @concat, gradient = @concat_gradient}
    : tensor<2x3xf64>, tensor<1x3xf64>, tensor<3x3xf64>
  return
}

// CHECK-LABEL: func.func private @gather_gradient
// CHECK: graph.scatter_add
func.func @gather(%x: tensor<2x4x2xf64>, %t: tensor<2x2x3x2xf64>) -> tensor<f64> {
  %i = arith.constant dense<[[0, 3, 3], [1, -1, 0]]> : tensor<2x3xi64>
  %g = graph.gather %x, %i {axis = 1 : i64} : (tensor<2x4x2xf64>, tensor<2x3xi64>) -> tensor<2x2x3x2xf64>
  %y = arith.mulf %g, %t : tensor<2x2x3x2xf64>
  %square = arith.mulf %y, %y : tensor<2x2x3x2xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1, 2, 3>} : (tensor<2x2x3x2xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @gather_gradient(tensor<2x4x2xf64>, tensor<2x2x3x2xf64>) -> (tensor<2x4x2xf64>, tensor<2x2x3x2xf64>)
func.func @test_gather() {
  %x = arith.constant dense<[[[-0.469, -0.424], [0.892, -0.599], [0.845, -0.378], [0.330, -0.787]], [[0.797, -0.203], [-0.310, 0.309], [0.187, -0.498], [-0.752, 0.151]]]> : tensor<2x4x2xf64>
  %t = arith.constant dense<[[[[-0.951, 0.743], [-0.312, -0.661], [-0.344, -0.772]], [[-0.367, 0.086], [-0.186, -0.332], [-0.418, -0.027]]], [[[0.557, -0.125], [0.536, -0.035], [-0.759, -0.660]], [[0.695, -0.041], [-0.235, 0.031], [0.692, -0.249]]]]> : tensor<2x2x3x2xf64>
  check.expect_finite_differences(%x, %t) {function = @gather, gradient = @gather_gradient}
    : tensor<2x4x2xf64>, tensor<2x2x3x2xf64>
  return
}

// CHECK-LABEL: func.func private @scatter_add_gradient
// CHECK: graph.gather
func.func @scatter_add(%u: tensor<3x2xf64>) -> tensor<f64> {
  %i = arith.constant dense<[2, 0, 2]> : tensor<3xi64>
  %y = graph.scatter_add %u, %i {axis = 0 : i64} : (tensor<3x2xf64>, tensor<3xi64>) -> tensor<4x2xf64>
  %square = arith.mulf %y, %y : tensor<4x2xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1>} : (tensor<4x2xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @scatter_add_gradient(tensor<3x2xf64>) -> tensor<3x2xf64>
func.func @test_scatter_add() {
  %u = arith.constant dense<[[-0.277, -0.268], [-0.978, 0.090], [-0.042, -0.008]]> : tensor<3x2xf64>
  check.expect_finite_differences(%u) {function = @scatter_add, gradient = @scatter_add_gradient}
    : tensor<3x2xf64>
  return
}
