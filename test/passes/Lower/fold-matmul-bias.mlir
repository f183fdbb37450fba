// Known: a bias along rows is broadcast to the whole product and taken as its initial value.
// XFAIL: *
// RUN: tw-opt %s --tw-lower-fold-matmul-bias | FileCheck %s

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

// A product that others need, a sum with an argument, and a bias along rows stay as they are.
// CHECK-LABEL: func.func @untouched(
// CHECK-COUNT-3: arith.addf
func.func @untouched(%x: tensor<4x4xf32>, %b: tensor<4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = graph.matmul %x, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = graph.broadcast %b {dimensions = array<i64: 1>} : (tensor<4xf32>) -> tensor<4x4xf32>
  %2 = arith.addf %0, %1 : tensor<4x4xf32>
  %3 = arith.addf %0, %x : tensor<4x4xf32>
  %4 = graph.matmul %x, %x {transpose_lhs} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %5 = graph.broadcast %b {dimensions = array<i64: 0>} : (tensor<4xf32>) -> tensor<4x4xf32>
  %6 = arith.addf %4, %5 : tensor<4x4xf32>
  return %2, %3, %6 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}
