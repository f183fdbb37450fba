// RUN: tw-opt %s -split-input-file -verify-diagnostics

func.func @test(%x: tensor<2xf32>) {
  // expected-error@+1 {{(C1) 'f' does not name a function}}
  check.expect_finite_differences(%x) {function = @f, gradient = @f} : tensor<2xf32>
  return
}

// -----

func.func private @f(tensor<3xf32>) -> tensor<f32>
func.func @test(%x: tensor<2xf32>) {
  // expected-error@+1 {{(C1) the arguments do not have the types of those of 'f', '(tensor<3xf32>) -> tensor<f32>'}}
  check.expect_finite_differences(%x) {function = @f, gradient = @f} : tensor<2xf32>
  return
}

// -----

func.func private @f(tensor<2xf32>) -> tensor<2xf32>
func.func @test(%x: tensor<2xf32>) {
  // expected-error@+1 {{(C2) 'f' does not give a float tensor of rank 0}}
  check.expect_finite_differences(%x) {function = @f, gradient = @f} : tensor<2xf32>
  return
}

// -----

func.func private @f(tensor<2xf32>) -> tensor<f32>
func.func private @g(tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
func.func @test(%x: tensor<2xf32>) {
  // expected-error@+1 {{(C3) compares 1 arguments, but 'g' has 2 results}}
  check.expect_finite_differences(%x) {function = @f, gradient = @g} : tensor<2xf32>
  return
}

// -----

func.func private @f(tensor<2xf32>) -> tensor<f32>
func.func private @g(tensor<2xf32>) -> tensor<3xf32>
func.func @test(%x: tensor<2xf32>) {
  // expected-error@+1 {{(C3) argument 0 has type 'tensor<2xf32>', but its gradient has type 'tensor<3xf32>'}}
  check.expect_finite_differences(%x) {function = @f, gradient = @g} : tensor<2xf32>
  return
}

// -----

func.func private @f(tensor<2xf32>) -> tensor<f32>
func.func private @g(tensor<2xf32>) -> tensor<2xf32>
func.func @test(%x: tensor<2xf32>) {
  // expected-error@+1 {{(C3) there is no argument 1}}
  check.expect_finite_differences(%x) {function = @f, gradient = @g, with_respect_to = array<i64: 1>} : tensor<2xf32>
  return
}
