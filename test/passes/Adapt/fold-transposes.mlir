// RUN: tw-opt %s --tw-adapt-fold-transposes --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @weight
// CHECK: graph.matmul %arg0, %arg1 {transpose_rhs}
func.func @weight(%x: tensor<2x3xf32>, %w: tensor<4x3xf32>) -> tensor<2x4xf32> {
  %0 = graph.transpose %w {permutation = array<i64: 1, 0>} : (tensor<4x3xf32>) -> tensor<3x4xf32>
  %1 = graph.matmul %x, %0 : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}

// -----

// Of [0, 2, 3, 1] the swap of the last two joins the product; [0, 2, 1, 3] stays.
// CHECK-LABEL: func.func @heads
// CHECK: %[[K:.*]] = graph.transpose %arg1 {permutation = array<i64: 0, 2, 1, 3>}
// CHECK: graph.matmul %arg0, %[[K]] {transpose_rhs}
func.func @heads(%q: tensor<2x4x5x8xf32>, %k: tensor<2x6x4x8xf32>) -> tensor<2x4x5x6xf32> {
  %0 = graph.transpose %k {permutation = array<i64: 0, 2, 3, 1>} : (tensor<2x6x4x8xf32>) -> tensor<2x4x8x6xf32>
  %1 = graph.matmul %q, %0 : (tensor<2x4x5x8xf32>, tensor<2x4x8x6xf32>) -> tensor<2x4x5x6xf32>
  return %1 : tensor<2x4x5x6xf32>
}

// -----

// CHECK-LABEL: func.func @batched
// CHECK-NOT: graph.transpose
// CHECK: graph.matmul %arg0, %arg1 {transpose_rhs}
func.func @batched(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x6x8xf32>) -> tensor<2x4x5x6xf32> {
  %0 = graph.reshape %k : (tensor<2x4x6x8xf32>) -> tensor<8x6x8xf32>
  %1 = graph.transpose %0 {permutation = array<i64: 0, 2, 1>} : (tensor<8x6x8xf32>) -> tensor<8x8x6xf32>
  %2 = graph.reshape %1 : (tensor<8x8x6xf32>) -> tensor<2x4x8x6xf32>
  %3 = graph.matmul %q, %2 : (tensor<2x4x5x8xf32>, tensor<2x4x8x6xf32>) -> tensor<2x4x5x6xf32>
  return %3 : tensor<2x4x5x6xf32>
}
