// RUN: tw-opt %s --tw-lower-select-kernels --tw-lower-eliminate-copies --split-input-file | FileCheck %s

// A reshape and an outermost slice are views.
// CHECK-LABEL: func.func @views(
// CHECK-SAME: %[[X:.*]]: tensor<4x6xf32>
// CHECK: %[[V:.*]] = plan.view %[[X]] offset 12 strides [3, 1] : tensor<4x6xf32> -> tensor<4x3xf32>
// CHECK: plan.kernel "softmax_f32_host"(%[[V]])
// CHECK-NOT: graph.
func.func @views(%x: tensor<4x6xf32>) -> tensor<4x3xf32> {
  %0 = graph.slice %x {starts = array<i64: 2, 0>, strides = array<i64: 1, 1>} : (tensor<4x6xf32>) -> tensor<2x6xf32>
  %1 = graph.reshape %0 : (tensor<2x6xf32>) -> tensor<4x3xf32>
  %2 = graph.softmax %1 {axis = 1 : i64} : (tensor<4x3xf32>) -> tensor<4x3xf32>
  return %2 : tensor<4x3xf32>
}

// -----

// Where a kernel wants row-major elements, one strided copy serves all users.
// CHECK-LABEL: func.func @copy_once(
// CHECK: %[[V:.*]] = plan.view %{{.*}} offset 0 strides [1, 6]
// CHECK: %[[C:.*]] = plan.kernel "transpose_b4_host"(%[[V]]) {permutation = array<i64: 0, 1>}
// CHECK-NOT: transpose_b4_host
// CHECK: plan.kernel "softmax_f32_host"(%[[C]])
// CHECK: plan.kernel "log_softmax_f32_host"(%[[C]])
func.func @copy_once(%x: tensor<4x6xf32>) -> (tensor<6x4xf32>, tensor<6x4xf32>) {
  %0 = graph.transpose %x {permutation = array<i64: 1, 0>} : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %1 = graph.softmax %0 {axis = 1 : i64} : (tensor<6x4xf32>) -> tensor<6x4xf32>
  %2 = graph.log_softmax %0 {axis = 1 : i64} : (tensor<6x4xf32>) -> tensor<6x4xf32>
  return %1, %2 : tensor<6x4xf32>, tensor<6x4xf32>
}

// -----

// Parts of a concat along the outermost dimension are computed in place; an argument is copied there.
// CHECK-LABEL: func.func @concat(
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32>
// CHECK: %[[A:.*]] = plan.kernel "softmax_f32_host"(%[[X]])
// CHECK: %[[B:.*]] = plan.kernel "transpose_b4_host"(%[[X]])
// CHECK: plan.assemble %[[A]], %[[B]] offsets [0, 6] strides {{\[}}array<i64: 3, 1>, array<i64: 3, 1>]
func.func @concat(%x: tensor<2x3xf32>) -> tensor<4x3xf32> {
  %0 = graph.softmax %x {axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = graph.concat %0, %x {axis = 0 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return %1 : tensor<4x3xf32>
}

// -----

// Heads are split from and joined to rows without moving anything: attention reads and writes strided memory.
// CHECK-LABEL: func.func @heads(
// CHECK-SAME: %[[QKV:.*]]: tensor<10x24xf32>
// CHECK-DAG: %[[Q:.*]] = plan.view %[[QKV]] offset 0 strides [120, 4, 24, 1]
// CHECK-DAG: %[[K:.*]] = plan.view %[[QKV]] offset 8 strides [120, 4, 24, 1]
// CHECK-DAG: %[[V:.*]] = plan.view %[[QKV]] offset 16 strides [120, 4, 24, 1]
// CHECK: %[[Y:.*]]:2 = plan.kernel "attention_f32_host"(%[[Q]], %[[K]], %[[V]])
// CHECK-SAME: result_strides [array<i64: 40, 4, 8, 1>, array<i64>]
// CHECK: plan.view %[[Y]]#0 offset 0 strides [8, 1] : tensor<2x2x5x4xf32> -> tensor<10x8xf32>
// CHECK-NOT: transpose_b4_host
func.func @heads(%qkv: tensor<10x24xf32>) -> tensor<10x8xf32> {
  %q0 = graph.slice %qkv {starts = array<i64: 0, 0>, strides = array<i64: 1, 1>} : (tensor<10x24xf32>) -> tensor<10x8xf32>
  %k0 = graph.slice %qkv {starts = array<i64: 0, 8>, strides = array<i64: 1, 1>} : (tensor<10x24xf32>) -> tensor<10x8xf32>
  %v0 = graph.slice %qkv {starts = array<i64: 0, 16>, strides = array<i64: 1, 1>} : (tensor<10x24xf32>) -> tensor<10x8xf32>
  %q1 = graph.reshape %q0 : (tensor<10x8xf32>) -> tensor<2x5x2x4xf32>
  %k1 = graph.reshape %k0 : (tensor<10x8xf32>) -> tensor<2x5x2x4xf32>
  %v1 = graph.reshape %v0 : (tensor<10x8xf32>) -> tensor<2x5x2x4xf32>
  %q = graph.transpose %q1 {permutation = array<i64: 0, 2, 1, 3>} : (tensor<2x5x2x4xf32>) -> tensor<2x2x5x4xf32>
  %k = graph.transpose %k1 {permutation = array<i64: 0, 2, 1, 3>} : (tensor<2x5x2x4xf32>) -> tensor<2x2x5x4xf32>
  %v = graph.transpose %v1 {permutation = array<i64: 0, 2, 1, 3>} : (tensor<2x5x2x4xf32>) -> tensor<2x2x5x4xf32>
  %y, %l = graph.attention %q, %k, %v {scale = 0.5 : f64, causal} : (tensor<2x2x5x4xf32>, tensor<2x2x5x4xf32>, tensor<2x2x5x4xf32>) -> (tensor<2x2x5x4xf32>, tensor<2x2x5xf32>)
  %t = graph.transpose %y {permutation = array<i64: 0, 2, 1, 3>} : (tensor<2x2x5x4xf32>) -> tensor<2x5x2x4xf32>
  %r = graph.reshape %t : (tensor<2x5x2x4xf32>) -> tensor<10x8xf32>
  %s = graph.softmax %r {axis = 1 : i64} : (tensor<10x8xf32>) -> tensor<10x8xf32>
  return %s : tensor<10x8xf32>
}
