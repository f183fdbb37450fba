// RUN: tw-opt %s | tw-opt | FileCheck %s

// CHECK-LABEL: func.func @test
func.func @test(%x: tensor<2xf32>, %i: tensor<index>) {
  // CHECK: check.expect_close %{{.*}}, %{{.*}} : tensor<2xf32>
  check.expect_close %x, %x : tensor<2xf32>
  // CHECK: check.expect_close %{{.*}}, %{{.*}} {atol = 1.000000e-01 : f64, rtol = 0.000000e+00 : f64} : tensor<2xf32>
  check.expect_close %x, %x {rtol = 0.0 : f64, atol = 0.1 : f64} : tensor<2xf32>
  // CHECK: check.expect_equal %{{.*}}, %{{.*}} : tensor<index>
  check.expect_equal %i, %i : tensor<index>
  // CHECK: check.expect_finite_differences(%{{.*}}) {function = @f, gradient = @g} : tensor<2xf32>
  check.expect_finite_differences(%x) {function = @f, gradient = @g} : tensor<2xf32>
  // CHECK: check.expect_finite_differences() {function = @loss, gradient = @train, step = 1.000000e-03 : f64}
  check.expect_finite_differences() {function = @loss, gradient = @train, step = 1.0e-3 : f64}
  return
}
func.func private @f(tensor<2xf32>) -> tensor<f32>
func.func private @g(tensor<2xf32>) -> tensor<2xf32>
func.func private @loss() -> tensor<f32>
func.func private @train() -> (tensor<3xf32> {graph.name = "gradient/w"})
