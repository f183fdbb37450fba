// Compiled kernels against the reference interpreter, on shapes that are no multiple of a vector.
// RUN: tw-opt %s --tw-lower-execute-kernels="floor=1e-6" -o /dev/null | FileCheck %s
// RUN: tw-opt %s --tw-lower-execute-kernels="cpu=x86-64 floor=1e-6" -o /dev/null | FileCheck %s
// RUN: tw-opt %s --tw-lower-execute-kernels="target=cuda floor=1e-6" -o /dev/null | FileCheck %s
// CHECK-NOT: DIFFERS

// CHECK: bias_1x1: agrees
func.func @bias_1x1(%x: tensor<1x1xf32>, %b: tensor<1xf32>) -> tensor<1x1xf32> {
  %0 = graph.broadcast %b {dimensions = array<i64: 1>} : (tensor<1xf32>) -> tensor<1x1xf32>
  %1 = arith.addf %x, %0 : tensor<1x1xf32>
  return %1 : tensor<1x1xf32>
}
// CHECK: bias_3x65: agrees
func.func @bias_3x65(%x: tensor<3x65xf32>, %b: tensor<65xf32>) -> tensor<3x65xf32> {
  %0 = graph.broadcast %b {dimensions = array<i64: 1>} : (tensor<65xf32>) -> tensor<3x65xf32>
  %1 = arith.addf %x, %0 : tensor<3x65xf32>
  return %1 : tensor<3x65xf32>
}
// CHECK: rows_17x3: agrees
func.func @rows_17x3(%x: tensor<17x3xf32>, %b: tensor<17x1xf32>) -> tensor<17x3xf32> {
  %0 = graph.broadcast %b {dimensions = array<i64: 0, 1>} : (tensor<17x1xf32>) -> tensor<17x3xf32>
  %1 = arith.mulf %x, %0 : tensor<17x3xf32>
  return %1 : tensor<17x3xf32>
}
// An operand read both along rows and along columns.
// CHECK: outer_product: agrees
func.func @outer_product(%v: tensor<17xf32>) -> tensor<17x17xf32> {
  %0 = graph.broadcast %v {dimensions = array<i64: 0>} : (tensor<17xf32>) -> tensor<17x17xf32>
  %1 = graph.broadcast %v {dimensions = array<i64: 1>} : (tensor<17xf32>) -> tensor<17x17xf32>
  %2 = arith.mulf %0, %1 : tensor<17x17xf32>
  return %2 : tensor<17x17xf32>
}
// CHECK: batch_norm: agrees
func.func @batch_norm(%x: tensor<3x5x7x3xf32>, %mean: tensor<5xf32>, %scale: tensor<5xf32>) -> tensor<3x5x7x3xf32> {
  %0 = graph.broadcast %mean {dimensions = array<i64: 1>} : (tensor<5xf32>) -> tensor<3x5x7x3xf32>
  %1 = graph.broadcast %scale {dimensions = array<i64: 1>} : (tensor<5xf32>) -> tensor<3x5x7x3xf32>
  %2 = arith.subf %x, %0 : tensor<3x5x7x3xf32>
  %3 = arith.mulf %2, %1 : tensor<3x5x7x3xf32>
  return %3 : tensor<3x5x7x3xf32>
}
// A broadcast of broadcasts, a reshape in between.
// CHECK: reshaped: agrees
func.func @reshaped(%x: tensor<6x17xf32>, %b: tensor<17xf32>, %c: tensor<3x17xf32>) -> tensor<2x3x17xf32> {
  %0 = graph.broadcast %b {dimensions = array<i64: 1>} : (tensor<17xf32>) -> tensor<6x17xf32>
  %1 = arith.addf %x, %0 : tensor<6x17xf32>
  %2 = graph.reshape %1 : (tensor<6x17xf32>) -> tensor<2x3x17xf32>
  %3 = graph.broadcast %c {dimensions = array<i64: 1, 2>} : (tensor<3x17xf32>) -> tensor<2x3x17xf32>
  %4 = arith.mulf %2, %3 : tensor<2x3x17xf32>
  return %4 : tensor<2x3x17xf32>
}
// Results of booleans, and of what reads them.
// CHECK: relu_backward: agrees
func.func @relu_backward(%dy: tensor<65xf32>, %x: tensor<65xf32>) -> (tensor<65xi1>, tensor<65xf32>) {
  %zero = arith.constant dense<0.0> : tensor<65xf32>
  %0 = arith.cmpf ogt, %x, %zero : tensor<65xf32>
  %1 = arith.select %0, %dy, %zero : tensor<65xi1>, tensor<65xf32>
  return %0, %1 : tensor<65xi1>, tensor<65xf32>
}
// CHECK: masks: agrees
func.func @masks(%a: tensor<17xi1>, %b: tensor<17xi1>, %x: tensor<17xf32>) -> (tensor<17xi1>, tensor<17xf32>) {
  %0 = arith.andi %a, %b : tensor<17xi1>
  %zero = arith.constant dense<0.0> : tensor<17xf32>
  %1 = arith.select %0, %x, %zero : tensor<17xi1>, tensor<17xf32>
  return %0, %1 : tensor<17xi1>, tensor<17xf32>
}
// CHECK: scalars: agrees
func.func @scalars(%step: tensor<i64>, %beta: tensor<f64>) -> (tensor<f64>, tensor<f32>, tensor<i64>) {
  %one = arith.constant dense<1> : tensor<i64>
  %0 = arith.addi %step, %one : tensor<i64>
  %1 = arith.sitofp %0 : tensor<i64> to tensor<f64>
  %2 = math.absf %beta : tensor<f64>
  %3 = math.powf %2, %1 : tensor<f64>
  %4 = math.cos %3 : tensor<f64>
  %5 = arith.truncf %4 : tensor<f64> to tensor<f32>
  return %3, %5, %0 : tensor<f64>, tensor<f32>, tensor<i64>
}
// CHECK: adamw: agrees
func.func @adamw(%p: tensor<65xf32>, %m: tensor<65xf32>, %v: tensor<65xf32>, %g: tensor<65xf32>, %lr: tensor<f32>)
    -> (tensor<65xf32>, tensor<65xf32>, tensor<65xf32>) {
  %b1 = arith.constant dense<0.9> : tensor<65xf32>
  %c1 = arith.constant dense<0.1> : tensor<65xf32>
  %b2 = arith.constant dense<0.999> : tensor<65xf32>
  %c2 = arith.constant dense<0.001> : tensor<65xf32>
  %eps = arith.constant dense<1.0e-8> : tensor<65xf32>
  %0 = arith.mulf %m, %b1 : tensor<65xf32>
  %1 = arith.mulf %g, %c1 : tensor<65xf32>
  %m1 = arith.addf %0, %1 : tensor<65xf32>
  %2 = math.absf %v : tensor<65xf32>
  %3 = arith.mulf %2, %b2 : tensor<65xf32>
  %4 = arith.mulf %g, %g : tensor<65xf32>
  %5 = arith.mulf %4, %c2 : tensor<65xf32>
  %v1 = arith.addf %3, %5 : tensor<65xf32>
  %6 = math.sqrt %v1 : tensor<65xf32>
  %7 = arith.addf %6, %eps : tensor<65xf32>
  %8 = arith.divf %m1, %7 : tensor<65xf32>
  %9 = graph.broadcast %lr {dimensions = array<i64>} : (tensor<f32>) -> tensor<65xf32>
  %10 = arith.mulf %8, %9 : tensor<65xf32>
  return %m1, %v1, %10 : tensor<65xf32>, tensor<65xf32>, tensor<65xf32>
}
