// RUN: tw-opt %s --tw-lower-fold-matmul-bias | FileCheck %s
// RUN: tw-opt %s --tw-lower-fold-matmul-bias --tw-check-execute -o /dev/null

// CHECK-LABEL: func.func @bias_behind_a_reshape(
// CHECK-SAME: %[[X:.*]]: tensor<6x4xf32>, %[[W:.*]]: tensor<4x5xf32>, %[[B:.*]]: tensor<5xf32>
// CHECK: %[[Y:.*]] = graph.matmul %[[X]], %[[W]], %[[B]]
// CHECK: %[[R:.*]] = graph.reshape %[[Y]] : (tensor<6x5xf32>) -> tensor<2x3x5xf32>
// CHECK: return %[[R]]
func.func @bias_behind_a_reshape(%x: tensor<6x4xf32>, %w: tensor<4x5xf32>, %b: tensor<5xf32>) -> tensor<2x3x5xf32> {
  %0 = graph.matmul %x, %w : (tensor<6x4xf32>, tensor<4x5xf32>) -> tensor<6x5xf32>
  %1 = graph.reshape %0 : (tensor<6x5xf32>) -> tensor<2x3x5xf32>
  %2 = graph.broadcast %b {dimensions = array<i64: 2>} : (tensor<5xf32>) -> tensor<2x3x5xf32>
  %3 = arith.addf %2, %1 : tensor<2x3x5xf32>
  return %3 : tensor<2x3x5xf32>
}

// An accumulator that dies becomes the initial value.
// CHECK-LABEL: func.func @accumulator(
// CHECK: %[[FIRST:.*]] = graph.matmul
// CHECK: %[[SUM:.*]] = graph.matmul %{{.*}}, %{{.*}}, %[[FIRST]]
// CHECK: return %[[SUM]]
func.func @accumulator(%x: tensor<6x4xf32>, %w: tensor<4x5xf32>) -> tensor<6x5xf32> {
  %0 = graph.matmul %x, %w : (tensor<6x4xf32>, tensor<4x5xf32>) -> tensor<6x5xf32>
  %1 = arith.negf %x : tensor<6x4xf32>
  %2 = graph.matmul %1, %w : (tensor<6x4xf32>, tensor<4x5xf32>) -> tensor<6x5xf32>
  %3 = arith.addf %0, %2 : tensor<6x5xf32>
  return %3 : tensor<6x5xf32>
}

// A bias along rows is broadcast into the memory that the product then adds to: one pass over it, as the addition would
// be, but on fewer bytes.
// CHECK-LABEL: func.func @row_bias(
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32>, %[[B:.*]]: tensor<2xf32>
// CHECK: %[[ROWS:.*]] = graph.broadcast %[[B]] {dimensions = array<i64: 0>}
// CHECK: %[[Y:.*]] = graph.matmul %[[X]], %[[X]], %[[ROWS]] {transpose_rhs}
// CHECK: return %[[Y]]
func.func @row_bias(%x: tensor<2x3xf32>, %b: tensor<2xf32>) -> tensor<2x2xf32> {
  %0 = graph.matmul %x, %x {transpose_rhs} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  %1 = graph.broadcast %b {dimensions = array<i64: 0>} : (tensor<2xf32>) -> tensor<2x2xf32>
  %2 = arith.addf %0, %1 : tensor<2x2xf32>
  return %2 : tensor<2x2xf32>
}

// A product that others need and a sum with an argument stay as they are.
// CHECK-LABEL: func.func @untouched(
// CHECK: graph.matmul %{{[^,]*}}, %{{[^,]*}} :
// CHECK-COUNT-2: arith.addf
func.func @untouched(%x: tensor<4x4xf32>, %b: tensor<4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = graph.matmul %x, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = graph.broadcast %b {dimensions = array<i64: 1>} : (tensor<4xf32>) -> tensor<4x4xf32>
  %2 = arith.addf %0, %1 : tensor<4x4xf32>
  %3 = arith.addf %0, %x : tensor<4x4xf32>
  return %2, %3 : tensor<4x4xf32>, tensor<4x4xf32>
}

// Numbers: x xT = [[14, 32], [32, 77]].
func.func @test_row_bias() {
  %x = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %b = arith.constant dense<[100.0, 200.0]> : tensor<2xf32>
  %y = func.call @row_bias(%x, %b) : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  %expected = arith.constant dense<[[114.0, 132.0], [232.0, 277.0]]> : tensor<2x2xf32>
  check.expect_close %y, %expected : tensor<2x2xf32>
  return
}
func.func @test_bias_along_columns() {
  %x = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %b = arith.constant dense<[100.0, 200.0]> : tensor<2xf32>
  %0 = graph.matmul %x, %x {transpose_rhs} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  %1 = graph.reshape %0 : (tensor<2x2xf32>) -> tensor<1x2x2xf32>
  %2 = graph.broadcast %b {dimensions = array<i64: 2>} : (tensor<2xf32>) -> tensor<1x2x2xf32>
  %3 = arith.addf %2, %1 : tensor<1x2x2xf32>
  %expected = arith.constant dense<[[[114.0, 232.0], [132.0, 277.0]]]> : tensor<1x2x2xf32>
  check.expect_close %3, %expected : tensor<1x2x2xf32>
  return
}
