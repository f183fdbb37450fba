// RUN: tw-opt %s --tw-partition-fuse-all-reduce | FileCheck %s

// Two gradients do not depend on each other: side by side, after both are there, before either is used. What one of
// them depends on goes before, alone.
// CHECK-LABEL: func.func @gradients
// CHECK: %[[WEIGHT:.*]] = shard.all_reduce %{{.*}} {group = 0 : i64} : tensor<f32>
// CHECK: %[[FIRST:.*]] = math.exp %[[WEIGHT]]
// CHECK: %[[SECOND:.*]] = math.sin %[[FIRST]]
// CHECK-NEXT: %[[A:.*]] = shard.all_reduce %[[FIRST]] on @mesh grid_axes = [0] {group = 1 : i64}
// CHECK-NEXT: %[[B:.*]] = shard.all_reduce %[[SECOND]] on @mesh grid_axes = [0] {group = 1 : i64}
// CHECK-NEXT: arith.mulf %[[A]], %[[A]]
// CHECK-NEXT: arith.addf
// CHECK: return
shard.grid @mesh(shape = 2x1x1)
func.func @gradients(%x: tensor<f32>) -> tensor<f32> {
  %weight = shard.all_reduce %x on @mesh grid_axes = [0] : tensor<f32> -> tensor<f32>
  %first = math.exp %weight : tensor<f32>
  %a = shard.all_reduce %first on @mesh grid_axes = [0] : tensor<f32> -> tensor<f32>
  %square = arith.mulf %a, %a : tensor<f32>
  %second = math.sin %first : tensor<f32>
  %b = shard.all_reduce %second on @mesh grid_axes = [0] : tensor<f32> -> tensor<f32>
  %sum = arith.addf %square, %b : tensor<f32>
  return %sum : tensor<f32>
}

// Another reduction is another collective.
// CHECK-LABEL: func.func @kinds
// CHECK: shard.all_reduce %{{.*}} {group = [[SUM:[0-9]+]] : i64}
// CHECK-NOT: group = [[SUM]]
// CHECK: shard.all_reduce %{{.*}} reduction = max {group
func.func @kinds(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %a = shard.all_reduce %x on @mesh grid_axes = [0] : tensor<f32> -> tensor<f32>
  %b = shard.all_reduce %x on @mesh grid_axes = [0] reduction = max : tensor<f32> -> tensor<f32>
  return %a, %b : tensor<f32>, tensor<f32>
}
