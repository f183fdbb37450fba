// Gradient rules of trigonometric and hyperbolic functions: numbers against central differences.
// RUN: tw-opt %s --tw-differentiate-define-gradients | FileCheck %s
// RUN: tw-opt %s --tw-differentiate-define-gradients --tw-check-execute -o /dev/null

// CHECK-LABEL: func.func private @sin_gradient
func.func @sin(%x: tensor<5xf64>) -> tensor<f64> {
  %y = math.sin %x : tensor<5xf64>
  %square = arith.mulf %y, %y : tensor<5xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<5xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @sin_gradient(tensor<5xf64>) -> tensor<5xf64>
func.func @test_sin() {
  %x = arith.constant dense<[0.652, 0.076, -0.844, -0.636, -1.090]> : tensor<5xf64>
  check.expect_finite_differences(%x) {function = @sin, gradient = @sin_gradient}
    : tensor<5xf64>
  return
}

// CHECK-LABEL: func.func private @cos_gradient
func.func @cos(%x: tensor<5xf64>) -> tensor<f64> {
  %y = math.cos %x : tensor<5xf64>
  %square = arith.mulf %y, %y : tensor<5xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<5xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @cos_gradient(tensor<5xf64>) -> tensor<5xf64>
func.func @test_cos() {
  %x = arith.constant dense<[-1.728, 0.355, -0.852, 1.241, -1.820]> : tensor<5xf64>
  check.expect_finite_differences(%x) {function = @cos, gradient = @cos_gradient}
    : tensor<5xf64>
  return
}

// CHECK-LABEL: func.func private @tan_gradient
func.func @tan(%x: tensor<5xf64>) -> tensor<f64> {
  %y = math.tan %x : tensor<5xf64>
  %square = arith.mulf %y, %y : tensor<5xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<5xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @tan_gradient(tensor<5xf64>) -> tensor<5xf64>
func.func @test_tan() {
  %x = arith.constant dense<[0.807, 0.387, 0.848, 0.793, 0.799]> : tensor<5xf64>
  check.expect_finite_differences(%x) {function = @tan, gradient = @tan_gradient}
    : tensor<5xf64>
  return
}

// CHECK-LABEL: func.func private @asin_gradient
func.func @asin(%x: tensor<5xf64>) -> tensor<f64> {
  %y = math.asin %x : tensor<5xf64>
  %square = arith.mulf %y, %y : tensor<5xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<5xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @asin_gradient(tensor<5xf64>) -> tensor<5xf64>
func.func @test_asin() {
  %x = arith.constant dense<[0.123, -0.779, 0.392, -0.525, -0.320]> : tensor<5xf64>
  check.expect_finite_differences(%x) {function = @asin, gradient = @asin_gradient}
    : tensor<5xf64>
  return
}

// CHECK-LABEL: func.func private @acos_gradient
func.func @acos(%x: tensor<5xf64>) -> tensor<f64> {
  %y = math.acos %x : tensor<5xf64>
  %square = arith.mulf %y, %y : tensor<5xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<5xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @acos_gradient(tensor<5xf64>) -> tensor<5xf64>
func.func @test_acos() {
  %x = arith.constant dense<[0.261, 0.040, -0.138, 0.702, 0.179]> : tensor<5xf64>
  check.expect_finite_differences(%x) {function = @acos, gradient = @acos_gradient}
    : tensor<5xf64>
  return
}

// CHECK-LABEL: func.func private @atan_gradient
func.func @atan(%x: tensor<5xf64>) -> tensor<f64> {
  %y = math.atan %x : tensor<5xf64>
  %square = arith.mulf %y, %y : tensor<5xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<5xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @atan_gradient(tensor<5xf64>) -> tensor<5xf64>
func.func @test_atan() {
  %x = arith.constant dense<[-0.635, -0.990, 1.447, -0.091, 1.129]> : tensor<5xf64>
  check.expect_finite_differences(%x) {function = @atan, gradient = @atan_gradient}
    : tensor<5xf64>
  return
}

// CHECK-LABEL: func.func private @sinh_gradient
func.func @sinh(%x: tensor<5xf64>) -> tensor<f64> {
  %y = math.sinh %x : tensor<5xf64>
  %square = arith.mulf %y, %y : tensor<5xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<5xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @sinh_gradient(tensor<5xf64>) -> tensor<5xf64>
func.func @test_sinh() {
  %x = arith.constant dense<[-0.296, -0.605, 0.069, 0.634, -0.657]> : tensor<5xf64>
  check.expect_finite_differences(%x) {function = @sinh, gradient = @sinh_gradient}
    : tensor<5xf64>
  return
}

// CHECK-LABEL: func.func private @cosh_gradient
func.func @cosh(%x: tensor<5xf64>) -> tensor<f64> {
  %y = math.cosh %x : tensor<5xf64>
  %square = arith.mulf %y, %y : tensor<5xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<5xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @cosh_gradient(tensor<5xf64>) -> tensor<5xf64>
func.func @test_cosh() {
  %x = arith.constant dense<[0.583, 0.844, 0.612, 0.647, -0.985]> : tensor<5xf64>
  check.expect_finite_differences(%x) {function = @cosh, gradient = @cosh_gradient}
    : tensor<5xf64>
  return
}

// CHECK-LABEL: func.func private @tanh_gradient
// CHECK: math.tanh
// CHECK-NOT: math.tanh
func.func @tanh(%x: tensor<5xf64>) -> tensor<f64> {
  %y = math.tanh %x : tensor<5xf64>
  %square = arith.mulf %y, %y : tensor<5xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<5xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @tanh_gradient(tensor<5xf64>) -> tensor<5xf64>
func.func @test_tanh() {
  %x = arith.constant dense<[0.257, 0.725, -0.900, -0.457, -0.463]> : tensor<5xf64>
  check.expect_finite_differences(%x) {function = @tanh, gradient = @tanh_gradient}
    : tensor<5xf64>
  return
}

// CHECK-LABEL: func.func private @asinh_gradient
func.func @asinh(%x: tensor<5xf64>) -> tensor<f64> {
  %y = math.asinh %x : tensor<5xf64>
  %square = arith.mulf %y, %y : tensor<5xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<5xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @asinh_gradient(tensor<5xf64>) -> tensor<5xf64>
func.func @test_asinh() {
  %x = arith.constant dense<[0.109, -0.308, -0.108, 1.106, -1.993]> : tensor<5xf64>
  check.expect_finite_differences(%x) {function = @asinh, gradient = @asinh_gradient}
    : tensor<5xf64>
  return
}

// CHECK-LABEL: func.func private @acosh_gradient
func.func @acosh(%x: tensor<5xf64>) -> tensor<f64> {
  %y = math.acosh %x : tensor<5xf64>
  %square = arith.mulf %y, %y : tensor<5xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<5xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @acosh_gradient(tensor<5xf64>) -> tensor<5xf64>
func.func @test_acosh() {
  %x = arith.constant dense<[1.393, 1.516, 1.512, 1.416, 2.957]> : tensor<5xf64>
  check.expect_finite_differences(%x) {function = @acosh, gradient = @acosh_gradient}
    : tensor<5xf64>
  return
}

// CHECK-LABEL: func.func private @atanh_gradient
func.func @atanh(%x: tensor<5xf64>) -> tensor<f64> {
  %y = math.atanh %x : tensor<5xf64>
  %square = arith.mulf %y, %y : tensor<5xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<5xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @atanh_gradient(tensor<5xf64>) -> tensor<5xf64>
func.func @test_atanh() {
  %x = arith.constant dense<[0.567, -0.662, 0.003, -0.295, -0.297]> : tensor<5xf64>
  check.expect_finite_differences(%x) {function = @atanh, gradient = @atanh_gradient}
    : tensor<5xf64>
  return
}

// CHECK-LABEL: func.func private @atan2_gradient
func.func @atan2(%a: tensor<5xf64>, %b: tensor<5xf64>) -> tensor<f64> {
  %y = math.atan2 %a, %b : tensor<5xf64>
  %square = arith.mulf %y, %y : tensor<5xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<5xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @atan2_gradient(tensor<5xf64>, tensor<5xf64>) -> (tensor<5xf64>, tensor<5xf64>)
func.func @test_atan2() {
  %a = arith.constant dense<[1.259, 0.475, 1.299, 0.308, 0.544]> : tensor<5xf64>
  %b = arith.constant dense<[1.097, -1.823, -1.633, -1.603, 1.522]> : tensor<5xf64>
  check.expect_finite_differences(%a, %b) {function = @atan2, gradient = @atan2_gradient}
    : tensor<5xf64>, tensor<5xf64>
  return
}
