// RUN: tw-opt %s --tw-adapt-raise-normalization --split-input-file | FileCheck %s

// (x - mean) / sqrt(mean((x - mean)^2) + 1e-5) * scale + bias, means as sums times 1/n.
// CHECK-LABEL: func.func @layer_norm
// CHECK: %[[Y:.*]], %{{.*}}, %{{.*}} = graph.layer_norm %arg0, %arg1, %arg2 {axis = 1 : i64, epsilon = 1.000000e-05 : f64}
// CHECK: return %[[Y]]
func.func @layer_norm(%x: tensor<2x4xf32>, %scale: tensor<4xf32>, %bias: tensor<4xf32>) -> tensor<2x4xf32> {
  %quarter = arith.constant dense<0.25> : tensor<2xf32>
  %epsilon = arith.constant dense<9.99999974E-6> : tensor<2x1xf32>
  %0 = graph.reduce %x {dimensions = array<i64: 1>, kind = #graph.reduction<sum>} : (tensor<2x4xf32>) -> tensor<2xf32>
  %1 = arith.mulf %0, %quarter : tensor<2xf32>
  %2 = graph.reshape %1 : (tensor<2xf32>) -> tensor<2x1xf32>
  %3 = graph.broadcast %2 {dimensions = array<i64: 0, 1>} : (tensor<2x1xf32>) -> tensor<2x4xf32>
  %4 = arith.subf %x, %3 : tensor<2x4xf32>
  %5 = arith.mulf %4, %4 : tensor<2x4xf32>
  %6 = graph.reduce %5 {dimensions = array<i64: 1>, kind = #graph.reduction<sum>} : (tensor<2x4xf32>) -> tensor<2xf32>
  %7 = arith.mulf %6, %quarter : tensor<2xf32>
  %8 = graph.reshape %7 : (tensor<2xf32>) -> tensor<2x1xf32>
  %9 = arith.addf %8, %epsilon : tensor<2x1xf32>
  %10 = math.sqrt %9 : tensor<2x1xf32>
  %11 = graph.broadcast %10 {dimensions = array<i64: 0, 1>} : (tensor<2x1xf32>) -> tensor<2x4xf32>
  %12 = arith.divf %4, %11 : tensor<2x4xf32>
  %13 = graph.broadcast %scale {dimensions = array<i64: 1>} : (tensor<4xf32>) -> tensor<2x4xf32>
  %14 = arith.mulf %12, %13 : tensor<2x4xf32>
  %15 = graph.broadcast %bias {dimensions = array<i64: 1>} : (tensor<4xf32>) -> tensor<2x4xf32>
  %16 = arith.addf %14, %15 : tensor<2x4xf32>
  return %16 : tensor<2x4xf32>
}

// -----

// scale * (x * (1 / sqrt(mean(x^2) + 1e-6))).
// CHECK-LABEL: func.func @rms_norm
// CHECK: %[[Y:.*]], %{{.*}} = graph.rms_norm %arg0, %arg1 {axis = 1 : i64, epsilon = 9.9999999999999995E-7 : f64}
// CHECK: return %[[Y]]
func.func @rms_norm(%x: tensor<2x4xf32>, %scale: tensor<4xf32>) -> tensor<2x4xf32> {
  %quarter = arith.constant dense<0.25> : tensor<2xf32>
  %epsilon = arith.constant dense<9.99999997E-7> : tensor<2x1xf32>
  %one = arith.constant dense<1.0> : tensor<2x1xf32>
  %0 = arith.mulf %x, %x : tensor<2x4xf32>
  %1 = graph.reduce %0 {dimensions = array<i64: 1>, kind = #graph.reduction<sum>} : (tensor<2x4xf32>) -> tensor<2xf32>
  %2 = arith.mulf %1, %quarter : tensor<2xf32>
  %3 = graph.reshape %2 : (tensor<2xf32>) -> tensor<2x1xf32>
  %4 = arith.addf %3, %epsilon : tensor<2x1xf32>
  %5 = math.sqrt %4 : tensor<2x1xf32>
  %6 = arith.divf %one, %5 : tensor<2x1xf32>
  %7 = graph.broadcast %6 {dimensions = array<i64: 0, 1>} : (tensor<2x1xf32>) -> tensor<2x4xf32>
  %8 = arith.mulf %x, %7 : tensor<2x4xf32>
  %9 = graph.broadcast %scale {dimensions = array<i64: 1>} : (tensor<4xf32>) -> tensor<2x4xf32>
  %10 = arith.mulf %9, %8 : tensor<2x4xf32>
  return %10 : tensor<2x4xf32>
}

// -----

// A sum that is no mean is no norm; a mean over the first dimension neither.
// CHECK-LABEL: func.func @not_a_mean
// CHECK-NOT: graph.rms_norm
func.func @not_a_mean(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %factor = arith.constant dense<0.5> : tensor<2xf32>
  %epsilon = arith.constant dense<1.0> : tensor<2xf32>
  %0 = arith.mulf %x, %x : tensor<2x4xf32>
  %1 = graph.reduce %0 {dimensions = array<i64: 1>, kind = #graph.reduction<sum>} : (tensor<2x4xf32>) -> tensor<2xf32>
  %2 = arith.mulf %1, %factor : tensor<2xf32>
  %3 = arith.addf %2, %epsilon : tensor<2xf32>
  %4 = math.rsqrt %3 : tensor<2xf32>
  %5 = graph.broadcast %4 {dimensions = array<i64: 0>} : (tensor<2xf32>) -> tensor<2x4xf32>
  %6 = arith.mulf %x, %5 : tensor<2x4xf32>
  return %6 : tensor<2x4xf32>
}
