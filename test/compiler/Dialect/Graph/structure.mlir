// RUN: tw-opt %s | tw-opt | FileCheck %s
// RUN: tw-opt %s -emit-bytecode | tw-opt | FileCheck %s

// CHECK-LABEL: func.func @reshape_1
// CHECK: graph.reshape %{{.*}} : (tensor<2x3xf32>) -> tensor<3x2xf32>
func.func @reshape_1(%a: tensor<2x3xf32>) {
  %r = graph.reshape %a : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// CHECK-LABEL: func.func @transpose_2
// CHECK: graph.transpose %{{.*}} {permutation = array<i64: 1, 0>} : (tensor<2x3xi1>) -> tensor<3x2xi1>
func.func @transpose_2(%a: tensor<2x3xi1>) {
  %r = graph.transpose %a {permutation = array<i64: 1, 0>} : (tensor<2x3xi1>) -> tensor<3x2xi1>
  return
}

// CHECK-LABEL: func.func @broadcast_3
// CHECK: graph.broadcast %{{.*}} {dimensions = array<i64: 0, 2>} : (tensor<1x3xf32>) -> tensor<2x4x3xf32>
func.func @broadcast_3(%a: tensor<1x3xf32>) {
  %r = graph.broadcast %a {dimensions = array<i64: 0, 2>} : (tensor<1x3xf32>) -> tensor<2x4x3xf32>
  return
}

// CHECK-LABEL: func.func @broadcast_4
// CHECK: graph.broadcast %{{.*}} {dimensions = array<i64>} : (tensor<f32>) -> tensor<2xf32>
func.func @broadcast_4(%a: tensor<f32>) {
  %r = graph.broadcast %a {dimensions = array<i64>} : (tensor<f32>) -> tensor<2xf32>
  return
}

// CHECK-LABEL: func.func @slice_5
// CHECK: graph.slice %{{.*}} {starts = array<i64: 1, 4>, strides = array<i64: 2, -1>} : (tensor<4x5xf32>) -> tensor<2x5xf32>
func.func @slice_5(%a: tensor<4x5xf32>) {
  %r = graph.slice %a {starts = array<i64: 1, 4>, strides = array<i64: 2, -1>} : (tensor<4x5xf32>) -> tensor<2x5xf32>
  return
}

// CHECK-LABEL: func.func @pad_6
// CHECK: graph.pad %{{.*}} {high = array<i64: 1>, interior = array<i64: 1>, low = array<i64: 2>, value = 0.000000e+00 : f64} : (tensor<2xf32>) -> tensor<6xf32>
func.func @pad_6(%a: tensor<2xf32>) {
  %r = graph.pad %a {high = array<i64: 1>, interior = array<i64: 1>, low = array<i64: 2>, value = 0.000000e+00 : f64} : (tensor<2xf32>) -> tensor<6xf32>
  return
}

// CHECK-LABEL: func.func @concat_7
// CHECK: graph.concat %{{.*}} {axis = 0 : i64} : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<6x3xf32>
func.func @concat_7(%a: tensor<2x3xf32>, %b: tensor<4x3xf32>) {
  %r = graph.concat %a, %b {axis = 0 : i64} : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<6x3xf32>
  return
}

// CHECK-LABEL: func.func @gather_8
// CHECK: graph.gather %{{.*}} {axis = 1 : i64} : (tensor<2x3xf32>, tensor<4x5xi64>) -> tensor<2x4x5xf32>
func.func @gather_8(%a: tensor<2x3xf32>, %b: tensor<4x5xi64>) {
  %r = graph.gather %a, %b {axis = 1 : i64} : (tensor<2x3xf32>, tensor<4x5xi64>) -> tensor<2x4x5xf32>
  return
}

// CHECK-LABEL: func.func @scatter_add_9
// CHECK: graph.scatter_add %{{.*}} {axis = 1 : i64} : (tensor<2x4x5xf32>, tensor<4x5xi64>) -> tensor<2x3xf32>
func.func @scatter_add_9(%a: tensor<2x4x5xf32>, %b: tensor<4x5xi64>) {
  %r = graph.scatter_add %a, %b {axis = 1 : i64} : (tensor<2x4x5xf32>, tensor<4x5xi64>) -> tensor<2x3xf32>
  return
}

// CHECK-LABEL: func.func @reduce_10
// CHECK: graph.reduce %{{.*}} {dimensions = array<i64: 0, 2>, kind = #graph.reduction<max>} : (tensor<2x3x4xf32>) -> tensor<3xf32>
func.func @reduce_10(%a: tensor<2x3x4xf32>) {
  %r = graph.reduce %a {dimensions = array<i64: 0, 2>, kind = #graph.reduction<max>} : (tensor<2x3x4xf32>) -> tensor<3xf32>
  return
}
