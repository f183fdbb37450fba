// Narrow floats compute in f32 and round each result; integers of all widths; casts between them.
// RUN: tw-opt %s --tw-lower-execute-kernels="tolerance=2e-2 floor=1" -o /dev/null | FileCheck %s
// RUN: tw-opt %s --tw-lower-execute-kernels="target=cuda tolerance=2e-2 floor=1" -o /dev/null | FileCheck %s
// CHECK-NOT: DIFFERS

// CHECK: bf16: agrees
func.func @bf16(%x: tensor<65xbf16>, %b: tensor<f32>) -> (tensor<65xbf16>, tensor<65xf32>) {
  %0 = arith.extf %x : tensor<65xbf16> to tensor<65xf32>
  %1 = graph.broadcast %b {dimensions = array<i64>} : (tensor<f32>) -> tensor<65xf32>
  %2 = arith.mulf %0, %1 : tensor<65xf32>
  %3 = arith.truncf %2 : tensor<65xf32> to tensor<65xbf16>
  %4 = arith.addf %3, %x : tensor<65xbf16>
  return %4, %2 : tensor<65xbf16>, tensor<65xf32>
}
// CHECK: f16: agrees
func.func @f16(%x: tensor<65xf16>) -> tensor<65xf16> {
  %0 = graph.gelu %x : (tensor<65xf16>) -> tensor<65xf16>
  %1 = math.exp %0 : tensor<65xf16>
  return %1 : tensor<65xf16>
}
// CHECK: integers: agrees
func.func @integers(%i: tensor<17xi32>, %j: tensor<17xi64>, %k: tensor<17xi8>) -> (tensor<17xi64>, tensor<17xf32>, tensor<17xi8>) {
  %0 = arith.extsi %i : tensor<17xi32> to tensor<17xi64>
  %1 = arith.muli %0, %j : tensor<17xi64>
  %2 = arith.sitofp %1 : tensor<17xi64> to tensor<17xf32>
  %3 = arith.addi %k, %k : tensor<17xi8>
  return %1, %2, %3 : tensor<17xi64>, tensor<17xf32>, tensor<17xi8>
}
// CHECK: comparisons: agrees
func.func @comparisons(%i: tensor<3x17xi64>, %x: tensor<3x17xf32>) -> (tensor<3x17xi1>, tensor<3xf32>) {
  %c = arith.constant dense<-1> : tensor<3x17xi64>
  %0 = arith.cmpi ne, %i, %c : tensor<3x17xi64>
  %1 = arith.uitofp %0 : tensor<3x17xi1> to tensor<3x17xf32>
  %2 = graph.reduce %1 {kind = #graph.reduction<sum>, dimensions = array<i64: 1>} : (tensor<3x17xf32>) -> tensor<3xf32>
  return %0, %2 : tensor<3x17xi1>, tensor<3xf32>
}
