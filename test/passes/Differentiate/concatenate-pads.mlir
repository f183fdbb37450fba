// RUN: tw-opt %s --tw-differentiate-concatenate-pads --canonicalize | FileCheck %s

// Three pieces that tile dimension 1, among another summand.
// CHECK-LABEL: func.func @tiling(
// CHECK-SAME: %[[A:.*]]: tensor<2x1xf32>, %[[B:.*]]: tensor<2x2xf32>, %[[C:.*]]: tensor<2x1xf32>, %[[D:.*]]: tensor<2x4xf32>
// CHECK: %[[WHOLE:.*]] = graph.concat %[[A]], %[[B]], %[[C]] {axis = 1 : i64}
// CHECK: %[[SUM:.*]] = arith.addf %[[D]], %[[WHOLE]]
// CHECK: return %[[SUM]]
func.func @tiling(%a: tensor<2x1xf32>, %b: tensor<2x2xf32>, %c: tensor<2x1xf32>, %d: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %pc = graph.pad %c {low = array<i64: 0, 3>, high = array<i64: 0, 0>, interior = array<i64: 0, 0>, value = 0.0 : f64} : (tensor<2x1xf32>) -> tensor<2x4xf32>
  %pb = graph.pad %b {low = array<i64: 0, 1>, high = array<i64: 0, 1>, interior = array<i64: 0, 0>, value = 0.0 : f64} : (tensor<2x2xf32>) -> tensor<2x4xf32>
  %s1 = arith.addf %pc, %pb : tensor<2x4xf32>
  %s2 = arith.addf %s1, %d : tensor<2x4xf32>
  %pa = graph.pad %a {low = array<i64: 0, 0>, high = array<i64: 0, 3>, interior = array<i64: 0, 0>, value = 0.0 : f64} : (tensor<2x1xf32>) -> tensor<2x4xf32>
  %s3 = arith.addf %s2, %pa : tensor<2x4xf32>
  return %s3 : tensor<2x4xf32>
}

// A gap, and an overlap: left alone.
// CHECK-LABEL: func.func @no_tiling
// CHECK-NOT: graph.concat
// CHECK: return
func.func @no_tiling(%a: tensor<1xf32>, %b: tensor<2xf32>, %c: tensor<3xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %pa = graph.pad %a {low = array<i64: 0>, high = array<i64: 3>, interior = array<i64: 0>, value = 0.0 : f64} : (tensor<1xf32>) -> tensor<4xf32>
  %pb = graph.pad %b {low = array<i64: 2>, high = array<i64: 0>, interior = array<i64: 0>, value = 0.0 : f64} : (tensor<2xf32>) -> tensor<4xf32>
  %pc = graph.pad %c {low = array<i64: 0>, high = array<i64: 1>, interior = array<i64: 0>, value = 0.0 : f64} : (tensor<3xf32>) -> tensor<4xf32>
  %gap = arith.addf %pa, %pb : tensor<4xf32>
  %overlap = arith.addf %pb, %pc : tensor<4xf32>
  return %gap, %overlap : tensor<4xf32>, tensor<4xf32>
}
