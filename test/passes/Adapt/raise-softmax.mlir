// RUN: tw-opt %s --tw-adapt-raise-softmax --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @softmax
// CHECK: graph.softmax %arg0 {axis = 1 : i64}
// CHECK-NOT: math.exp
func.func @softmax(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = graph.reduce %x {dimensions = array<i64: 1>, kind = #graph.reduction<max>} : (tensor<2x3x4xf32>) -> tensor<2x4xf32>
  %1 = graph.reshape %0 : (tensor<2x4xf32>) -> tensor<2x1x4xf32>
  %2 = graph.broadcast %1 {dimensions = array<i64: 0, 1, 2>} : (tensor<2x1x4xf32>) -> tensor<2x3x4xf32>
  %3 = arith.subf %x, %2 : tensor<2x3x4xf32>
  %4 = math.exp %3 : tensor<2x3x4xf32>
  %5 = graph.reduce %4 {dimensions = array<i64: 1>, kind = #graph.reduction<sum>} : (tensor<2x3x4xf32>) -> tensor<2x4xf32>
  %6 = graph.broadcast %5 {dimensions = array<i64: 0, 2>} : (tensor<2x4xf32>) -> tensor<2x3x4xf32>
  %7 = arith.divf %4, %6 : tensor<2x3x4xf32>
  return %7 : tensor<2x3x4xf32>
}

// -----

// CHECK-LABEL: func.func @log_softmax
// CHECK: graph.log_softmax %arg0 {axis = 1 : i64}
// CHECK-NOT: math.log
func.func @log_softmax(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = graph.reduce %x {dimensions = array<i64: 1>, kind = #graph.reduction<max>} : (tensor<2x4xf32>) -> tensor<2xf32>
  %1 = graph.broadcast %0 {dimensions = array<i64: 0>} : (tensor<2xf32>) -> tensor<2x4xf32>
  %2 = arith.subf %x, %1 : tensor<2x4xf32>
  %3 = math.exp %2 : tensor<2x4xf32>
  %4 = graph.reduce %3 {dimensions = array<i64: 1>, kind = #graph.reduction<sum>} : (tensor<2x4xf32>) -> tensor<2xf32>
  %5 = math.log %4 : tensor<2xf32>
  %6 = graph.broadcast %5 {dimensions = array<i64: 0>} : (tensor<2xf32>) -> tensor<2x4xf32>
  %7 = arith.subf %2, %6 : tensor<2x4xf32>
  return %7 : tensor<2x4xf32>
}

// -----

// The sum runs over another dimension than it is repeated along.
// CHECK-LABEL: func.func @other_axis
// CHECK-NOT: graph.softmax
func.func @other_axis(%x: tensor<3x3xf32>) -> tensor<3x3xf32> {
  %0 = math.exp %x : tensor<3x3xf32>
  %1 = graph.reduce %0 {dimensions = array<i64: 1>, kind = #graph.reduction<sum>} : (tensor<3x3xf32>) -> tensor<3xf32>
  %2 = graph.broadcast %1 {dimensions = array<i64: 1>} : (tensor<3xf32>) -> tensor<3x3xf32>
  %3 = arith.divf %0, %2 : tensor<3x3xf32>
  return %3 : tensor<3x3xf32>
}
