// RUN: tw-opt %s --tw-lower-unroll-micro-batches | FileCheck %s

// Sums add up in order, carried values pass on, stacked values are put together, slices are taken by number.
// CHECK-LABEL: func.func @accumulate(
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32>, %[[M:.*]]: tensor<3xf32>)
// CHECK: graph.slice %[[X]] {starts = array<i64: 0, 0>
// CHECK: %[[X0:.*]] = graph.reshape {{.*}} -> tensor<3xf32>
// CHECK: %[[Y0:.*]] = arith.mulf %[[X0]], %[[M]]
// CHECK: graph.slice %[[X]] {starts = array<i64: 1, 0>
// CHECK: %[[X1:.*]] = graph.reshape {{.*}} -> tensor<3xf32>
// CHECK: %[[Y1:.*]] = arith.mulf %[[X1]], %[[Y0]]
// CHECK: %[[SUM:.*]] = arith.addf %[[Y0]], %[[Y1]]
// CHECK: %[[STACK:.*]] = graph.concat {{.*}} -> tensor<2x3xf32>
// CHECK: return %[[SUM]], %[[Y1]], %[[STACK]]
func.func @accumulate(%x: tensor<2x3xf32>, %m: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>) {
  %sum, %carried, %stacked = graph.accumulate micro_batches 2 slices(%x) carries(%m) {
  ^bb0(%i: tensor<i64>, %xi: tensor<3xf32>, %mi: tensor<3xf32>):
    %y = arith.mulf %xi, %mi : tensor<3xf32>
    graph.yield sums(%y) carries(%y) stacks(%y) : (tensor<3xf32>) (tensor<3xf32>) (tensor<3xf32>)
  } : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>)
  return %sum, %carried, %stacked : tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>
}
