// Which ops become one kernel.
// RUN: tw-opt %s --split-input-file --tw-lower-fuse-elementwise | FileCheck %s

// A chain with a broadcast and a reshape in between is one op; the reshape at the end stays outside.
// CHECK-LABEL: func.func @chain
// CHECK: %[[F:.*]] = graph.fused ins(%{{.*}}, %{{.*}}) {
// CHECK: graph.reshape
// CHECK: graph.fused_yield %{{.*}} : tensor<2x4x16xf32>
// CHECK: graph.reshape %[[F]]
// CHECK-NOT: graph.fused
func.func @chain(%x: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<128xf32> {
  %0 = graph.broadcast %b {dimensions = array<i64: 1>} : (tensor<16xf32>) -> tensor<8x16xf32>
  %1 = arith.addf %x, %0 : tensor<8x16xf32>
  %2 = graph.reshape %1 : (tensor<8x16xf32>) -> tensor<2x4x16xf32>
  %3 = arith.mulf %2, %2 : tensor<2x4x16xf32>
  %4 = graph.reshape %3 : (tensor<2x4x16xf32>) -> tensor<128xf32>
  return %4 : tensor<128xf32>
}

// -----
// Results that others use are results of the fused op, computed once.
// CHECK-LABEL: func.func @several_results
// CHECK: %[[F:.*]]:3 = graph.fused
// CHECK-NOT: graph.fused ins
// CHECK: return %[[F]]#0, %[[F]]#1, %[[F]]#2
func.func @several_results(%p: tensor<5xf32>, %m: tensor<5xf32>, %v: tensor<5xf32>, %g: tensor<5xf32>)
    -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) {
  %c = arith.constant dense<0.9> : tensor<5xf32>
  %0 = arith.mulf %m, %c : tensor<5xf32>
  %m1 = arith.addf %0, %g : tensor<5xf32>
  %1 = arith.mulf %g, %g : tensor<5xf32>
  %v1 = arith.addf %v, %1 : tensor<5xf32>
  %2 = math.sqrt %v1 : tensor<5xf32>
  %3 = arith.divf %m1, %2 : tensor<5xf32>
  %p1 = arith.subf %p, %3 : tensor<5xf32>
  return %m1, %v1, %p1 : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

// -----
// Joining the first and the last op would make a cycle through the product.
// CHECK-LABEL: func.func @no_cycle
// CHECK: %[[A:.*]] = graph.fused
// CHECK: %[[P:.*]] = graph.matmul %[[A]], %[[A]]
// CHECK: graph.fused ins(%[[A]], %[[P]])
func.func @no_cycle(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = math.exp %x : tensor<4x4xf32>
  %1 = graph.matmul %0, %0 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = arith.addf %0, %1 : tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// -----
// a -> matmul -> d and c -> matmul -> b: a may join b, or c may join d, but not both.
// CHECK-LABEL: func.func @no_cycle_through_clusters
// CHECK-COUNT-3: graph.fused ins
// CHECK-NOT: graph.fused ins
func.func @no_cycle_through_clusters(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %a = math.exp %x : tensor<4x4xf32>
  %c = math.log %y : tensor<4x4xf32>
  %p = graph.matmul %a, %a : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %q = graph.matmul %c, %c : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %b = arith.addf %a, %q : tensor<4x4xf32>
  %d = arith.addf %c, %p : tensor<4x4xf32>
  return %b, %d : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----
// A broadcast is never kept in memory for elementwise users, nor shared by them; nor does it join what uses it.
// CHECK-LABEL: func.func @broadcast_to_each_user
// CHECK-COUNT-2: graph.fused ins({{.*}}) {
// CHECK-NOT: graph.fused ins
func.func @broadcast_to_each_user(%s: tensor<f32>, %a: tensor<6xf32>, %b: tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>) {
  %0 = graph.broadcast %s {dimensions = array<i64>} : (tensor<f32>) -> tensor<6xf32>
  %1 = arith.mulf %a, %0 : tensor<6xf32>
  %2 = arith.mulf %b, %0 : tensor<6xf32>
  return %1, %2 : tensor<6xf32>, tensor<6xf32>
}

// -----
// Arithmetic on repeated values happens before they are repeated.
// CHECK-LABEL: func.func @before_broadcast
// CHECK: %[[S:.*]] = graph.fused
// CHECK: math.sqrt %{{.*}} : tensor<3xf32>
// CHECK: graph.fused
// CHECK: graph.broadcast %{{.*}} : (tensor<3xf32>) -> tensor<2x3x4xf32>
func.func @before_broadcast(%v: tensor<3xf32>, %x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = graph.broadcast %v {dimensions = array<i64: 1>} : (tensor<3xf32>) -> tensor<2x3x4xf32>
  %c = arith.constant dense<1.0e-5> : tensor<2x3x4xf32>
  %1 = arith.addf %0, %c : tensor<2x3x4xf32>
  %2 = math.sqrt %1 : tensor<2x3x4xf32>
  %3 = arith.divf %x, %2 : tensor<2x3x4xf32>
  return %3 : tensor<2x3x4xf32>
}

// -----
// Scalars of all types join, though they share nothing.
// CHECK-LABEL: func.func @scalars
// CHECK: graph.fused
// CHECK-NOT: graph.fused ins
func.func @scalars(%step: tensor<i64>, %x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %0 = arith.sitofp %step : tensor<i64> to tensor<f64>
  %1 = math.exp %0 : tensor<f64>
  %2 = arith.truncf %1 : tensor<f64> to tensor<f32>
  %3 = math.sqrt %x : tensor<f32>
  return %2, %3 : tensor<f32>, tensor<f32>
}

// -----
// A reduction joins what makes its operand; what uses its result comes after.
// CHECK-LABEL: func.func @reduction
// CHECK: %[[R:.*]] = graph.fused
// CHECK: arith.mulf
// CHECK: graph.reduce
// CHECK: graph.fused ins(%[[R]], %{{.*}})
func.func @reduction(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = arith.mulf %x, %x : tensor<8x16xf32>
  %1 = graph.reduce %0 {kind = #graph.reduction<sum>, dimensions = array<i64: 1>} : (tensor<8x16xf32>) -> tensor<8xf32>
  %2 = graph.broadcast %1 {dimensions = array<i64: 0>} : (tensor<8xf32>) -> tensor<8x16xf32>
  %3 = arith.divf %x, %2 : tensor<8x16xf32>
  return %3 : tensor<8x16xf32>
}

// -----
// A large sum to a scalar goes through partial sums, grouped by the shape alone.
// CHECK-LABEL: func.func @large_sum
// CHECK: graph.reduce %{{.*}} {dimensions = array<i64: 1>{{.*}} : (tensor<16x4096xf32>) -> tensor<16xf32>
// CHECK: graph.reduce %{{.*}} {dimensions = array<i64: 0>{{.*}} : (tensor<16xf32>) -> tensor<f32>
func.func @large_sum(%x: tensor<256x256xf32>) -> tensor<f32> {
  %1 = graph.reduce %x {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1>} : (tensor<256x256xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// -----
// Dimensions that no one loop nest walks keep their ops apart: rows of 6 and rows of 4 do not nest.
// CHECK-LABEL: func.func @apart
// CHECK-COUNT-2: graph.fused ins
func.func @apart(%x: tensor<2x6xf32>, %b: tensor<6xf32>, %c: tensor<3xf32>) -> tensor<3x4xf32> {
  %0 = graph.broadcast %b {dimensions = array<i64: 1>} : (tensor<6xf32>) -> tensor<2x6xf32>
  %1 = arith.addf %x, %0 : tensor<2x6xf32>
  %2 = graph.reshape %1 : (tensor<2x6xf32>) -> tensor<3x4xf32>
  %3 = graph.broadcast %c {dimensions = array<i64: 0>} : (tensor<3xf32>) -> tensor<3x4xf32>
  %4 = arith.mulf %2, %3 : tensor<3x4xf32>
  return %4 : tensor<3x4xf32>
}

// -----
// A constant with different elements is an input; equal elements go into the body.
// CHECK-LABEL: func.func @constants
// CHECK: %[[C:.*]] = arith.constant dense<[1.{{.*}}, 2.{{.*}}]>
// CHECK: graph.fused ins(%{{.*}}, %[[C]])
// CHECK: arith.constant dense<3.0{{.*}}>
func.func @constants(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %s = arith.constant dense<3.0> : tensor<2xf32>
  %0 = arith.addf %x, %c : tensor<2xf32>
  %1 = arith.mulf %0, %s : tensor<2xf32>
  return %1 : tensor<2xf32>
}

// -----
// The mask is not kept: the rectifier's result is, so the backward kernel computes the mask from it.
// CHECK-LABEL: func.func @mask_from_result
// CHECK: %[[Y:.*]] = graph.fused
// CHECK: graph.fused_yield %{{.*}} : tensor<4x4xf32>
// CHECK: %[[P:.*]] = graph.matmul %[[Y]], %[[Y]]
// CHECK: graph.fused ins(%[[Y]], %[[P]])
func.func @mask_from_result(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %y = arith.maximumf %x, %zero : tensor<4x4xf32>
  %mask = arith.cmpf ogt, %y, %zero : tensor<4x4xf32>
  %p = graph.matmul %y, %y : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %dx = arith.select %mask, %p, %zero : tensor<4x4xi1>, tensor<4x4xf32>
  return %dx : tensor<4x4xf32>
}

// -----
// Here the value before the rectifier is in no buffer: keeping the mask costs less than keeping that value.
// CHECK-LABEL: func.func @mask_kept
// CHECK: %[[F:.*]]:2 = graph.fused
// CHECK: %[[P:.*]] = graph.matmul %[[F]]#0, %[[F]]#0
// CHECK: graph.fused ins(%[[F]]#1, %[[P]])
func.func @mask_kept(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %x = arith.addf %a, %a : tensor<4x4xf32>
  %y = arith.maximumf %x, %zero : tensor<4x4xf32>
  %p = graph.matmul %y, %y : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %mask = arith.cmpf ogt, %x, %zero : tensor<4x4xf32>
  %dx = arith.select %mask, %p, %zero : tensor<4x4xi1>, tensor<4x4xf32>
  return %dx : tensor<4x4xf32>
}
