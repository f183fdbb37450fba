// RUN: tw-opt %s -canonicalize -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @reshape_identity
// CHECK-SAME: (%[[X:.*]]: tensor<2x3xf32>)
// CHECK-NEXT: return %[[X]]
func.func @reshape_identity(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.reshape %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @reshape_of_reshape
// CHECK-SAME: (%[[X:.*]]: tensor<2x3xf32>)
// CHECK-NEXT: %[[Y:.*]] = graph.reshape %[[X]] : (tensor<2x3xf32>) -> tensor<3x2xf32>
// CHECK-NEXT: return %[[Y]]
func.func @reshape_of_reshape(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = graph.reshape %x : (tensor<2x3xf32>) -> tensor<6xf32>
  %1 = graph.reshape %0 : (tensor<6xf32>) -> tensor<3x2xf32>
  return %1 : tensor<3x2xf32>
}

// CHECK-LABEL: func.func @reshape_there_and_back
// CHECK-NEXT: return %arg0
func.func @reshape_there_and_back(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.reshape %x : (tensor<2x3xf32>) -> tensor<6xf32>
  %1 = graph.reshape %0 : (tensor<6xf32>) -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @reshape_constant
// CHECK-NEXT: arith.constant dense<{{\[\[}}1.000000e+00, 2.000000e+00]]> : tensor<1x2xf32>
func.func @reshape_constant() -> tensor<1x2xf32> {
  %0 = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %1 = graph.reshape %0 : (tensor<2xf32>) -> tensor<1x2xf32>
  return %1 : tensor<1x2xf32>
}

// CHECK-LABEL: func.func @transpose_of_transpose
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x4xf32>)
// CHECK-NEXT: %[[Y:.*]] = graph.transpose %[[X]] {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
// CHECK-NEXT: return %[[Y]]
func.func @transpose_of_transpose(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  %0 = graph.transpose %x {permutation = array<i64: 1, 2, 0>} : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %1 = graph.transpose %0 {permutation = array<i64: 1, 2, 0>} : (tensor<3x4x2xf32>) -> tensor<4x2x3xf32>
  return %1 : tensor<4x2x3xf32>
}

// CHECK-LABEL: func.func @transpose_there_and_back
// CHECK-NEXT: return %arg0
func.func @transpose_there_and_back(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.transpose %x {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = graph.transpose %0 {permutation = array<i64: 1, 0>} : (tensor<3x2xf32>) -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}

// Only a dimension of size one moves.
// CHECK-LABEL: func.func @transpose_to_reshape
// CHECK-NEXT: graph.reshape %arg0 : (tensor<2x1x3xf32>) -> tensor<2x3x1xf32>
func.func @transpose_to_reshape(%x: tensor<2x1x3xf32>) -> tensor<2x3x1xf32> {
  %0 = graph.transpose %x {permutation = array<i64: 0, 2, 1>} : (tensor<2x1x3xf32>) -> tensor<2x3x1xf32>
  return %0 : tensor<2x3x1xf32>
}

// CHECK-LABEL: func.func @transpose_integers
// CHECK-NEXT: arith.constant dense<{{\[\[}}1, 4], [2, 5], [3, 6]]> : tensor<3x2xi64>
func.func @transpose_integers() -> tensor<3x2xi64> {
  %0 = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi64>
  %1 = graph.transpose %0 {permutation = array<i64: 1, 0>} : (tensor<2x3xi64>) -> tensor<3x2xi64>
  return %1 : tensor<3x2xi64>
}

// CHECK-LABEL: func.func @broadcast_identity
// CHECK-NEXT: return %arg0
func.func @broadcast_identity(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.broadcast %x {dimensions = array<i64: 0, 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @broadcast_of_broadcast
// CHECK-NEXT: graph.broadcast %arg0 {dimensions = array<i64: 1>} : (tensor<3xf32>) -> tensor<2x3x4xf32>
// CHECK-NEXT: return
func.func @broadcast_of_broadcast(%x: tensor<3xf32>) -> tensor<2x3x4xf32> {
  %0 = graph.broadcast %x {dimensions = array<i64: 0>} : (tensor<3xf32>) -> tensor<3x4xf32>
  %1 = graph.broadcast %0 {dimensions = array<i64: 1, 2>} : (tensor<3x4xf32>) -> tensor<2x3x4xf32>
  return %1 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @broadcast_splat
// CHECK-NEXT: arith.constant dense<2.500000e+00> : tensor<4x3xf32>
func.func @broadcast_splat() -> tensor<4x3xf32> {
  %0 = arith.constant dense<2.5> : tensor<3xf32>
  %1 = graph.broadcast %0 {dimensions = array<i64: 1>} : (tensor<3xf32>) -> tensor<4x3xf32>
  return %1 : tensor<4x3xf32>
}

// CHECK-LABEL: func.func @broadcast_integers
// CHECK-NEXT: arith.constant dense<{{\[\[}}1, 1], [2, 2]]> : tensor<2x2xi64>
func.func @broadcast_integers() -> tensor<2x2xi64> {
  %0 = arith.constant dense<[[1], [2]]> : tensor<2x1xi64>
  %1 = graph.broadcast %0 {dimensions = array<i64: 0, 1>} : (tensor<2x1xi64>) -> tensor<2x2xi64>
  return %1 : tensor<2x2xi64>
}

// CHECK-LABEL: func.func @slice_whole
// CHECK-NEXT: return %arg0
func.func @slice_whole(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = graph.slice %x {starts = array<i64: 0>, strides = array<i64: 1>} : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// Backwards is not the whole.
// CHECK-LABEL: func.func @slice_reverse
// CHECK-NEXT: graph.slice
func.func @slice_reverse(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = graph.slice %x {starts = array<i64: 2>, strides = array<i64: -1>} : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: func.func @slice_of_slice
// CHECK-NEXT: graph.slice %arg0 {starts = array<i64: 3>, strides = array<i64: 4>} : (tensor<10xf32>) -> tensor<2xf32>
func.func @slice_of_slice(%x: tensor<10xf32>) -> tensor<2xf32> {
  %0 = graph.slice %x {starts = array<i64: 1>, strides = array<i64: 2>} : (tensor<10xf32>) -> tensor<4xf32>
  %1 = graph.slice %0 {starts = array<i64: 1>, strides = array<i64: 2>} : (tensor<4xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// CHECK-LABEL: func.func @slice_integers
// CHECK-NEXT: arith.constant dense<[4, 2]> : tensor<2xi64>
func.func @slice_integers() -> tensor<2xi64> {
  %0 = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
  %1 = graph.slice %0 {starts = array<i64: 3>, strides = array<i64: -2>} : (tensor<4xi64>) -> tensor<2xi64>
  return %1 : tensor<2xi64>
}

// Large float constants are left alone.
// CHECK-LABEL: func.func @floats_stay
// CHECK: graph.transpose
func.func @floats_stay() -> tensor<2x2xf32> {
  %0 = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %1 = graph.transpose %0 {permutation = array<i64: 1, 0>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}
