// Gradient rules of losses and dropout.
// RUN: tw-opt %s --tw-differentiate-define-gradients | FileCheck %s
// RUN: tw-opt %s --tw-differentiate-define-gradients --tw-check-execute -o /dev/null

// CHECK-LABEL: func.func private @cross_entropy_gradient
// CHECK: graph.cross_entropy_backward
func.func @cross_entropy(%x: tensor<3x4xf64>) -> tensor<f64> {
  %labels = arith.constant dense<[2, -100, 0]> : tensor<3xi64>
  %loss, %lse = graph.cross_entropy %x, %labels {ignore_index = -100 : i64, label_smoothing = 0.0 : f64} : (tensor<3x4xf64>, tensor<3xi64>) -> (tensor<f64>, tensor<3xf64>)
  return %loss : tensor<f64>
}
func.func private @cross_entropy_gradient(tensor<3x4xf64>) -> tensor<3x4xf64>
func.func @test_cross_entropy() {
  %x = arith.constant dense<[[-0.303, 0.039, -0.180, -0.057], [0.240, 0.829, -0.394, 0.259], [-0.844, 0.517, 0.090, -0.333]]> : tensor<3x4xf64>
  check.expect_finite_differences(%x) {function = @cross_entropy, gradient = @cross_entropy_gradient}
    : tensor<3x4xf64>
  return
}

// CHECK-LABEL: func.func private @cross_entropy_smoothed_gradient
// CHECK: graph.cross_entropy_backward
func.func @cross_entropy_smoothed(%x: tensor<3x4xf64>) -> tensor<f64> {
  %labels = arith.constant dense<[2, -100, 0]> : tensor<3xi64>
  %loss, %lse = graph.cross_entropy %x, %labels {ignore_index = -100 : i64, label_smoothing = 0.1 : f64} : (tensor<3x4xf64>, tensor<3xi64>) -> (tensor<f64>, tensor<3xf64>)
  return %loss : tensor<f64>
}
func.func private @cross_entropy_smoothed_gradient(tensor<3x4xf64>) -> tensor<3x4xf64>
func.func @test_cross_entropy_smoothed() {
  %x = arith.constant dense<[[0.613, -0.517, 0.815, 0.071], [-0.416, -0.310, 0.502, -0.657], [-0.254, -0.632, -0.227, -0.394]]> : tensor<3x4xf64>
  check.expect_finite_differences(%x) {function = @cross_entropy_smoothed, gradient = @cross_entropy_smoothed_gradient}
    : tensor<3x4xf64>
  return
}

// CHECK-LABEL: func.func private @dropout_gradient
// CHECK: graph.dropout %{{.*}}, %[[SEED:.*]], %[[STEP:.*]], %[[ROW:.*]] {id = 7
// CHECK: graph.dropout %{{.*}}, %[[SEED]], %[[STEP]], %[[ROW]] {id = 7
func.func @dropout(%x: tensor<4x3xf64>) -> tensor<f64> {
  %seed = arith.constant dense<11> : tensor<i64>
  %step = arith.constant dense<3> : tensor<i64>
  %row = arith.constant dense<8> : tensor<i64>
  %y = graph.dropout %x, %seed, %step, %row {ratio = 0.4 : f64, id = 7 : i64} : (tensor<4x3xf64>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<4x3xf64>
  %square = arith.mulf %y, %y : tensor<4x3xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1>} : (tensor<4x3xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @dropout_gradient(tensor<4x3xf64>) -> tensor<4x3xf64>
func.func @test_dropout() {
  %x = arith.constant dense<[[-0.089, 0.931, 0.020], [0.642, 0.843, 0.252], [-0.985, 0.468, -0.119], [-0.891, 0.281, 0.060]]> : tensor<4x3xf64>
  check.expect_finite_differences(%x) {function = @dropout, gradient = @dropout_gradient}
    : tensor<4x3xf64>
  return
}
