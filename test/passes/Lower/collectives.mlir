// RUN: tw-opt %s --tw-lower-collectives | FileCheck %s

// CHECK-NOT: shard.
shard.grid @mesh(shape = 2x2x1)

// Neighbours of one group are one transfer among ranks that differ along the axes only.
// CHECK-LABEL: func.func @group(
// CHECK: %[[S:.*]]:2 = plan.all_reduce "sum"(%{{.*}}, %{{.*}}) groups [array<i64: 0, 2>, array<i64: 1, 3>]
// CHECK: %[[T:.*]] = plan.all_reduce "sum"(%[[S]]#0) groups [array<i64: 0, 1, 2, 3>]
// CHECK: return %[[S]]#1, %[[T]]
func.func @group(%x: tensor<4xf32>, %y: tensor<3xf32>) -> (tensor<3xf32>, tensor<4xf32>) {
  %0 = shard.all_reduce %x on @mesh grid_axes = [0] {group = 0 : i64} : tensor<4xf32> -> tensor<4xf32>
  %1 = shard.all_reduce %y on @mesh grid_axes = [0] {group = 0 : i64} : tensor<3xf32> -> tensor<3xf32>
  %2 = shard.all_reduce %0 on @mesh grid_axes = [0, 1] {group = 1 : i64} : tensor<4xf32> -> tensor<4xf32>
  return %1, %2 : tensor<3xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @row(
// CHECK: plan.rank [0, 0, 1, 1] : tensor<i64>
func.func @row() -> tensor<i64> {
  %0 = shard.process_multi_index on @mesh axes = [0] : index
  %1 = arith.index_cast %0 : index to i64
  %2 = tensor.from_elements %1 : tensor<i64>
  return %2 : tensor<i64>
}
