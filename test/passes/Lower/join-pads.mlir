// RUN: tw-opt %s --tw-lower-join-pads | FileCheck %s

// The cotangents of slices that cover a tensor, put together.
// CHECK-LABEL: func.func @cover(
// CHECK-SAME: %[[A:.*]]: tensor<2x2xf32>, %[[B:.*]]: tensor<2x1xf32>, %[[C:.*]]: tensor<2x3xf32>
// CHECK: %[[R:.*]] = graph.concat %[[A]], %[[B]], %[[C]] {axis = 1 : i64}
// CHECK: return %[[R]]
func.func @cover(%a: tensor<2x2xf32>, %b: tensor<2x1xf32>, %c: tensor<2x3xf32>) -> tensor<2x6xf32> {
  %0 = graph.pad %c {low = array<i64: 0, 3>, high = array<i64: 0, 0>, interior = array<i64: 0, 0>, value = 0.0 : f64} : (tensor<2x3xf32>) -> tensor<2x6xf32>
  %1 = graph.pad %b {low = array<i64: 0, 2>, high = array<i64: 0, 3>, interior = array<i64: 0, 0>, value = 0.0 : f64} : (tensor<2x1xf32>) -> tensor<2x6xf32>
  %2 = graph.pad %a {low = array<i64: 0, 0>, high = array<i64: 0, 4>, interior = array<i64: 0, 0>, value = 0.0 : f64} : (tensor<2x2xf32>) -> tensor<2x6xf32>
  %3 = arith.addf %0, %1 : tensor<2x6xf32>
  %4 = arith.addf %3, %2 : tensor<2x6xf32>
  return %4 : tensor<2x6xf32>
}

// Parts that leave a gap or overlap stay.
// CHECK-LABEL: func.func @gap(
// CHECK-NOT: graph.concat
func.func @gap(%a: tensor<2x2xf32>, %b: tensor<2x3xf32>) -> tensor<2x6xf32> {
  %0 = graph.pad %a {low = array<i64: 0, 0>, high = array<i64: 0, 4>, interior = array<i64: 0, 0>, value = 0.0 : f64} : (tensor<2x2xf32>) -> tensor<2x6xf32>
  %1 = graph.pad %b {low = array<i64: 0, 3>, high = array<i64: 0, 0>, interior = array<i64: 0, 0>, value = 0.0 : f64} : (tensor<2x3xf32>) -> tensor<2x6xf32>
  %2 = arith.addf %0, %1 : tensor<2x6xf32>
  return %2 : tensor<2x6xf32>
}
