// Gradient rules of math: structure where a residual is chosen, and numbers against central differences.
// RUN: tw-opt %s --tw-differentiate-define-gradients | FileCheck %s
// RUN: tw-opt %s --tw-differentiate-define-gradients --tw-check-execute -o /dev/null

// CHECK-LABEL: func.func private @exp_gradient
// CHECK: %[[Y:.*]] = math.exp
// CHECK-NOT: math.exp
// CHECK: arith.mulf %{{.*}}, %[[Y]]
func.func @exp(%x: tensor<5xf64>) -> tensor<f64> {
  %y = math.exp %x : tensor<5xf64>
  %square = arith.mulf %y, %y : tensor<5xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<5xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @exp_gradient(tensor<5xf64>) -> tensor<5xf64>
func.func @test_exp() {
  %x = arith.constant dense<[-0.380, -0.555, 0.608, -0.523, -0.625]> : tensor<5xf64>
  check.expect_finite_differences(%x) {function = @exp, gradient = @exp_gradient}
    : tensor<5xf64>
  return
}

// CHECK-LABEL: func.func private @exp2_gradient
func.func @exp2(%x: tensor<5xf64>) -> tensor<f64> {
  %y = math.exp2 %x : tensor<5xf64>
  %square = arith.mulf %y, %y : tensor<5xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<5xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @exp2_gradient(tensor<5xf64>) -> tensor<5xf64>
func.func @test_exp2() {
  %x = arith.constant dense<[-0.130, 0.396, -0.796, -0.356, -0.332]> : tensor<5xf64>
  check.expect_finite_differences(%x) {function = @exp2, gradient = @exp2_gradient}
    : tensor<5xf64>
  return
}

// CHECK-LABEL: func.func private @expm1_gradient
func.func @expm1(%x: tensor<5xf64>) -> tensor<f64> {
  %y = math.expm1 %x : tensor<5xf64>
  %square = arith.mulf %y, %y : tensor<5xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<5xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @expm1_gradient(tensor<5xf64>) -> tensor<5xf64>
func.func @test_expm1() {
  %x = arith.constant dense<[0.667, -0.123, 0.711, -0.661, -0.327]> : tensor<5xf64>
  check.expect_finite_differences(%x) {function = @expm1, gradient = @expm1_gradient}
    : tensor<5xf64>
  return
}

// CHECK-LABEL: func.func private @log_gradient
func.func @log(%x: tensor<5xf64>) -> tensor<f64> {
  %y = math.log %x : tensor<5xf64>
  %square = arith.mulf %y, %y : tensor<5xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<5xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @log_gradient(tensor<5xf64>) -> tensor<5xf64>
func.func @test_log() {
  %x = arith.constant dense<[1.475, 1.827, 1.177, 0.838, 0.681]> : tensor<5xf64>
  check.expect_finite_differences(%x) {function = @log, gradient = @log_gradient}
    : tensor<5xf64>
  return
}

// CHECK-LABEL: func.func private @log2_gradient
func.func @log2(%x: tensor<5xf64>) -> tensor<f64> {
  %y = math.log2 %x : tensor<5xf64>
  %square = arith.mulf %y, %y : tensor<5xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<5xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @log2_gradient(tensor<5xf64>) -> tensor<5xf64>
func.func @test_log2() {
  %x = arith.constant dense<[1.294, 0.786, 1.710, 1.758, 0.775]> : tensor<5xf64>
  check.expect_finite_differences(%x) {function = @log2, gradient = @log2_gradient}
    : tensor<5xf64>
  return
}

// CHECK-LABEL: func.func private @log10_gradient
func.func @log10(%x: tensor<5xf64>) -> tensor<f64> {
  %y = math.log10 %x : tensor<5xf64>
  %square = arith.mulf %y, %y : tensor<5xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<5xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @log10_gradient(tensor<5xf64>) -> tensor<5xf64>
func.func @test_log10() {
  %x = arith.constant dense<[0.918, 1.711, 1.463, 1.709, 1.018]> : tensor<5xf64>
  check.expect_finite_differences(%x) {function = @log10, gradient = @log10_gradient}
    : tensor<5xf64>
  return
}

// CHECK-LABEL: func.func private @log1p_gradient
func.func @log1p(%x: tensor<5xf64>) -> tensor<f64> {
  %y = math.log1p %x : tensor<5xf64>
  %square = arith.mulf %y, %y : tensor<5xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<5xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @log1p_gradient(tensor<5xf64>) -> tensor<5xf64>
func.func @test_log1p() {
  %x = arith.constant dense<[-0.089, 0.301, 1.505, 0.251, 0.431]> : tensor<5xf64>
  check.expect_finite_differences(%x) {function = @log1p, gradient = @log1p_gradient}
    : tensor<5xf64>
  return
}

// CHECK-LABEL: func.func private @sqrt_gradient
// CHECK: math.sqrt
// CHECK-NOT: math.sqrt
func.func @sqrt(%x: tensor<5xf64>) -> tensor<f64> {
  %y = math.sqrt %x : tensor<5xf64>
  %square = arith.mulf %y, %y : tensor<5xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<5xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @sqrt_gradient(tensor<5xf64>) -> tensor<5xf64>
func.func @test_sqrt() {
  %x = arith.constant dense<[1.125, 1.130, 1.114, 1.881, 0.734]> : tensor<5xf64>
  check.expect_finite_differences(%x) {function = @sqrt, gradient = @sqrt_gradient}
    : tensor<5xf64>
  return
}

// CHECK-LABEL: func.func private @rsqrt_gradient
func.func @rsqrt(%x: tensor<5xf64>) -> tensor<f64> {
  %y = math.rsqrt %x : tensor<5xf64>
  %square = arith.mulf %y, %y : tensor<5xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<5xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @rsqrt_gradient(tensor<5xf64>) -> tensor<5xf64>
func.func @test_rsqrt() {
  %x = arith.constant dense<[0.507, 1.915, 1.820, 1.980, 1.152]> : tensor<5xf64>
  check.expect_finite_differences(%x) {function = @rsqrt, gradient = @rsqrt_gradient}
    : tensor<5xf64>
  return
}

// CHECK-LABEL: func.func private @cbrt_gradient
func.func @cbrt(%x: tensor<5xf64>) -> tensor<f64> {
  %y = math.cbrt %x : tensor<5xf64>
  %square = arith.mulf %y, %y : tensor<5xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<5xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @cbrt_gradient(tensor<5xf64>) -> tensor<5xf64>
func.func @test_cbrt() {
  %x = arith.constant dense<[1.925, 1.891, 0.833, 1.618, 1.755]> : tensor<5xf64>
  check.expect_finite_differences(%x) {function = @cbrt, gradient = @cbrt_gradient}
    : tensor<5xf64>
  return
}

// CHECK-LABEL: func.func private @erf_gradient
func.func @erf(%x: tensor<5xf64>) -> tensor<f64> {
  %y = math.erf %x : tensor<5xf64>
  %square = arith.mulf %y, %y : tensor<5xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<5xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @erf_gradient(tensor<5xf64>) -> tensor<5xf64>
func.func @test_erf() {
  %x = arith.constant dense<[-0.297, 0.294, 0.173, -0.278, -0.618]> : tensor<5xf64>
  check.expect_finite_differences(%x) {function = @erf, gradient = @erf_gradient}
    : tensor<5xf64>
  return
}

// CHECK-LABEL: func.func private @erfc_gradient
func.func @erfc(%x: tensor<5xf64>) -> tensor<f64> {
  %y = math.erfc %x : tensor<5xf64>
  %square = arith.mulf %y, %y : tensor<5xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<5xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @erfc_gradient(tensor<5xf64>) -> tensor<5xf64>
func.func @test_erfc() {
  %x = arith.constant dense<[-0.342, -0.752, 0.111, 0.432, -0.240]> : tensor<5xf64>
  check.expect_finite_differences(%x) {function = @erfc, gradient = @erfc_gradient}
    : tensor<5xf64>
  return
}

// CHECK-LABEL: func.func private @absf_gradient
func.func @absf(%x: tensor<5xf64>) -> tensor<f64> {
  %y = math.absf %x : tensor<5xf64>
  %z = arith.addf %y, %y : tensor<5xf64>
  %square = arith.mulf %z, %z : tensor<5xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<5xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @absf_gradient(tensor<5xf64>) -> tensor<5xf64>
func.func @test_absf() {
  %x = arith.constant dense<[-1.680, -1.286, -0.507, 0.418, 1.130]> : tensor<5xf64>
  check.expect_finite_differences(%x) {function = @absf, gradient = @absf_gradient}
    : tensor<5xf64>
  return
}

// CHECK-LABEL: func.func private @powf_gradient
func.func @powf(%a: tensor<5xf64>, %b: tensor<5xf64>) -> tensor<f64> {
  %y = math.powf %a, %b : tensor<5xf64>
  %square = arith.mulf %y, %y : tensor<5xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<5xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @powf_gradient(tensor<5xf64>, tensor<5xf64>) -> (tensor<5xf64>, tensor<5xf64>)
func.func @test_powf() {
  %a = arith.constant dense<[1.070, 1.702, 1.434, 1.147, 1.059]> : tensor<5xf64>
  %b = arith.constant dense<[-0.015, 0.812, -0.318, 0.776, -0.157]> : tensor<5xf64>
  check.expect_finite_differences(%a, %b) {function = @powf, gradient = @powf_gradient}
    : tensor<5xf64>, tensor<5xf64>
  return
}

// d x^2 at x = 0 is 0, and d x^0 is 0 everywhere.
// CHECK-LABEL: func.func private @powf_at_zero_gradient
func.func @powf_at_zero(%a: tensor<4xf64>) -> tensor<f64> {
  %b = arith.constant dense<[2.0, 2.0, 0.0, 1.0]> : tensor<4xf64>
  %y = math.powf %a, %b : tensor<4xf64>
  %square = arith.mulf %y, %y : tensor<4xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<4xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @powf_at_zero_gradient(tensor<4xf64>) -> tensor<4xf64>
func.func @test_powf_at_zero() {
  %a = arith.constant dense<[0.0, -1.5, 2.0, 0.5]> : tensor<4xf64>
  check.expect_finite_differences(%a) {function = @powf_at_zero, gradient = @powf_at_zero_gradient}
    : tensor<4xf64>
  return
}

// CHECK-LABEL: func.func private @fpowi_gradient
func.func @fpowi(%a: tensor<4xf64>) -> tensor<f64> {
  %n = arith.constant dense<[3, 0, -1, 2]> : tensor<4xi64>
  %y = math.fpowi %a, %n : tensor<4xf64>, tensor<4xi64>
  %square = arith.mulf %y, %y : tensor<4xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<4xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @fpowi_gradient(tensor<4xf64>) -> tensor<4xf64>
func.func @test_fpowi() {
  %a = arith.constant dense<[-1.020, 0.781, -1.714, -0.300]> : tensor<4xf64>
  check.expect_finite_differences(%a) {function = @fpowi, gradient = @fpowi_gradient}
    : tensor<4xf64>
  return
}

// CHECK-LABEL: func.func private @fma_gradient
func.func @fma(%a: tensor<5xf64>, %b: tensor<5xf64>, %c: tensor<5xf64>) -> tensor<f64> {
  %y = math.fma %a, %b, %c : tensor<5xf64>
  %square = arith.mulf %y, %y : tensor<5xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<5xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @fma_gradient(tensor<5xf64>, tensor<5xf64>, tensor<5xf64>) -> (tensor<5xf64>, tensor<5xf64>, tensor<5xf64>)
func.func @test_fma() {
  %a = arith.constant dense<[-0.297, 1.519, 1.746, -0.503, 1.591]> : tensor<5xf64>
  %b = arith.constant dense<[1.164, -0.951, -0.143, -1.507, 1.253]> : tensor<5xf64>
  %c = arith.constant dense<[0.649, 1.549, 1.170, 0.670, 0.935]> : tensor<5xf64>
  check.expect_finite_differences(%a, %b, %c) {function = @fma, gradient = @fma_gradient}
    : tensor<5xf64>, tensor<5xf64>, tensor<5xf64>
  return
}

// CHECK-LABEL: func.func private @copysign_gradient
func.func @copysign(%a: tensor<5xf64>, %b: tensor<5xf64>) -> tensor<f64> {
  %s = math.copysign %a, %b : tensor<5xf64>
  %y = arith.mulf %s, %a : tensor<5xf64>
  %square = arith.mulf %y, %y : tensor<5xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<5xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @copysign_gradient(tensor<5xf64>, tensor<5xf64>) -> (tensor<5xf64>, tensor<5xf64>)
func.func @test_copysign() {
  %a = arith.constant dense<[-1.283, -1.906, 1.366, -1.515, 1.376]> : tensor<5xf64>
  %b = arith.constant dense<[0.694, 1.345, 1.810, 0.316, 1.195]> : tensor<5xf64>
  check.expect_finite_differences(%a, %b) {function = @copysign, gradient = @copysign_gradient}
    : tensor<5xf64>, tensor<5xf64>
  return
}

// CHECK-LABEL: func.func private @clampf_gradient
func.func @clampf(%x: tensor<4xf64>, %l: tensor<4xf64>, %h: tensor<4xf64>) -> tensor<f64> {
  %y = math.clampf %x to [%l, %h] : tensor<4xf64>
  %square = arith.mulf %y, %y : tensor<4xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<4xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @clampf_gradient(tensor<4xf64>, tensor<4xf64>, tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>)
func.func @test_clampf() {
  %x = arith.constant dense<[-2.0, -0.3, 0.4, 3.0]> : tensor<4xf64>
  %l = arith.constant dense<[-1.193, -1.047, -1.098, -1.057]> : tensor<4xf64>
  %h = arith.constant dense<[1.021, 1.150, 1.187, 1.012]> : tensor<4xf64>
  check.expect_finite_differences(%x, %l, %h) {function = @clampf, gradient = @clampf_gradient}
    : tensor<4xf64>, tensor<4xf64>, tensor<4xf64>
  return
}

// Steps have no slope; what is beside them does.
// CHECK-LABEL: func.func private @floor_gradient
func.func @floor(%x: tensor<4xf64>) -> tensor<f64> {
  %s = math.floor %x : tensor<4xf64>
  %y = arith.mulf %s, %x : tensor<4xf64>
  %square = arith.mulf %y, %y : tensor<4xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<4xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @floor_gradient(tensor<4xf64>) -> tensor<4xf64>
func.func @test_floor() {
  %x = arith.constant dense<[-1.7, -0.3, 0.4, 2.2]> : tensor<4xf64>
  check.expect_finite_differences(%x) {function = @floor, gradient = @floor_gradient}
    : tensor<4xf64>
  return
}

// CHECK-LABEL: func.func private @ceil_gradient
func.func @ceil(%x: tensor<4xf64>) -> tensor<f64> {
  %s = math.ceil %x : tensor<4xf64>
  %y = arith.mulf %s, %x : tensor<4xf64>
  %square = arith.mulf %y, %y : tensor<4xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<4xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @ceil_gradient(tensor<4xf64>) -> tensor<4xf64>
func.func @test_ceil() {
  %x = arith.constant dense<[-1.7, -0.3, 0.4, 2.2]> : tensor<4xf64>
  check.expect_finite_differences(%x) {function = @ceil, gradient = @ceil_gradient}
    : tensor<4xf64>
  return
}

// CHECK-LABEL: func.func private @round_gradient
func.func @round(%x: tensor<4xf64>) -> tensor<f64> {
  %s = math.round %x : tensor<4xf64>
  %y = arith.mulf %s, %x : tensor<4xf64>
  %square = arith.mulf %y, %y : tensor<4xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<4xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @round_gradient(tensor<4xf64>) -> tensor<4xf64>
func.func @test_round() {
  %x = arith.constant dense<[-1.7, -0.3, 0.4, 2.2]> : tensor<4xf64>
  check.expect_finite_differences(%x) {function = @round, gradient = @round_gradient}
    : tensor<4xf64>
  return
}

// CHECK-LABEL: func.func private @roundeven_gradient
func.func @roundeven(%x: tensor<4xf64>) -> tensor<f64> {
  %s = math.roundeven %x : tensor<4xf64>
  %y = arith.mulf %s, %x : tensor<4xf64>
  %square = arith.mulf %y, %y : tensor<4xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<4xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @roundeven_gradient(tensor<4xf64>) -> tensor<4xf64>
func.func @test_roundeven() {
  %x = arith.constant dense<[-1.7, -0.3, 0.4, 2.2]> : tensor<4xf64>
  check.expect_finite_differences(%x) {function = @roundeven, gradient = @roundeven_gradient}
    : tensor<4xf64>
  return
}

// CHECK-LABEL: func.func private @trunc_gradient
func.func @trunc(%x: tensor<4xf64>) -> tensor<f64> {
  %s = math.trunc %x : tensor<4xf64>
  %y = arith.mulf %s, %x : tensor<4xf64>
  %square = arith.mulf %y, %y : tensor<4xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<4xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @trunc_gradient(tensor<4xf64>) -> tensor<4xf64>
func.func @test_trunc() {
  %x = arith.constant dense<[-1.7, -0.3, 0.4, 2.2]> : tensor<4xf64>
  check.expect_finite_differences(%x) {function = @trunc, gradient = @trunc_gradient}
    : tensor<4xf64>
  return
}
