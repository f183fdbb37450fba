// RUN: tw-opt %s --tw-partition-annotate=data=2 --tw-partition-localize | FileCheck %s

// A partial sum stays one through linear ops and is completed once, where a non-linear one uses it.
// CHECK-LABEL: func.func @linear_then_not(
// CHECK-SAME: tensor<2x3xf32> {graph.name = "x", graph.sharding = "[data], []"}
// CHECK: %[[SUM:.*]] = graph.reduce %{{.*}} : (tensor<2x3xf32>) -> tensor<3xf32>
// CHECK: %[[NEGATED:.*]] = arith.negf %[[SUM]]
// CHECK: %[[SCALED:.*]] = arith.mulf %[[NEGATED]]
// CHECK-NEXT: %[[WHOLE:.*]] = shard.all_reduce %[[SCALED]] on @mesh grid_axes = [0]
// CHECK-NEXT: math.exp %[[WHOLE]]
// CHECK-NEXT: math.sqrt %[[WHOLE]]
// CHECK-NOT: shard.all_reduce
func.func @linear_then_not(%x: tensor<4x3xf32> {graph.name = "x"}) -> (tensor<3xf32>, tensor<3xf32>) {
  %sum = graph.reduce %x {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<4x3xf32>) -> tensor<3xf32>
  %negated = arith.negf %sum : tensor<3xf32>
  %half = arith.constant dense<0.5> : tensor<3xf32>
  %scaled = arith.mulf %negated, %half : tensor<3xf32>
  %a = math.exp %scaled : tensor<3xf32>
  %b = math.sqrt %scaled : tensor<3xf32>
  return %a, %b : tensor<3xf32>, tensor<3xf32>
}

// A whole summand must not be added on every rank: the partial sum is completed first.
// CHECK-LABEL: func.func @partial_plus_whole(
// CHECK: %[[SUM:.*]] = graph.reduce
// CHECK: %[[WHOLE:.*]] = shard.all_reduce %[[SUM]]
// CHECK: arith.addf %[[WHOLE]]
func.func @partial_plus_whole(%x: tensor<4x3xf32> {graph.name = "x"}) -> tensor<3xf32> {
  %sum = graph.reduce %x {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<4x3xf32>) -> tensor<3xf32>
  %one = arith.constant dense<1.0> : tensor<3xf32>
  %result = arith.addf %sum, %one : tensor<3xf32>
  return %result : tensor<3xf32>
}

// Two partial sums add as they are; their product does not.
// CHECK-LABEL: func.func @two_partials(
// CHECK: %[[ADDED:.*]] = arith.addf
// CHECK-NEXT: %[[WHOLE:.*]] = shard.all_reduce %[[ADDED]]
// CHECK: arith.mulf %[[WHOLE]], %[[WHOLE]]
func.func @two_partials(%x: tensor<4x3xf32> {graph.name = "x"}) -> tensor<3xf32> {
  %a = graph.reduce %x {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<4x3xf32>) -> tensor<3xf32>
  %e = math.exp %x : tensor<4x3xf32>
  %b = graph.reduce %e {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<4x3xf32>) -> tensor<3xf32>
  %sum = arith.addf %a, %b : tensor<3xf32>
  %square = arith.mulf %sum, %sum : tensor<3xf32>
  return %square : tensor<3xf32>
}

// Partial maxima combine by max.
// CHECK-LABEL: func.func @maximum(
// CHECK: shard.all_reduce %{{.*}} on @mesh grid_axes = [0] reduction = max
func.func @maximum(%x: tensor<4x3xf32> {graph.name = "x"}) -> tensor<3xf32> {
  %max = graph.reduce %x {kind = #graph.reduction<max>, dimensions = array<i64: 0>} : (tensor<4x3xf32>) -> tensor<3xf32>
  return %max : tensor<3xf32>
}

// A whole value that meets a split one is cut; a splat simply becomes smaller.
// CHECK-LABEL: func.func @whole_meets_split(
// CHECK: %[[TABLE:.*]] = arith.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]>
// CHECK: %[[PART:.*]] = shard.all_slice %[[TABLE]] on @mesh grid_axes = [0] slice_axis = 0 : tensor<4xf32> -> tensor<2xf32>
// CHECK: arith.addf %{{.*}}, %[[PART]] : tensor<2xf32>
func.func @whole_meets_split(%x: tensor<4xf32> {graph.name = "x"}) -> tensor<4xf32> {
  %table = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %two = arith.constant dense<2.0> : tensor<4xf32>
  %sum = arith.addf %x, %table : tensor<4xf32>
  %result = arith.mulf %sum, %two : tensor<4xf32>
  return %result : tensor<4xf32>
}

// CHECK-LABEL: func.func @reshapes(
// CHECK: graph.reshape %{{.*}} : (tensor<2x3x2xf32>) -> tensor<6x2xf32>
// CHECK: graph.reshape %{{.*}} : (tensor<6x2xf32>) -> tensor<2x6xf32>
func.func @reshapes(%x: tensor<4x3x2xf32> {graph.name = "x"}) -> tensor<4x6xf32> {
  %rows = graph.reshape %x : (tensor<4x3x2xf32>) -> tensor<12x2xf32>
  %flat = graph.reshape %rows : (tensor<12x2xf32>) -> tensor<4x6xf32>
  return %flat : tensor<4x6xf32>
}
