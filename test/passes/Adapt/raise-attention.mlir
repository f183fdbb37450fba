// RUN: tw-opt %s --tw-adapt-raise-attention --split-input-file | FileCheck %s

// Scales on query and key, a constant causal mask, the guard of rows without keys, and keys repeated for two heads each.
// CHECK-LABEL: func.func @grouped
// CHECK: graph.attention %arg0, %arg1, %arg2 {causal, scale = 2.500000e-01 : f64} : (tensor<1x4x3x16xf32>, tensor<1x2x3x16xf32>, tensor<1x2x3x16xf32>) -> (tensor<1x4x3x16xf32>, tensor<1x4x3xf32>)
// CHECK-NOT: graph.softmax
func.func @grouped(%q: tensor<1x4x3x16xf32>, %k: tensor<1x2x3x16xf32>, %v: tensor<1x2x3x16xf32>) -> tensor<1x4x3x16xf32> {
  %half = arith.constant dense<0.5> : tensor<1x4x3x16xf32>
  %half_t = arith.constant dense<0.5> : tensor<1x4x16x3xf32>
  %mask = arith.constant dense<[[[[0.0, 0xFF800000, 0xFF800000], [0.0, 0.0, 0xFF800000], [0.0, 0.0, 0.0]]]]> : tensor<1x1x3x3xf32>
  %zero = arith.constant dense<0.0> : tensor<1x4x3x3xf32>
  %0 = graph.reshape %k : (tensor<1x2x3x16xf32>) -> tensor<1x2x1x3x16xf32>
  %1 = graph.broadcast %0 {dimensions = array<i64: 0, 1, 2, 3, 4>} : (tensor<1x2x1x3x16xf32>) -> tensor<1x2x2x3x16xf32>
  %2 = graph.reshape %1 : (tensor<1x2x2x3x16xf32>) -> tensor<1x4x3x16xf32>
  %3 = graph.reshape %v : (tensor<1x2x3x16xf32>) -> tensor<1x2x1x3x16xf32>
  %4 = graph.broadcast %3 {dimensions = array<i64: 0, 1, 2, 3, 4>} : (tensor<1x2x1x3x16xf32>) -> tensor<1x2x2x3x16xf32>
  %5 = graph.reshape %4 : (tensor<1x2x2x3x16xf32>) -> tensor<1x4x3x16xf32>
  %6 = graph.transpose %2 {permutation = array<i64: 0, 1, 3, 2>} : (tensor<1x4x3x16xf32>) -> tensor<1x4x16x3xf32>
  %7 = arith.mulf %q, %half : tensor<1x4x3x16xf32>
  %8 = arith.mulf %6, %half_t : tensor<1x4x16x3xf32>
  %9 = graph.matmul %7, %8 : (tensor<1x4x3x16xf32>, tensor<1x4x16x3xf32>) -> tensor<1x4x3x3xf32>
  %10 = graph.broadcast %mask {dimensions = array<i64: 0, 1, 2, 3>} : (tensor<1x1x3x3xf32>) -> tensor<1x4x3x3xf32>
  %11 = arith.addf %9, %10 : tensor<1x4x3x3xf32>
  %12 = graph.softmax %11 {axis = 3 : i64} : (tensor<1x4x3x3xf32>) -> tensor<1x4x3x3xf32>
  %13 = arith.cmpf uno, %12, %12 : tensor<1x4x3x3xf32>
  %14 = arith.select %13, %zero, %12 : tensor<1x4x3x3xi1>, tensor<1x4x3x3xf32>
  %15 = graph.matmul %14, %5 : (tensor<1x4x3x3xf32>, tensor<1x4x3x16xf32>) -> tensor<1x4x3x16xf32>
  return %15 : tensor<1x4x3x16xf32>
}

// -----

