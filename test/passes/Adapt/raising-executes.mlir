// The same numbers before and after raising: computed with NumPy in double precision.
// RUN: tw-opt %s --tw-check-execute -o /dev/null
// RUN: tw-opt %s --tw-adapt-raise-softmax --tw-adapt-raise-normalization --tw-adapt-raise-gelu --tw-adapt-fold-transposes --tw-adapt-raise-attention --tw-check-execute -o %t
// RUN: FileCheck %s < %t

// Inputs are parameters: constants would be folded.
graph.parameter @gelu_x : tensor<4xf32> {role = #graph.role<buffer>, value = dense<[-2.000000000e+00, -5.000000000e-01, 7.500000000e-01, 3.000000000e+00]> : tensor<4xf32>}
graph.parameter @norms_x : tensor<2x4xf32> {role = #graph.role<buffer>, value = dense<[[1.000000000e+00, 2.000000000e+00, -3.000000000e+00, 4.000000000e+00], [5.000000000e-01, 2.500000000e-01, 8.000000000e+00, -1.000000000e+00]]> : tensor<2x4xf32>}
graph.parameter @norms_scale : tensor<4xf32> {role = #graph.role<buffer>, value = dense<[1.000000000e+00, 2.000000000e+00, 5.000000000e-01, -1.000000000e+00]> : tensor<4xf32>}
graph.parameter @norms_bias : tensor<4xf32> {role = #graph.role<buffer>, value = dense<[1.000000015e-01, 2.000000030e-01, 3.000000119e-01, 4.000000060e-01]> : tensor<4xf32>}
graph.parameter @attention_q : tensor<1x4x3x2xf32> {role = #graph.role<buffer>, value = dense<[[[[2.039999962e+00, -2.559999943e+00], [4.199999869e-01, -5.699999928e-01], [-4.499999881e-01, -2.199999988e-01]], [[-2.019999981e+00, -2.300000042e-01], [-8.700000048e-01, 3.319999933e+00], [2.300000042e-01, -3.499999940e-01]], [[-2.800000012e-01, -6.700000167e-01], [-1.059999943e+00, -3.899999857e-01], [4.799999893e-01, -2.399999946e-01]], [[9.599999785e-01, -2.000000030e-01], [1.999999955e-02, 1.549999952e+00], [5.500000119e-01, -5.099999905e-01]]]]> : tensor<1x4x3x2xf32>}
graph.parameter @attention_k : tensor<1x2x3x2xf32> {role = #graph.role<buffer>, value = dense<[[[[-1.800000072e-01, 5.400000215e-01], [1.940000057e+00, -2.700000107e-01], [-2.399999946e-01, 1.000000000e+00]], [[-8.899999857e-01, -2.899999917e-01], [8.799999952e-01, 5.799999833e-01], [9.000000358e-02, 6.700000167e-01]]]]> : tensor<1x2x3x2xf32>}
graph.parameter @attention_v : tensor<1x2x3x2xf32> {role = #graph.role<buffer>, value = dense<[[[[-2.829999924e+00, 1.019999981e+00], [-9.599999785e-01, -1.669999957e+00], [2.800000012e-01, 6.999999881e-01]], [[-4.399999976e-01, -1.080000043e+00], [2.999999933e-02, -5.000000075e-02], [1.409999967e+00, 7.500000000e-01]]]]> : tensor<1x2x3x2xf32>}
graph.parameter @attention_numbers : tensor<1x1x1x3xi64> {role = #graph.role<buffer>, value = dense<[[[[0, 1, 1]]]]> : tensor<1x1x1x3xi64>}

// CHECK-LABEL: func.func @test_gelu
// CHECK: graph.gelu %{{.*}} : (tensor<4xf32>)
// CHECK: graph.gelu %{{.*}} {tanh}
func.func @test_gelu() {
  %x = graph.load @gelu_x : tensor<4xf32>
  %root = arith.constant dense<1.41421354> : tensor<4xf32>
  %one = arith.constant dense<1.0> : tensor<4xf32>
  %half = arith.constant dense<0.5> : tensor<4xf32>
  %0 = arith.divf %x, %root : tensor<4xf32>
  %1 = math.erf %0 : tensor<4xf32>
  %2 = arith.addf %1, %one : tensor<4xf32>
  %3 = arith.mulf %x, %2 : tensor<4xf32>
  %4 = arith.mulf %3, %half : tensor<4xf32>
  %erf = arith.constant dense<[-4.550026357e-02, -1.542687714e-01, 5.800294876e-01, 2.995950222e+00]> : tensor<4xf32>
  check.expect_close %4, %erf : tensor<4xf32>
  %cubic = arith.constant dense<4.471500e-02> : tensor<4xf32>
  %slope = arith.constant dense<0.797884583> : tensor<4xf32>
  %5 = arith.mulf %x, %x : tensor<4xf32>
  %6 = arith.mulf %5, %x : tensor<4xf32>
  %7 = arith.mulf %6, %cubic : tensor<4xf32>
  %8 = arith.addf %x, %7 : tensor<4xf32>
  %9 = arith.mulf %8, %slope : tensor<4xf32>
  %10 = math.tanh %9 : tensor<4xf32>
  %11 = arith.addf %10, %one : tensor<4xf32>
  %12 = arith.mulf %x, %half : tensor<4xf32>
  %13 = arith.mulf %12, %11 : tensor<4xf32>
  %tanh = arith.constant dense<[-4.540230706e-02, -1.542859972e-01, 5.799605846e-01, 2.996362686e+00]> : tensor<4xf32>
  check.expect_close %13, %tanh : tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @test_norms
// CHECK: graph.layer_norm
// CHECK: graph.rms_norm
// CHECK-NOT: math.rsqrt
func.func @test_norms() {
  %x = graph.load @norms_x : tensor<2x4xf32>
  %scale = graph.load @norms_scale : tensor<4xf32>
  %bias = graph.load @norms_bias : tensor<4xf32>
  %quarter = arith.constant dense<0.25> : tensor<2xf32>
  %epsilon = arith.constant dense<1.0e-5> : tensor<2xf32>
  %0 = graph.reduce %x {dimensions = array<i64: 1>, kind = #graph.reduction<sum>} : (tensor<2x4xf32>) -> tensor<2xf32>
  %1 = arith.mulf %0, %quarter : tensor<2xf32>
  %2 = graph.broadcast %1 {dimensions = array<i64: 0>} : (tensor<2xf32>) -> tensor<2x4xf32>
  %3 = arith.subf %x, %2 : tensor<2x4xf32>
  %4 = arith.mulf %3, %3 : tensor<2x4xf32>
  %5 = graph.reduce %4 {dimensions = array<i64: 1>, kind = #graph.reduction<sum>} : (tensor<2x4xf32>) -> tensor<2xf32>
  %6 = arith.mulf %5, %quarter : tensor<2xf32>
  %7 = arith.addf %6, %epsilon : tensor<2xf32>
  %8 = math.rsqrt %7 : tensor<2xf32>
  %9 = graph.broadcast %8 {dimensions = array<i64: 0>} : (tensor<2xf32>) -> tensor<2x4xf32>
  %10 = arith.mulf %3, %9 : tensor<2x4xf32>
  %11 = graph.broadcast %scale {dimensions = array<i64: 1>} : (tensor<4xf32>) -> tensor<2x4xf32>
  %12 = arith.mulf %10, %11 : tensor<2x4xf32>
  %13 = graph.broadcast %bias {dimensions = array<i64: 1>} : (tensor<4xf32>) -> tensor<2x4xf32>
  %14 = arith.addf %12, %13 : tensor<2x4xf32>
  %layer = arith.constant dense<[[1.000000015e-01, 9.844639301e-01, -4.844639301e-01, -7.766959071e-01], [-3.053845465e-01, -7.517724037e-01, 1.154832602e+00, 1.228394508e+00]]> : tensor<2x4xf32>
  check.expect_close %14, %layer {rtol = 1.0e-5 : f64, atol = 1.0e-6 : f64} : tensor<2x4xf32>
  %small = arith.constant dense<1.0e-6> : tensor<2xf32>
  %15 = arith.mulf %x, %x : tensor<2x4xf32>
  %16 = graph.reduce %15 {dimensions = array<i64: 1>, kind = #graph.reduction<sum>} : (tensor<2x4xf32>) -> tensor<2xf32>
  %17 = arith.mulf %16, %quarter : tensor<2xf32>
  %18 = arith.addf %17, %small : tensor<2xf32>
  %19 = math.rsqrt %18 : tensor<2xf32>
  %20 = graph.broadcast %19 {dimensions = array<i64: 0>} : (tensor<2xf32>) -> tensor<2x4xf32>
  %21 = arith.mulf %x, %20 : tensor<2x4xf32>
  %22 = arith.mulf %21, %11 : tensor<2x4xf32>
  %rms = arith.constant dense<[[3.651483357e-01, 1.460593343e+00, -5.477225184e-01, -1.460593343e+00], [1.237376407e-01, 1.237376407e-01, 9.899011254e-01, 2.474752814e-01]]> : tensor<2x4xf32>
  check.expect_close %22, %rms {rtol = 1.0e-5 : f64, atol = 1.0e-6 : f64} : tensor<2x4xf32>
  return
}

// A query without a visible key gives zeros: the first key is padding, so the first query sees none.
// CHECK-LABEL: func.func @test_attention
// CHECK: graph.attention {{.*}} {causal, scale = 5.000000e-01 : f64} : (tensor<1x4x3x2xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>, tensor<1x1x1x3xf32>)
// CHECK-NOT: graph.softmax
func.func @test_attention() {
  %q = graph.load @attention_q : tensor<1x4x3x2xf32>
  %k = graph.load @attention_k : tensor<1x2x3x2xf32>
  %v = graph.load @attention_v : tensor<1x2x3x2xf32>
  %causal = arith.constant dense<[[[[true, false, false], [true, true, false], [true, true, true]]]]> : tensor<1x1x3x3xi1>
  %numbers = graph.load @attention_numbers : tensor<1x1x1x3xi64>
  %none = arith.constant dense<0> : tensor<1x1x1x3xi64>
  %half = arith.constant dense<0.5> : tensor<1x4x3x2xf32>
  %zero = arith.constant dense<0.0> : tensor<1x1x3x3xf32>
  %low = arith.constant dense<0xFF800000> : tensor<1x1x3x3xf32>
  %zeros = arith.constant dense<0.0> : tensor<1x4x3x3xf32>
  %padding = arith.cmpi ne, %numbers, %none : tensor<1x1x1x3xi64>
  %0 = graph.broadcast %padding {dimensions = array<i64: 0, 1, 2, 3>} : (tensor<1x1x1x3xi1>) -> tensor<1x1x3x3xi1>
  %1 = arith.andi %causal, %0 : tensor<1x1x3x3xi1>
  %2 = arith.select %1, %zero, %low : tensor<1x1x3x3xi1>, tensor<1x1x3x3xf32>
  %3 = graph.reshape %k : (tensor<1x2x3x2xf32>) -> tensor<1x2x1x3x2xf32>
  %4 = graph.broadcast %3 {dimensions = array<i64: 0, 1, 2, 3, 4>} : (tensor<1x2x1x3x2xf32>) -> tensor<1x2x2x3x2xf32>
  %5 = graph.reshape %4 : (tensor<1x2x2x3x2xf32>) -> tensor<1x4x3x2xf32>
  %6 = graph.reshape %v : (tensor<1x2x3x2xf32>) -> tensor<1x2x1x3x2xf32>
  %7 = graph.broadcast %6 {dimensions = array<i64: 0, 1, 2, 3, 4>} : (tensor<1x2x1x3x2xf32>) -> tensor<1x2x2x3x2xf32>
  %8 = graph.reshape %7 : (tensor<1x2x2x3x2xf32>) -> tensor<1x4x3x2xf32>
  %9 = graph.transpose %5 {permutation = array<i64: 0, 1, 3, 2>} : (tensor<1x4x3x2xf32>) -> tensor<1x4x2x3xf32>
  %10 = arith.mulf %q, %half : tensor<1x4x3x2xf32>
  %11 = graph.matmul %10, %9 : (tensor<1x4x3x2xf32>, tensor<1x4x2x3xf32>) -> tensor<1x4x3x3xf32>
  %12 = graph.broadcast %2 {dimensions = array<i64: 0, 1, 2, 3>} : (tensor<1x1x3x3xf32>) -> tensor<1x4x3x3xf32>
  %13 = arith.addf %11, %12 : tensor<1x4x3x3xf32>
  %14 = graph.softmax %13 {axis = 3 : i64} : (tensor<1x4x3x3xf32>) -> tensor<1x4x3x3xf32>
  %15 = arith.cmpf uno, %14, %14 : tensor<1x4x3x3xf32>
  %16 = arith.select %15, %zeros, %14 : tensor<1x4x3x3xi1>, tensor<1x4x3x3xf32>
  %17 = graph.matmul %16, %8 : (tensor<1x4x3x3xf32>, tensor<1x4x3x2xf32>) -> tensor<1x4x3x2xf32>
  %expected = arith.constant dense<[[[[0.000000000e+00, 0.000000000e+00], [-9.599999785e-01, -1.669999957e+00], [-2.323536575e-01, -2.792565823e-01]], [[0.000000000e+00, 0.000000000e+00], [-9.599999785e-01, -1.669999957e+00], [-4.839413762e-01, -7.601137161e-01]], [[0.000000000e+00, 0.000000000e+00], [2.999999933e-02, -5.000000075e-02], [6.510924697e-01, 3.100535870e-01]], [[0.000000000e+00, 0.000000000e+00], [2.999999933e-02, -5.000000075e-02], [6.375271678e-01, 3.021896482e-01]]]]> : tensor<1x4x3x2xf32>
  check.expect_close %17, %expected {rtol = 1.0e-5 : f64, atol = 1.0e-6 : f64} : tensor<1x4x3x2xf32>
  return
}
