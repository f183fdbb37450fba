// Gradient rules of reductions.
// RUN: tw-opt %s --tw-differentiate-define-gradients | FileCheck %s
// RUN: tw-opt %s --tw-differentiate-define-gradients --tw-check-execute -o /dev/null

// CHECK-LABEL: func.func private @reduce_sum_gradient
func.func @reduce_sum(%x: tensor<2x3x2xf64>, %t: tensor<2x2xf64>) -> tensor<f64> {
  %r = graph.reduce %x {kind = #graph.reduction<sum>, dimensions = array<i64: 1>} : (tensor<2x3x2xf64>) -> tensor<2x2xf64>
  %y = arith.mulf %r, %t : tensor<2x2xf64>
  %square = arith.mulf %y, %y : tensor<2x2xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1>} : (tensor<2x2xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @reduce_sum_gradient(tensor<2x3x2xf64>, tensor<2x2xf64>) -> (tensor<2x3x2xf64>, tensor<2x2xf64>)
func.func @test_reduce_sum() {
  %x = arith.constant dense<[[[1.018, 0.691], [0.527, 1.836], [1.673, 1.182]], [[1.509, 0.855], [0.364, 2.000], [0.200, 1.345]]]> : tensor<2x3x2xf64>
  %t = arith.constant dense<[[-0.650, 0.590], [-0.479, -0.844]]> : tensor<2x2xf64>
  check.expect_finite_differences(%x, %t) {function = @reduce_sum, gradient = @reduce_sum_gradient}
    : tensor<2x3x2xf64>, tensor<2x2xf64>
  return
}

// CHECK-LABEL: func.func private @reduce_max_gradient
func.func @reduce_max(%x: tensor<2x3x2xf64>, %t: tensor<2x2xf64>) -> tensor<f64> {
  %r = graph.reduce %x {kind = #graph.reduction<max>, dimensions = array<i64: 1>} : (tensor<2x3x2xf64>) -> tensor<2x2xf64>
  %y = arith.mulf %r, %t : tensor<2x2xf64>
  %square = arith.mulf %y, %y : tensor<2x2xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1>} : (tensor<2x2xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @reduce_max_gradient(tensor<2x3x2xf64>, tensor<2x2xf64>) -> (tensor<2x3x2xf64>, tensor<2x2xf64>)
func.func @test_reduce_max() {
  %x = arith.constant dense<[[[0.527, 1.182], [2.000, 0.364], [1.673, 1.345]], [[0.855, 1.836], [1.018, 0.691], [0.200, 1.509]]]> : tensor<2x3x2xf64>
  %t = arith.constant dense<[[-0.303, -0.031], [-0.983, -0.080]]> : tensor<2x2xf64>
  check.expect_finite_differences(%x, %t) {function = @reduce_max, gradient = @reduce_max_gradient}
    : tensor<2x3x2xf64>, tensor<2x2xf64>
  return
}

// CHECK-LABEL: func.func private @reduce_min_gradient
func.func @reduce_min(%x: tensor<2x3x2xf64>, %t: tensor<2x2xf64>) -> tensor<f64> {
  %r = graph.reduce %x {kind = #graph.reduction<min>, dimensions = array<i64: 1>} : (tensor<2x3x2xf64>) -> tensor<2x2xf64>
  %y = arith.mulf %r, %t : tensor<2x2xf64>
  %square = arith.mulf %y, %y : tensor<2x2xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1>} : (tensor<2x2xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @reduce_min_gradient(tensor<2x3x2xf64>, tensor<2x2xf64>) -> (tensor<2x3x2xf64>, tensor<2x2xf64>)
func.func @test_reduce_min() {
  %x = arith.constant dense<[[[0.527, 0.691], [0.855, 1.345], [1.018, 0.200]], [[2.000, 1.673], [0.364, 1.509], [1.836, 1.182]]]> : tensor<2x3x2xf64>
  %t = arith.constant dense<[[-0.834, -0.334], [0.599, -0.901]]> : tensor<2x2xf64>
  check.expect_finite_differences(%x, %t) {function = @reduce_min, gradient = @reduce_min_gradient}
    : tensor<2x3x2xf64>, tensor<2x2xf64>
  return
}

// CHECK-LABEL: func.func private @reduce_prod_gradient
func.func @reduce_prod(%x: tensor<2x3x2xf64>, %t: tensor<2x2xf64>) -> tensor<f64> {
  %r = graph.reduce %x {kind = #graph.reduction<prod>, dimensions = array<i64: 1>} : (tensor<2x3x2xf64>) -> tensor<2x2xf64>
  %y = arith.mulf %r, %t : tensor<2x2xf64>
  %square = arith.mulf %y, %y : tensor<2x2xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1>} : (tensor<2x2xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @reduce_prod_gradient(tensor<2x3x2xf64>, tensor<2x2xf64>) -> (tensor<2x3x2xf64>, tensor<2x2xf64>)
func.func @test_reduce_prod() {
  %x = arith.constant dense<[[[0.855, 1.836], [1.673, 1.182], [2.000, 1.018]], [[0.527, 0.691], [1.509, 0.364], [0.200, 1.345]]]> : tensor<2x3x2xf64>
  %t = arith.constant dense<[[0.720, 0.404], [0.292, -0.970]]> : tensor<2x2xf64>
  check.expect_finite_differences(%x, %t) {function = @reduce_prod, gradient = @reduce_prod_gradient}
    : tensor<2x3x2xf64>, tensor<2x2xf64>
  return
}

// Products: a row without zeros, with one and with two.
// CHECK-LABEL: func.func private @product_of_zeros_gradient
func.func @product_of_zeros(%x: tensor<3x3xf64>, %t: tensor<3xf64>) -> tensor<f64> {
  %r = graph.reduce %x {kind = #graph.reduction<prod>, dimensions = array<i64: 1>} : (tensor<3x3xf64>) -> tensor<3xf64>
  %p = arith.mulf %r, %t : tensor<3xf64>
  %y = arith.addf %p, %t : tensor<3xf64>
  %square = arith.mulf %y, %y : tensor<3xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<3xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @product_of_zeros_gradient(tensor<3x3xf64>, tensor<3xf64>) -> (tensor<3x3xf64>, tensor<3xf64>)
func.func @test_product_of_zeros() {
  %x = arith.constant dense<[[1.5, -2.0, 0.5], [3.0, 0.0, 2.0], [0.0, 4.0, 0.0]]> : tensor<3x3xf64>
  %t = arith.constant dense<[0.509, -0.130, 0.403]> : tensor<3xf64>
  check.expect_finite_differences(%x, %t) {function = @product_of_zeros, gradient = @product_of_zeros_gradient}
    : tensor<3x3xf64>, tensor<3xf64>
  return
}
