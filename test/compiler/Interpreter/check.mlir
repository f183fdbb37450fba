// RUN: tw-opt %s --tw-check-execute -split-input-file -verify-diagnostics -o /dev/null
// What expectations accept and what they report. All functions run, also after a failure.

func.func @test_within_tolerance() {
  %a = arith.constant dense<[1.0, 0x7FC00000, 0x7F800000, 0.0]> : tensor<4xf32>
  %b = arith.constant dense<[1.01, 0x7FC00000, 0x7F800000, 0.05]> : tensor<4xf32>
  check.expect_close %a, %b {rtol = 0.02 : f64, atol = 0.1 : f64} : tensor<4xf32>
  return
}
func.func @test_far() {
  %a = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %b = arith.constant dense<[[1.0, 2.0], [3.5, 5.0]]> : tensor<2x2xf32>
  // expected-error@+1 {{2 of 4 elements differ; the first, at [1, 0], is 3, expected 3.5}}
  check.expect_close %a, %b : tensor<2x2xf32>
  return
}
func.func @test_nan_is_not_close() {
  %a = arith.constant dense<0x7FC00000> : tensor<f32>
  %b = arith.constant dense<1.0> : tensor<f32>
  // expected-error@+1 {{1 of 1 elements differ; the first, at [], is nan, expected 1}}
  check.expect_close %a, %b {rtol = 1.0e9 : f64} : tensor<f32>
  return
}
func.func @test_unequal() {
  %a = arith.constant dense<[1, 2]> : tensor<2xi64>
  %b = arith.constant dense<[1, 3]> : tensor<2xi64>
  // expected-error@+1 {{1 of 2 elements differ; the first, at [1], is 2, expected 3}}
  check.expect_equal %a, %b : tensor<2xi64>
  return
}
func.func @test_zeros_have_signs() {
  %a = arith.constant dense<0.0> : tensor<f32>
  %b = arith.constant dense<-0.0> : tensor<f32>
  check.expect_close %a, %b : tensor<f32>
  // expected-error@+1 {{is 0, expected -0}}
  check.expect_equal %a, %b : tensor<f32>
  return
}

// -----

// A wrong gradient: of x^2, x.
func.func private @square(%x: tensor<f64>) -> tensor<f64> {
  %y = arith.mulf %x, %x : tensor<f64>
  return %y : tensor<f64>
}
func.func private @wrong(%x: tensor<f64>) -> tensor<f64> {
  return %x : tensor<f64>
}
func.func @test_gradient() {
  %x = arith.constant dense<3.0> : tensor<f64>
  // expected-error@+1 {{gradient of argument 0, element 0, is 3, but the finite difference is 6}}
  check.expect_finite_differences(%x) {function = @square, gradient = @wrong} : tensor<f64>
  return
}

// -----

graph.parameter @w : tensor<2xf32> {role = #graph.role<trainable>, value = dense<[3.0, 4.0]> : tensor<2xf32>}
func.func private @train() -> (tensor<f32>, tensor<2xf32> {graph.name = "gradient/w"}) {
  %w = graph.load @w : tensor<2xf32>
  %square = arith.mulf %w, %w : tensor<2xf32>
  %loss = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<2xf32>) -> tensor<f32>
  %gradient = arith.constant dense<[6.0, 7.0]> : tensor<2xf32>
  %zero = arith.constant dense<0.0> : tensor<2xf32>
  graph.store %zero, @w : tensor<2xf32>
  return %loss, %gradient : tensor<f32>, tensor<2xf32>
}
func.func @test_parameter_gradient() {
  // expected-error@+1 {{gradient of parameter 'w', element 1, is 7, but the finite difference is 8}}
  check.expect_finite_differences() {function = @train, gradient = @train}
  return
}
