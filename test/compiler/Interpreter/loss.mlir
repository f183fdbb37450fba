// RUN: tw-opt %s --tw-check-execute --verify-diagnostics -o /dev/null
// Cross-entropy; expected values by NumPy in fp64.

func.func @test_cross_entropy_plain() {
  %c1 = arith.constant dense<[[1.21000004, 0.49000001, 0.670000017], [-0.50999999, 1.91999996, 1.71000004], [0.569999993, 0.680000007, -2.02999997], [0.639999986, -0.189999998, 0.430000007]]> : tensor<4x3xf32>
  %c2 = arith.constant dense<[2, -100, 0, 1]> : tensor<4xi64>
  %r3:2 = graph.cross_entropy %c1, %c2 {ignore_index = -100 : i64, label_smoothing = 0.0 : f64} : (tensor<4x3xf32>, tensor<4xi64>) -> (tensor<f32>, tensor<4xf32>)
  %c4 = arith.constant dense<3.69089365> : tensor<f32>
  check.expect_close %r3#0, %c4 : tensor<f32>
  %c5 = arith.constant dense<[1.93730736, 2.5611279, 1.35415339, 1.44943285]> : tensor<4xf32>
  check.expect_close %r3#1, %c5 : tensor<4xf32>
  %c6 = arith.constant dense<0.5> : tensor<f32>
  %r7 = graph.cross_entropy_backward %c6, %c1, %c2, %r3#1 {ignore_index = -100 : i64, label_smoothing = 0.0 : f64} : (tensor<f32>, tensor<4x3xf32>, tensor<4xi64>, tensor<4xf32>) -> tensor<4x3xf32>
  %c8 = arith.constant dense<[[0.241604179, 0.11760138, -0.359205574], [0.0, 0.0, 0.0], [-0.271746993, 0.254793823, 0.0169531684], [0.22255522, -0.402954966, 0.180399761]]> : tensor<4x3xf32>
  check.expect_close %r7, %c8 : tensor<4x3xf32>
  return
}

func.func @test_cross_entropy_smoothed() {
  %c1 = arith.constant dense<[[1.21000004, 0.49000001, 0.670000017], [-0.50999999, 1.91999996, 1.71000004], [0.569999993, 0.680000007, -2.02999997], [0.639999986, -0.189999998, 0.430000007]]> : tensor<4x3xf32>
  %c2 = arith.constant dense<[2, -100, 0, 1]> : tensor<4xi64>
  %r3:2 = graph.cross_entropy %c1, %c2 {ignore_index = -100 : i64, label_smoothing = 0.1 : f64} : (tensor<4x3xf32>, tensor<4xi64>) -> (tensor<f32>, tensor<4xf32>)
  %c4 = arith.constant dense<3.71356034> : tensor<f32>
  check.expect_close %r3#0, %c4 : tensor<f32>
  %c5 = arith.constant dense<[1.93730736, 2.5611279, 1.35415339, 1.44943285]> : tensor<4xf32>
  check.expect_close %r3#1, %c5 : tensor<4xf32>
  %c6 = arith.constant dense<0.5> : tensor<f32>
  %r7 = graph.cross_entropy_backward %c6, %c1, %c2, %r3#1 {ignore_index = -100 : i64, label_smoothing = 0.1 : f64} : (tensor<f32>, tensor<4x3xf32>, tensor<4xi64>, tensor<4xf32>) -> tensor<4x3xf32>
  %c8 = arith.constant dense<[[0.224937513, 0.100934714, -0.325872242], [0.0, 0.0, 0.0], [-0.238413662, 0.238127157, 0.00028650157], [0.205888554, -0.369621634, 0.163733095]]> : tensor<4x3xf32>
  check.expect_close %r7, %c8 : tensor<4x3xf32>
  return
}

func.func @test_cross_entropy_of_a_masked_class() {
  %c1 = arith.constant dense<[[1.0, 0xFF800000]]> : tensor<1x2xf32>
  %c2 = arith.constant dense<[0]> : tensor<1xi64>
  %r3:2 = graph.cross_entropy %c1, %c2 {ignore_index = -100 : i64, label_smoothing = 0.0 : f64} : (tensor<1x2xf32>, tensor<1xi64>) -> (tensor<f32>, tensor<1xf32>)
  %c4 = arith.constant dense<0.0> : tensor<f32>
  check.expect_close %r3#0, %c4 : tensor<f32>
  return
}
