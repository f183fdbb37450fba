// RUN: tw-opt %s --tw-partition-annotate="data=2 whole-arguments=table" | FileCheck %s
// RUN: tw-opt %s --tw-partition-annotate="data=2 whole-arguments=table" --tw-partition-propagate | FileCheck %s --check-prefix=SPREAD

// CHECK: shard.grid @mesh(shape = 2x1x1)
// CHECK-LABEL: func.func @evaluate(
// CHECK-SAME: %[[X:.*]]: tensor<4x3xf32> {graph.name = "x"}
// CHECK-DAG: %[[SHARDING:.*]] = shard.sharding @mesh split_axes = {{\[\[}}0]] : !shard.sharding
// CHECK-DAG: %[[SHARDED:.*]] = shard.shard %[[X]] to %[[SHARDING]]
// CHECK: arith.mulf %[[SHARDED]], %[[SHARDED]]
// Behind micro-batches the batch is dimension 1.
// CHECK-LABEL: func.func @train(
// CHECK: shard.sharding @mesh split_axes = {{\[\[}}], [0]]

// Splits spread forwards, into the loop, and backwards to what has no operands; the table stays whole.
// SPREAD-LABEL: func.func @evaluate(
// SPREAD: arith.constant {graph.sharding = ["[data], []"]} dense<2.000000e+00> : tensor<4x3xf32>
// SPREAD: graph.gather {{.*}} {axis = 0 : i64, graph.sharding = ["[data], []"]}
// SPREAD: graph.reduce {{.*}} {dimensions = array<i64: 1>, graph.sharding = ["[data]"]
// SPREAD-LABEL: func.func @train(
// SPREAD: math.exp %{{.*}} {graph.sharding = ["[data]"]} : tensor<4xf32>
module {
  func.func @evaluate(%x: tensor<4x3xf32> {graph.name = "x"}, %table: tensor<4x3xf32> {graph.name = "table"}, %ids: tensor<4xi64> {graph.name = "ids"})
      -> tensor<4xf32> {
    %square = arith.mulf %x, %x : tensor<4x3xf32>
    %two = arith.constant dense<2.0> : tensor<4x3xf32>
    %twice = arith.mulf %square, %two : tensor<4x3xf32>
    %rows = graph.gather %table, %ids {axis = 0 : i64} : (tensor<4x3xf32>, tensor<4xi64>) -> tensor<4x3xf32>
    %sum = arith.addf %twice, %rows : tensor<4x3xf32>
    %result = graph.reduce %sum {kind = #graph.reduction<sum>, dimensions = array<i64: 1>} : (tensor<4x3xf32>) -> tensor<4xf32>
    return %result : tensor<4xf32>
  }
  func.func @train(%x: tensor<3x4xf32> {graph.name = "x"}) -> tensor<4xf32> {
    %sum = graph.accumulate micro_batches 3 slices(%x) carries() {
    ^bb0(%i: tensor<i64>, %xi: tensor<4xf32>):
      %e = math.exp %xi : tensor<4xf32>
      graph.yield sums(%e) carries() stacks() : (tensor<4xf32>) () ()
    } : (tensor<3x4xf32>) -> tensor<4xf32>
    return %sum : tensor<4xf32>
  }
}
