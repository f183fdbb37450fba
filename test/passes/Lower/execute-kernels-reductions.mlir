// Generated reductions against the reference interpreter. Sums are of squares, so that rounding stays relative.
// RUN: tw-opt %s --tw-lower-execute-kernels -o /dev/null | FileCheck %s
// RUN: tw-opt %s --tw-lower-execute-kernels="cpu=x86-64" -o /dev/null | FileCheck %s
// RUN: tw-opt %s --tw-lower-execute-kernels="target=cuda" -o /dev/null | FileCheck %s
// CHECK-NOT: DIFFERS

// CHECK: rows_1x1: agrees
func.func @rows_1x1(%x: tensor<1x1xf32>) -> tensor<1xf32> {
  %0 = graph.reduce %x {kind = #graph.reduction<sum>, dimensions = array<i64: 1>} : (tensor<1x1xf32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}
// CHECK: rows_17x65: agrees
func.func @rows_17x65(%x: tensor<17x65xf32>) -> (tensor<17x65xf32>, tensor<17xf32>) {
  %0 = arith.mulf %x, %x : tensor<17x65xf32>
  %1 = graph.reduce %0 {kind = #graph.reduction<sum>, dimensions = array<i64: 1>} : (tensor<17x65xf32>) -> tensor<17xf32>
  return %0, %1 : tensor<17x65xf32>, tensor<17xf32>
}
// CHECK: columns_65x17: agrees
func.func @columns_65x17(%x: tensor<65x17xf32>) -> (tensor<65x17xf32>, tensor<17xf32>) {
  %0 = arith.mulf %x, %x : tensor<65x17xf32>
  %1 = graph.reduce %0 {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<65x17xf32>) -> tensor<17xf32>
  return %0, %1 : tensor<65x17xf32>, tensor<17xf32>
}
// Two sums over images and pixels in one walk, one of them of a product with a repeated operand.
// CHECK: channels: agrees
func.func @channels(%x: tensor<3x5x7x3xf32>, %b: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
  %0 = arith.mulf %x, %x : tensor<3x5x7x3xf32>
  %1 = graph.broadcast %b {dimensions = array<i64: 1>} : (tensor<5xf32>) -> tensor<3x5x7x3xf32>
  %2 = arith.mulf %0, %1 : tensor<3x5x7x3xf32>
  %3 = graph.reduce %0 {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 2, 3>} : (tensor<3x5x7x3xf32>) -> tensor<5xf32>
  %4 = graph.reduce %2 {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 2, 3>} : (tensor<3x5x7x3xf32>) -> tensor<5xf32>
  return %3, %4 : tensor<5xf32>, tensor<5xf32>
}
// The middle one of three dimensions, and the outer two of three.
// CHECK: middle: agrees
func.func @middle(%x: tensor<3x17x5xf32>) -> tensor<3x5xf32> {
  %0 = arith.mulf %x, %x : tensor<3x17x5xf32>
  %1 = graph.reduce %0 {kind = #graph.reduction<sum>, dimensions = array<i64: 1>} : (tensor<3x17x5xf32>) -> tensor<3x5xf32>
  return %1 : tensor<3x5xf32>
}
// CHECK: all: agrees
func.func @all(%x: tensor<3x17x5xf32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %0 = arith.mulf %x, %x : tensor<3x17x5xf32>
  %1 = graph.reduce %0 {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1, 2>} : (tensor<3x17x5xf32>) -> tensor<f32>
  %2 = graph.reduce %x {kind = #graph.reduction<max>, dimensions = array<i64: 0, 1, 2>} : (tensor<3x17x5xf32>) -> tensor<f32>
  %3 = graph.reduce %x {kind = #graph.reduction<min>, dimensions = array<i64: 0, 1, 2>} : (tensor<3x17x5xf32>) -> tensor<f32>
  return %1, %2, %3 : tensor<f32>, tensor<f32>, tensor<f32>
}
// CHECK: products: agrees
func.func @products(%x: tensor<2x5xf64>, %i: tensor<5x3xi64>) -> (tensor<2xf64>, tensor<5xi64>, tensor<3xi64>) {
  %1 = graph.reduce %x {kind = #graph.reduction<prod>, dimensions = array<i64: 1>} : (tensor<2x5xf64>) -> tensor<2xf64>
  %2 = graph.reduce %i {kind = #graph.reduction<sum>, dimensions = array<i64: 1>} : (tensor<5x3xi64>) -> tensor<5xi64>
  %3 = graph.reduce %i {kind = #graph.reduction<max>, dimensions = array<i64: 0>} : (tensor<5x3xi64>) -> tensor<3xi64>
  return %1, %2, %3 : tensor<2xf64>, tensor<5xi64>, tensor<3xi64>
}
// Through partial sums.
// CHECK: large: agrees
func.func @large(%x: tensor<193x256xf32>) -> tensor<f32> {
  %0 = arith.mulf %x, %x : tensor<193x256xf32>
  %1 = graph.reduce %0 {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1>} : (tensor<193x256xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}