// A select over the scores, by a mask that is causal and for one part depends on data: the part stays, as narrow as it is.
// CHECK-LABEL: func.func @padding
// CHECK: %[[BIAS:.*]] = arith.select %arg3, %{{.*}}, %{{.*}} : tensor<2x1x1x3xi1>, tensor<2x1x1x3xf32>
// CHECK: graph.attention %arg0, %arg1, %arg2, %[[BIAS]] {causal, scale = 2.000000e+00 : f64}
func.func @padding(%q: tensor<2x4x3x8xf32>, %k: tensor<2x4x3x8xf32>, %v: tensor<2x4x3x8xf32>, %valid: tensor<2x1x1x3xi1>) -> tensor<2x4x3x8xf32> {
  %two = arith.constant dense<2.0> : tensor<2x4x3x3xf32>
  %low = arith.constant dense<-3.40282347E+38> : tensor<2x4x3x3xf32>
  %causal = arith.constant dense<[[[[true, false, false], [true, true, false], [true, true, true]]]]> : tensor<1x1x3x3xi1>
  %0 = graph.broadcast %causal {dimensions = array<i64: 0, 1, 2, 3>} : (tensor<1x1x3x3xi1>) -> tensor<2x1x3x3xi1>
  %1 = graph.broadcast %valid {dimensions = array<i64: 0, 1, 2, 3>} : (tensor<2x1x1x3xi1>) -> tensor<2x1x3x3xi1>
  %2 = arith.andi %0, %1 : tensor<2x1x3x3xi1>
  %3 = graph.broadcast %2 {dimensions = array<i64: 0, 1, 2, 3>} : (tensor<2x1x3x3xi1>) -> tensor<2x4x3x3xi1>
  %4 = graph.matmul %q, %k {transpose_rhs} : (tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>) -> tensor<2x4x3x3xf32>
  %5 = arith.mulf %4, %two : tensor<2x4x3x3xf32>
  %6 = arith.select %3, %5, %low : tensor<2x4x3x3xi1>, tensor<2x4x3x3xf32>
  %7 = graph.softmax %6 {axis = 3 : i64} : (tensor<2x4x3x3xf32>) -> tensor<2x4x3x3xf32>
  %8 = graph.matmul %7, %v : (tensor<2x4x3x3xf32>, tensor<2x4x3x8xf32>) -> tensor<2x4x3x8xf32>
  return %8 : tensor<2x4x3x8xf32>
}

// -----

// A bias that hides nothing but weighs scores is kept whole; rank 3 is one batch of heads.
// CHECK-LABEL: func.func @rank3
// CHECK-DAG: %[[Q:.*]] = graph.reshape %arg0 : (tensor<4x3x8xf32>) -> tensor<1x4x3x8xf32>
// CHECK-DAG: %[[BIAS:.*]] = graph.reshape %arg3 : (tensor<4x3x3xf32>) -> tensor<1x4x3x3xf32>
// CHECK: %[[Y:.*]], %{{.*}} = graph.attention %[[Q]], %{{.*}}, %{{.*}}, %[[BIAS]] {scale = 1.000000e+00 : f64}
// CHECK: graph.reshape %[[Y]] : (tensor<1x4x3x8xf32>) -> tensor<4x3x8xf32>
func.func @rank3(%q: tensor<4x3x8xf32>, %k: tensor<4x3x8xf32>, %v: tensor<4x3x8xf32>, %bias: tensor<4x3x3xf32>) -> tensor<4x3x8xf32> {
  %0 = graph.matmul %q, %k {transpose_rhs} : (tensor<4x3x8xf32>, tensor<4x3x8xf32>) -> tensor<4x3x3xf32>
  %1 = arith.addf %0, %bias : tensor<4x3x3xf32>
  %2 = graph.softmax %1 {axis = 2 : i64} : (tensor<4x3x3xf32>) -> tensor<4x3x3xf32>
  %3 = graph.matmul %2, %v : (tensor<4x3x3xf32>, tensor<4x3x8xf32>) -> tensor<4x3x8xf32>
  return %3 : tensor<4x3x8xf32>
}

// -----

// A softmax over queries is no attention.
// CHECK-LABEL: func.func @other_axis
// CHECK-NOT: graph.attention
func.func @other_axis(%q: tensor<2x4x3x8xf32>, %k: tensor<2x4x3x8xf32>, %v: tensor<2x4x3x8xf32>) -> tensor<2x4x3x8xf32> {
  %0 = graph.matmul %q, %k {transpose_rhs} : (tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>) -> tensor<2x4x3x3xf32>
  %1 = graph.softmax %0 {axis = 2 : i64} : (tensor<2x4x3x3xf32>) -> tensor<2x4x3x3xf32>
  %2 = graph.matmul %1, %v : (tensor<2x4x3x3xf32>, tensor<2x4x3x8xf32>) -> tensor<2x4x3x8xf32>
  return %2 : tensor<2x4x3x8xf32>
}
