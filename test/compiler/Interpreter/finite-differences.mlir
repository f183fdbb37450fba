// RUN: tw-opt %s --tw-check-execute --verify-diagnostics -o /dev/null
// Backward ops against central differences of the ops whose cotangents they compute.

func.func private @convolution_input(%a0: tensor<1x2x4x4xf32>, %a1: tensor<2x1x2x2xf32>) -> tensor<f32> {
  %w = arith.constant dense<[[[[0.280000001, 0.699999988, -0.439999998], [-1.08000004, 0.0299999993, -0.0500000007], [1.40999997, 0.75, 0.189999998]], [[1.11000001, -0.209999993, -0.930000007], [0.579999983, 0.579999983, -0.209999993], [-0.779999971, 0.230000004, -2.49000001]]]]> : tensor<1x2x3x3xf32>
  %y = graph.convolution %a0, %a1 {strides = array<i64: 2, 1>, pads = array<i64: 1, 0, 1, 1>, dilations = array<i64: 1, 2>, groups = 2 : i64} : (tensor<1x2x4x4xf32>, tensor<2x1x2x2xf32>) -> tensor<1x2x3x3xf32>
  %p = arith.mulf %y, %w : tensor<1x2x3x3xf32>
  %loss = graph.reduce %p {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1, 2, 3>} : (tensor<1x2x3x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
func.func private @convolution_input_gradient(%a0: tensor<1x2x4x4xf32>, %a1: tensor<2x1x2x2xf32>) -> tensor<1x2x4x4xf32> {
  %w = arith.constant dense<[[[[0.280000001, 0.699999988, -0.439999998], [-1.08000004, 0.0299999993, -0.0500000007], [1.40999997, 0.75, 0.189999998]], [[1.11000001, -0.209999993, -0.930000007], [0.579999983, 0.579999983, -0.209999993], [-0.779999971, 0.230000004, -2.49000001]]]]> : tensor<1x2x3x3xf32>
  %g = graph.convolution_backward_input %w, %a1 {strides = array<i64: 2, 1>, pads = array<i64: 1, 0, 1, 1>, dilations = array<i64: 1, 2>, groups = 2 : i64} : (tensor<1x2x3x3xf32>, tensor<2x1x2x2xf32>) -> tensor<1x2x4x4xf32>
  return %g : tensor<1x2x4x4xf32>
}
func.func @test_convolution_input() {
  %a0 = arith.constant dense<[[[[2.03999996, -2.55999994, 0.419999987, -0.569999993], [-0.449999988, -0.219999999, -2.01999998, -0.230000004], [-0.870000005, 3.31999993, 0.230000004, -0.349999994], [-0.280000001, -0.670000017, -1.05999994, -0.389999986]], [[0.479999989, -0.239999995, 0.959999979, -0.200000003], [0.0199999996, 1.54999995, 0.550000012, -0.50999999], [-0.180000007, 0.540000021, 1.94000006, -0.270000011], [-0.239999995, 1.0, -0.889999986, -0.289999992]]]]> : tensor<1x2x4x4xf32>
  %a1 = arith.constant dense<[[[[0.879999995, 0.579999983], [0.0900000036, 0.670000017]]], [[[-2.82999992, 1.01999998], [-0.959999979, -1.66999996]]]]> : tensor<2x1x2x2xf32>
  check.expect_finite_differences(%a0, %a1) {function = @convolution_input, gradient = @convolution_input_gradient, with_respect_to = array<i64: 0>} : tensor<1x2x4x4xf32>, tensor<2x1x2x2xf32>
  return
}

func.func private @convolution_filter(%a0: tensor<1x2x4x4xf32>, %a1: tensor<2x1x2x2xf32>) -> tensor<f32> {
  %w = arith.constant dense<[[[[0.75999999, 0.219999999, -0.319999993], [0.289999992, -0.239999995, 0.819999993], [-0.790000021, 0.129999995, -0.109999999]], [[0.540000021, 0.219999999, 2.54999995], [1.5, 1.5, -2.03999996], [-0.340000004, -0.610000014, 0.529999971]]]]> : tensor<1x2x3x3xf32>
  %y = graph.convolution %a0, %a1 {strides = array<i64: 2, 1>, pads = array<i64: 1, 0, 1, 1>, dilations = array<i64: 1, 2>, groups = 2 : i64} : (tensor<1x2x4x4xf32>, tensor<2x1x2x2xf32>) -> tensor<1x2x3x3xf32>
  %p = arith.mulf %y, %w : tensor<1x2x3x3xf32>
  %loss = graph.reduce %p {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1, 2, 3>} : (tensor<1x2x3x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
func.func private @convolution_filter_gradient(%a0: tensor<1x2x4x4xf32>, %a1: tensor<2x1x2x2xf32>) -> tensor<2x1x2x2xf32> {
  %w = arith.constant dense<[[[[0.75999999, 0.219999999, -0.319999993], [0.289999992, -0.239999995, 0.819999993], [-0.790000021, 0.129999995, -0.109999999]], [[0.540000021, 0.219999999, 2.54999995], [1.5, 1.5, -2.03999996], [-0.340000004, -0.610000014, 0.529999971]]]]> : tensor<1x2x3x3xf32>
  %g = graph.convolution_backward_filter %w, %a0 {strides = array<i64: 2, 1>, pads = array<i64: 1, 0, 1, 1>, dilations = array<i64: 1, 2>, groups = 2 : i64} : (tensor<1x2x3x3xf32>, tensor<1x2x4x4xf32>) -> tensor<2x1x2x2xf32>
  return %g : tensor<2x1x2x2xf32>
}
func.func @test_convolution_filter() {
  %a0 = arith.constant dense<[[[[0.689999998, 0.49000001, -1.63999999, 0.0599999987], [-0.959999979, 0.75999999, -2.02999997, -0.910000026], [0.709999979, 1.15999997, -2.16000009, -0.5], [0.330000013, -0.610000014, 1.59000003, -1.19000006]], [[0.349999994, -1.04999995, 1.40999997, -0.0199999996], [-0.370000005, -1.72000003, 1.67999995, 0.75], [0.75, 1.13999999, 0.349999994, -0.639999986], [-0.800000012, -0.800000012, 1.37, -1.46000004]]]]> : tensor<1x2x4x4xf32>
  %a1 = arith.constant dense<[[[[-0.600000024, -0.319999993], [0.219999999, 0.579999983]]], [[[-1.25, -1.73000002], [-0.0, 1.21000004]]]]> : tensor<2x1x2x2xf32>
  check.expect_finite_differences(%a0, %a1) {function = @convolution_filter, gradient = @convolution_filter_gradient, with_respect_to = array<i64: 1>} : tensor<1x2x4x4xf32>, tensor<2x1x2x2xf32>
  return
}

func.func private @max_pool(%a0: tensor<1x1x4x4xf32>) -> tensor<f32> {
  %w = arith.constant dense<[[[[-2.27999997, 1.16999996, 1.07000005], [-1.29999995, -0.980000019, -0.800000012], [0.0399999991, 0.639999986, 2.04999995]]]]> : tensor<1x1x3x3xf32>
  %y = graph.max_pool %a0 {window = array<i64: 2, 2>, strides = array<i64: 2, 1>, pads = array<i64: 1, 0, 1, 1>, dilations = array<i64: 1, 2>} : (tensor<1x1x4x4xf32>) -> tensor<1x1x3x3xf32>
  %p = arith.mulf %y, %w : tensor<1x1x3x3xf32>
  %loss = graph.reduce %p {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1, 2, 3>} : (tensor<1x1x3x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
func.func private @max_pool_gradient(%a0: tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xf32> {
  %w = arith.constant dense<[[[[-2.27999997, 1.16999996, 1.07000005], [-1.29999995, -0.980000019, -0.800000012], [0.0399999991, 0.639999986, 2.04999995]]]]> : tensor<1x1x3x3xf32>
  %g = graph.max_pool_backward %w, %a0 {window = array<i64: 2, 2>, strides = array<i64: 2, 1>, pads = array<i64: 1, 0, 1, 1>, dilations = array<i64: 1, 2>} : (tensor<1x1x3x3xf32>, tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xf32>
  return %g : tensor<1x1x4x4xf32>
}
func.func @test_max_pool() {
  %a0 = arith.constant dense<[[[[-0.0, 1.0, 2.0, -3.0], [4.0, 5.0, -6.0, 7.0], [8.0, -9.0, 10.0, 11.0], [-12.0, 13.0, 14.0, -15.0]]]]> : tensor<1x1x4x4xf32>
  check.expect_finite_differences(%a0) {function = @max_pool, gradient = @max_pool_gradient} : tensor<1x1x4x4xf32>
  return
}

func.func private @average_pool(%a0: tensor<1x1x4x4xf32>) -> tensor<f32> {
  %w = arith.constant dense<[[[[0.479999989, 2.46000004, -0.25], [-0.560000002, -1.16999996, -1.34000003], [0.519999981, 0.850000024, 0.00999999978]]]]> : tensor<1x1x3x3xf32>
  %y = graph.average_pool %a0 {window = array<i64: 2, 2>, strides = array<i64: 2, 1>, pads = array<i64: 1, 0, 1, 1>, dilations = array<i64: 1, 2>} : (tensor<1x1x4x4xf32>) -> tensor<1x1x3x3xf32>
  %p = arith.mulf %y, %w : tensor<1x1x3x3xf32>
  %loss = graph.reduce %p {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1, 2, 3>} : (tensor<1x1x3x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
func.func private @average_pool_gradient(%a0: tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xf32> {
  %w = arith.constant dense<[[[[0.479999989, 2.46000004, -0.25], [-0.560000002, -1.16999996, -1.34000003], [0.519999981, 0.850000024, 0.00999999978]]]]> : tensor<1x1x3x3xf32>
  %g = graph.average_pool_backward %w {window = array<i64: 2, 2>, strides = array<i64: 2, 1>, pads = array<i64: 1, 0, 1, 1>, dilations = array<i64: 1, 2>} : (tensor<1x1x3x3xf32>) -> tensor<1x1x4x4xf32>
  return %g : tensor<1x1x4x4xf32>
}
func.func @test_average_pool() {
  %a0 = arith.constant dense<[[[[-0.200000003, 0.769999981, 0.159999996, 1.75999999], [0.74000001, 1.37, -1.08000004, -0.189999998], [-0.810000002, 1.5, 0.660000026, -0.310000002], [-0.449999988, 0.479999989, -0.699999988, -0.930000007]]]]> : tensor<1x1x4x4xf32>
  check.expect_finite_differences(%a0) {function = @average_pool, gradient = @average_pool_gradient} : tensor<1x1x4x4xf32>
  return
}

func.func private @average_pool_with_padding(%a0: tensor<1x1x4x4xf32>) -> tensor<f32> {
  %w = arith.constant dense<[[[[-2.08999991, 0.860000014, -0.479999989], [0.129999995, 0.839999974, 1.08000004], [1.03999996, 0.159999996, 1.61000001]]]]> : tensor<1x1x3x3xf32>
  %y = graph.average_pool %a0 {window = array<i64: 2, 2>, strides = array<i64: 2, 1>, pads = array<i64: 1, 0, 1, 1>, dilations = array<i64: 1, 2>, count_include_pad} : (tensor<1x1x4x4xf32>) -> tensor<1x1x3x3xf32>
  %p = arith.mulf %y, %w : tensor<1x1x3x3xf32>
  %loss = graph.reduce %p {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1, 2, 3>} : (tensor<1x1x3x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
func.func private @average_pool_with_padding_gradient(%a0: tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xf32> {
  %w = arith.constant dense<[[[[-2.08999991, 0.860000014, -0.479999989], [0.129999995, 0.839999974, 1.08000004], [1.03999996, 0.159999996, 1.61000001]]]]> : tensor<1x1x3x3xf32>
  %g = graph.average_pool_backward %w {window = array<i64: 2, 2>, strides = array<i64: 2, 1>, pads = array<i64: 1, 0, 1, 1>, dilations = array<i64: 1, 2>, count_include_pad} : (tensor<1x1x3x3xf32>) -> tensor<1x1x4x4xf32>
  return %g : tensor<1x1x4x4xf32>
}
func.func @test_average_pool_with_padding() {
  %a0 = arith.constant dense<[[[[0.330000013, 0.119999997, 0.140000001, -1.52999997], [-0.460000008, 0.109999999, -0.779999971, -0.479999989], [-0.819999993, -0.330000013, 0.850000024, -0.409999996], [-0.150000006, 0.810000002, 0.639999986, 1.70000005]]]]> : tensor<1x1x4x4xf32>
  check.expect_finite_differences(%a0) {function = @average_pool_with_padding, gradient = @average_pool_with_padding_gradient} : tensor<1x1x4x4xf32>
  return
}

func.func private @batch_norm(%a0: tensor<3x2x2xf32>, %a1: tensor<2xf32>, %a2: tensor<2xf32>) -> tensor<f32> {
  %w = arith.constant dense<[[[1.04999995, -0.639999986], [-0.959999979, -0.709999979]], [[-1.19000006, 0.150000006], [1.02999997, 0.159999996]], [[0.620000005, 1.63], [0.270000011, 0.200000003]]]> : tensor<3x2x2xf32>
  %y:3 = graph.batch_norm_training %a0, %a1, %a2 {epsilon = 0.01 : f64} : (tensor<3x2x2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<3x2x2xf32>, tensor<2xf32>, tensor<2xf32>)
  %p = arith.mulf %y#0, %w : tensor<3x2x2xf32>
  %loss = graph.reduce %p {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1, 2>} : (tensor<3x2x2xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
func.func private @batch_norm_gradient(%a0: tensor<3x2x2xf32>, %a1: tensor<2xf32>, %a2: tensor<2xf32>) -> (tensor<3x2x2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %w = arith.constant dense<[[[1.04999995, -0.639999986], [-0.959999979, -0.709999979]], [[-1.19000006, 0.150000006], [1.02999997, 0.159999996]], [[0.620000005, 1.63], [0.270000011, 0.200000003]]]> : tensor<3x2x2xf32>
  %y:3 = graph.batch_norm_training %a0, %a1, %a2 {epsilon = 0.01 : f64} : (tensor<3x2x2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<3x2x2xf32>, tensor<2xf32>, tensor<2xf32>)
  %g:3 = graph.batch_norm_backward %w, %a0, %a1, %y#1, %y#2 {epsilon = 0.01 : f64} : (tensor<3x2x2xf32>, tensor<3x2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<3x2x2xf32>, tensor<2xf32>, tensor<2xf32>)
  return %g#0, %g#1, %g#2 : tensor<3x2x2xf32>, tensor<2xf32>, tensor<2xf32>
}
func.func @test_batch_norm() {
  %a0 = arith.constant dense<[[[-0.280000001, -0.140000001], [0.800000012, -0.550000012]], [[2.16000009, 1.01999998], [2.18000007, -0.0299999993]], [[-0.379999995, 0.170000002], [0.730000019, -0.589999974]]]> : tensor<3x2x2xf32>
  %a1 = arith.constant dense<[0.379999995, -0.0199999996]> : tensor<2xf32>
  %a2 = arith.constant dense<[1.62, -0.660000026]> : tensor<2xf32>
  check.expect_finite_differences(%a0, %a1, %a2) {function = @batch_norm, gradient = @batch_norm_gradient} : tensor<3x2x2xf32>, tensor<2xf32>, tensor<2xf32>
  return
}

func.func private @layer_norm(%a0: tensor<2x3xf32>, %a1: tensor<3xf32>, %a2: tensor<3xf32>) -> tensor<f32> {
  %w = arith.constant dense<[[0.0399999991, -0.129999995, -0.189999998], [-0.829999983, -0.189999998, -2.1400001]]> : tensor<2x3xf32>
  %y:3 = graph.layer_norm %a0, %a1, %a2 {axis = 1 : i64, epsilon = 0.01 : f64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>)
  %p = arith.mulf %y#0, %w : tensor<2x3xf32>
  %loss = graph.reduce %p {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1>} : (tensor<2x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
func.func private @layer_norm_gradient(%a0: tensor<2x3xf32>, %a1: tensor<3xf32>, %a2: tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %w = arith.constant dense<[[0.0399999991, -0.129999995, -0.189999998], [-0.829999983, -0.189999998, -2.1400001]]> : tensor<2x3xf32>
  %y:3 = graph.layer_norm %a0, %a1, %a2 {axis = 1 : i64, epsilon = 0.01 : f64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>)
  %g:3 = graph.layer_norm_backward %w, %a0, %a1, %y#1, %y#2 {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %g#0, %g#1, %g#2 : tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>
}
func.func @test_layer_norm() {
  %a0 = arith.constant dense<[[-0.280000001, -1.61000001, 0.75999999], [-1.75999999, 0.649999976, -0.00999999978]]> : tensor<2x3xf32>
  %a1 = arith.constant dense<[1.13, -0.0700000003, -0.819999993]> : tensor<3xf32>
  %a2 = arith.constant dense<[0.360000014, -0.560000002, -0.180000007]> : tensor<3xf32>
  check.expect_finite_differences(%a0, %a1, %a2) {function = @layer_norm, gradient = @layer_norm_gradient} : tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>
  return
}

func.func private @rms_norm(%a0: tensor<2x3xf32>, %a1: tensor<3xf32>) -> tensor<f32> {
  %w = arith.constant dense<[[-0.460000008, -1.76999998, -0.270000011], [-0.150000006, 0.109999999, -1.23000002]]> : tensor<2x3xf32>
  %y:2 = graph.rms_norm %a0, %a1 {axis = 1 : i64, epsilon = 0.01 : f64} : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<2xf32>)
  %p = arith.mulf %y#0, %w : tensor<2x3xf32>
  %loss = graph.reduce %p {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1>} : (tensor<2x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
func.func private @rms_norm_gradient(%a0: tensor<2x3xf32>, %a1: tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>) {
  %w = arith.constant dense<[[-0.460000008, -1.76999998, -0.270000011], [-0.150000006, 0.109999999, -1.23000002]]> : tensor<2x3xf32>
  %y:2 = graph.rms_norm %a0, %a1 {axis = 1 : i64, epsilon = 0.01 : f64} : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<2xf32>)
  %g:2 = graph.rms_norm_backward %w, %a0, %a1, %y#1 {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)
  return %g#0, %g#1 : tensor<2x3xf32>, tensor<3xf32>
}
func.func @test_rms_norm() {
  %a0 = arith.constant dense<[[-0.159999996, -1.20000005, 1.12], [1.26999998, -1.95000005, 0.140000001]]> : tensor<2x3xf32>
  %a1 = arith.constant dense<[-0.129999995, -1.04999995, 0.529999971]> : tensor<3xf32>
  check.expect_finite_differences(%a0, %a1) {function = @rms_norm, gradient = @rms_norm_gradient} : tensor<2x3xf32>, tensor<3xf32>
  return
}

func.func private @softmax(%a0: tensor<2x3xf32>) -> tensor<f32> {
  %w = arith.constant dense<[[1.74000001, 0.209999993, -1.00999999], [-0.790000021, -0.0599999987, 2.29999995]]> : tensor<2x3xf32>
  %y = graph.softmax %a0 {axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %p = arith.mulf %y, %w : tensor<2x3xf32>
  %loss = graph.reduce %p {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1>} : (tensor<2x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
func.func private @softmax_gradient(%a0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %w = arith.constant dense<[[1.74000001, 0.209999993, -1.00999999], [-0.790000021, -0.0599999987, 2.29999995]]> : tensor<2x3xf32>
  %y = graph.softmax %a0 {axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %g = graph.softmax_backward %w, %y {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %g : tensor<2x3xf32>
}
func.func @test_softmax() {
  %a0 = arith.constant dense<[[0.620000005, 0.74000001, -1.14999998], [-0.660000026, -0.0799999982, -0.569999993]]> : tensor<2x3xf32>
  check.expect_finite_differences(%a0) {function = @softmax, gradient = @softmax_gradient} : tensor<2x3xf32>
  return
}

func.func private @log_softmax(%a0: tensor<2x3xf32>) -> tensor<f32> {
  %w = arith.constant dense<[[0.74000001, 0.159999996, 0.620000005], [-1.17999995, 1.76999998, -0.119999997]]> : tensor<2x3xf32>
  %y = graph.log_softmax %a0 {axis = 0 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %p = arith.mulf %y, %w : tensor<2x3xf32>
  %loss = graph.reduce %p {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1>} : (tensor<2x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
func.func private @log_softmax_gradient(%a0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %w = arith.constant dense<[[0.74000001, 0.159999996, 0.620000005], [-1.17999995, 1.76999998, -0.119999997]]> : tensor<2x3xf32>
  %y = graph.log_softmax %a0 {axis = 0 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %g = graph.log_softmax_backward %w, %y {axis = 0 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %g : tensor<2x3xf32>
}
func.func @test_log_softmax() {
  %a0 = arith.constant dense<[[-0.180000007, 0.129999995, 0.50999999], [-0.0399999991, 2.27999997, -0.529999971]]> : tensor<2x3xf32>
  check.expect_finite_differences(%a0) {function = @log_softmax, gradient = @log_softmax_gradient} : tensor<2x3xf32>
  return
}

func.func private @gelu(%a0: tensor<5xf32>) -> tensor<f32> {
  %w = arith.constant dense<[0.75, 1.21000004, 0.709999979, 0.0299999993, 0.839999974]> : tensor<5xf32>
  %y = graph.gelu %a0 : (tensor<5xf32>) -> tensor<5xf32>
  %p = arith.mulf %y, %w : tensor<5xf32>
  %loss = graph.reduce %p {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
func.func private @gelu_gradient(%a0: tensor<5xf32>) -> tensor<5xf32> {
  %w = arith.constant dense<[0.75, 1.21000004, 0.709999979, 0.0299999993, 0.839999974]> : tensor<5xf32>
  %g = graph.gelu_backward %w, %a0 : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  return %g : tensor<5xf32>
}
func.func @test_gelu() {
  %a0 = arith.constant dense<[0.0299999993, -0.930000007, -0.730000019, 0.560000002, 0.99000001]> : tensor<5xf32>
  check.expect_finite_differences(%a0) {function = @gelu, gradient = @gelu_gradient} : tensor<5xf32>
  return
}

func.func private @gelu_tanh(%a0: tensor<5xf32>) -> tensor<f32> {
  %w = arith.constant dense<[-0.360000014, 0.720000029, 1.89999998, -0.209999993, -0.0900000036]> : tensor<5xf32>
  %y = graph.gelu %a0 {tanh} : (tensor<5xf32>) -> tensor<5xf32>
  %p = arith.mulf %y, %w : tensor<5xf32>
  %loss = graph.reduce %p {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
func.func private @gelu_tanh_gradient(%a0: tensor<5xf32>) -> tensor<5xf32> {
  %w = arith.constant dense<[-0.360000014, 0.720000029, 1.89999998, -0.209999993, -0.0900000036]> : tensor<5xf32>
  %g = graph.gelu_backward %w, %a0 {tanh} : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  return %g : tensor<5xf32>
}
func.func @test_gelu_tanh() {
  %a0 = arith.constant dense<[0.589999974, -0.100000001, 0.730000019, 1.28999996, 0.230000004]> : tensor<5xf32>
  check.expect_finite_differences(%a0) {function = @gelu_tanh, gradient = @gelu_tanh_gradient} : tensor<5xf32>
  return
}

func.func private @attention(%a0: tensor<1x4x3x2xf32>, %a1: tensor<1x2x3x2xf32>, %a2: tensor<1x2x3x2xf32>) -> tensor<f32> {
  %w = arith.constant dense<[[[[-0.109999999, 2.91000009], [0.930000007, -0.629999995], [0.779999971, 0.360000014]], [[-0.689999998, 1.10000002], [-0.779999971, -3.05999994], [0.790000021, -0.620000005]], [[1.49000001, -0.649999976], [-1.17999995, 1.54999995], [-1.08000004, 0.200000003]], [[1.45000005, 0.109999999], [-0.0799999982, 0.100000001], [0.839999974, -0.810000002]]]]> : tensor<1x4x3x2xf32>
  %y:2 = graph.attention %a0, %a1, %a2 {scale = 0.6 : f64, causal} : (tensor<1x4x3x2xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) -> (tensor<1x4x3x2xf32>, tensor<1x4x3xf32>)
  %p = arith.mulf %y#0, %w : tensor<1x4x3x2xf32>
  %loss = graph.reduce %p {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1, 2, 3>} : (tensor<1x4x3x2xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
func.func private @attention_gradient(%a0: tensor<1x4x3x2xf32>, %a1: tensor<1x2x3x2xf32>, %a2: tensor<1x2x3x2xf32>) -> (tensor<1x4x3x2xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) {
  %w = arith.constant dense<[[[[-0.109999999, 2.91000009], [0.930000007, -0.629999995], [0.779999971, 0.360000014]], [[-0.689999998, 1.10000002], [-0.779999971, -3.05999994], [0.790000021, -0.620000005]], [[1.49000001, -0.649999976], [-1.17999995, 1.54999995], [-1.08000004, 0.200000003]], [[1.45000005, 0.109999999], [-0.0799999982, 0.100000001], [0.839999974, -0.810000002]]]]> : tensor<1x4x3x2xf32>
  %y:2 = graph.attention %a0, %a1, %a2 {scale = 0.6 : f64, causal} : (tensor<1x4x3x2xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) -> (tensor<1x4x3x2xf32>, tensor<1x4x3xf32>)
  %g:3 = graph.attention_backward %w, %a0, %a1, %a2, %y#0, %y#1 {scale = 0.6 : f64, causal} : (tensor<1x4x3x2xf32>, tensor<1x4x3x2xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>, tensor<1x4x3x2xf32>, tensor<1x4x3xf32>) -> (tensor<1x4x3x2xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>)
  return %g#0, %g#1, %g#2 : tensor<1x4x3x2xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>
}
func.func @test_attention() {
  %a0 = arith.constant dense<[[[[-0.140000001, 1.22000003], [-1.84000003, 0.370000005], [1.19000006, -0.810000002]], [[1.49000001, 0.540000021], [-0.550000012, 0.200000003], [-1.52999997, -0.569999993]], [[1.83000004, -0.889999986], [1.84000003, -0.0799999982], [0.99000001, 0.0399999991]], [[-2.24000001, -0.569999993], [0.189999998, -1.14999998], [-1.35000002, 0.370000005]]]]> : tensor<1x4x3x2xf32>
  %a1 = arith.constant dense<[[[[-0.649999976, -1.70000005], [-0.680000007, 0.860000014], [-0.469999999, 0.930000007]], [[1.52999997, 0.0299999993], [-1.13, -1.29999995], [-0.0299999993, 0.879999995]]]]> : tensor<1x2x3x2xf32>
  %a2 = arith.constant dense<[[[[0.270000011, 0.550000012], [-0.439999998, 0.300000012], [-0.469999999, -0.330000013]], [[-1.28999996, -1.57000005], [-0.479999989, -1.11000001], [-0.959999979, 0.670000017]]]]> : tensor<1x2x3x2xf32>
  check.expect_finite_differences(%a0, %a1, %a2) {function = @attention, gradient = @attention_gradient} : tensor<1x4x3x2xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>
  return
}

func.func private @attention_with_bias(%a0: tensor<1x2x2x2xf32>, %a1: tensor<1x2x3x2xf32>, %a2: tensor<1x2x3x1xf32>, %a3: tensor<1x1x2x3xf32>) -> tensor<f32> {
  %w = arith.constant dense<[[[[1.08000004], [0.579999983]], [[1.35000002], [0.810000002]]]]> : tensor<1x2x2x1xf32>
  %y:2 = graph.attention %a0, %a1, %a2, %a3 {scale = 0.6 : f64} : (tensor<1x2x2x2xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x1xf32>, tensor<1x1x2x3xf32>) -> (tensor<1x2x2x1xf32>, tensor<1x2x2xf32>)
  %p = arith.mulf %y#0, %w : tensor<1x2x2x1xf32>
  %loss = graph.reduce %p {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1, 2, 3>} : (tensor<1x2x2x1xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
func.func private @attention_with_bias_gradient(%a0: tensor<1x2x2x2xf32>, %a1: tensor<1x2x3x2xf32>, %a2: tensor<1x2x3x1xf32>, %a3: tensor<1x1x2x3xf32>) -> (tensor<1x2x2x2xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x1xf32>) {
  %w = arith.constant dense<[[[[1.08000004], [0.579999983]], [[1.35000002], [0.810000002]]]]> : tensor<1x2x2x1xf32>
  %y:2 = graph.attention %a0, %a1, %a2, %a3 {scale = 0.6 : f64} : (tensor<1x2x2x2xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x1xf32>, tensor<1x1x2x3xf32>) -> (tensor<1x2x2x1xf32>, tensor<1x2x2xf32>)
  %g:3 = graph.attention_backward %w, %a0, %a1, %a2, %y#0, %y#1, %a3 {scale = 0.6 : f64} : (tensor<1x2x2x1xf32>, tensor<1x2x2x2xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x1xf32>, tensor<1x2x2x1xf32>, tensor<1x2x2xf32>, tensor<1x1x2x3xf32>) -> (tensor<1x2x2x2xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x1xf32>)
  return %g#0, %g#1, %g#2 : tensor<1x2x2x2xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x1xf32>
}
func.func @test_attention_with_bias() {
  %a0 = arith.constant dense<[[[[0.610000014, 0.579999983], [2.32999992, -0.340000004]], [[-0.910000026, 0.74000001], [-0.400000006, 0.289999992]]]]> : tensor<1x2x2x2xf32>
  %a1 = arith.constant dense<[[[[0.129999995, 1.16999996], [-0.660000026, -0.0900000036], [-2.54999995, -0.889999986]], [[1.53999996, -0.680000007], [-0.699999988, -1.22000003], [0.579999983, 0.180000007]]]]> : tensor<1x2x3x2xf32>
  %a2 = arith.constant dense<[[[[-1.19000006], [0.670000017], [0.25999999]], [[0.75], [-0.639999986], [1.74000001]]]]> : tensor<1x2x3x1xf32>
  %a3 = arith.constant dense<[[[[0.409999996, -0.119999997, -0.519999981], [-0.239999995, 0.860000014, -0.270000011]]]]> : tensor<1x1x2x3xf32>
  check.expect_finite_differences(%a0, %a1, %a2, %a3) {function = @attention_with_bias, gradient = @attention_with_bias_gradient, with_respect_to = array<i64: 0, 1, 2>} : tensor<1x2x2x2xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x1xf32>, tensor<1x1x2x3xf32>
  return
}

func.func private @cross_entropy(%a0: tensor<3x4xf32>, %a1: tensor<3xi64>) -> tensor<f32> {
  %w = arith.constant dense<-1.33000004> : tensor<f32>
  %y:2 = graph.cross_entropy %a0, %a1 {ignore_index = -100 : i64, label_smoothing = 0.1 : f64} : (tensor<3x4xf32>, tensor<3xi64>) -> (tensor<f32>, tensor<3xf32>)
  %p = arith.mulf %y#0, %w : tensor<f32>
  %loss = graph.reduce %p {kind = #graph.reduction<sum>, dimensions = array<i64>} : (tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
func.func private @cross_entropy_gradient(%a0: tensor<3x4xf32>, %a1: tensor<3xi64>) -> tensor<3x4xf32> {
  %w = arith.constant dense<-1.33000004> : tensor<f32>
  %y:2 = graph.cross_entropy %a0, %a1 {ignore_index = -100 : i64, label_smoothing = 0.1 : f64} : (tensor<3x4xf32>, tensor<3xi64>) -> (tensor<f32>, tensor<3xf32>)
  %g = graph.cross_entropy_backward %w, %a0, %a1, %y#1 {ignore_index = -100 : i64, label_smoothing = 0.1 : f64} : (tensor<f32>, tensor<3x4xf32>, tensor<3xi64>, tensor<3xf32>) -> tensor<3x4xf32>
  return %g : tensor<3x4xf32>
}
func.func @test_cross_entropy() {
  %a0 = arith.constant dense<[[-0.0599999987, -1.90999997, 0.300000012, 0.790000021], [0.159999996, 0.560000002, -0.469999999, -0.379999995], [-0.939999998, 1.36000001, 0.159999996, -0.49000001]]> : tensor<3x4xf32>
  %a1 = arith.constant dense<[2, -100, 0]> : tensor<3xi64>
  check.expect_finite_differences(%a0, %a1) {function = @cross_entropy, gradient = @cross_entropy_gradient, with_respect_to = array<i64: 0>} : tensor<3x4xf32>, tensor<3xi64>
  return
}

func.func private @gather(%a0: tensor<3x2xf32>, %a1: tensor<4xi64>) -> tensor<f32> {
  %w = arith.constant dense<[[0.980000019, 0.790000021], [1.15999997, 0.540000021], [0.779999971, -0.779999971], [1.5, 0.230000004]]> : tensor<4x2xf32>
  %y = graph.gather %a0, %a1 {axis = 0 : i64} : (tensor<3x2xf32>, tensor<4xi64>) -> tensor<4x2xf32>
  %p = arith.mulf %y, %w : tensor<4x2xf32>
  %loss = graph.reduce %p {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1>} : (tensor<4x2xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
func.func private @gather_gradient(%a0: tensor<3x2xf32>, %a1: tensor<4xi64>) -> tensor<3x2xf32> {
  %w = arith.constant dense<[[0.980000019, 0.790000021], [1.15999997, 0.540000021], [0.779999971, -0.779999971], [1.5, 0.230000004]]> : tensor<4x2xf32>
  %g = graph.scatter_add %w, %a1 {axis = 0 : i64} : (tensor<4x2xf32>, tensor<4xi64>) -> tensor<3x2xf32>
  return %g : tensor<3x2xf32>
}
func.func @test_gather() {
  %a0 = arith.constant dense<[[-0.150000006, 1.44000006], [0.460000008, -0.720000029], [1.42999995, 1.42999995]]> : tensor<3x2xf32>
  %a1 = arith.constant dense<[2, 0, 2, -1]> : tensor<4xi64>
  check.expect_finite_differences(%a0, %a1) {function = @gather, gradient = @gather_gradient, with_respect_to = array<i64: 0>} : tensor<3x2xf32>, tensor<4xi64>
  return
}

func.func private @dropout(%a0: tensor<3x4xf32>, %a1: tensor<i64>, %a2: tensor<i64>, %a3: tensor<i64>) -> tensor<f32> {
  %w = arith.constant dense<[[0.100000001, 0.0799999982, 0.200000003, 1.03999996], [-1.04999995, -1.33000004, 0.119999997, -1.11000001], [-0.589999974, 0.0900000036, 0.479999989, -1.07000005]]> : tensor<3x4xf32>
  %y = graph.dropout %a0, %a1, %a2, %a3 {ratio = 0.4 : f64, id = 2 : i64} : (tensor<3x4xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<3x4xf32>
  %p = arith.mulf %y, %w : tensor<3x4xf32>
  %loss = graph.reduce %p {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1>} : (tensor<3x4xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
func.func private @dropout_gradient(%a0: tensor<3x4xf32>, %a1: tensor<i64>, %a2: tensor<i64>, %a3: tensor<i64>) -> tensor<3x4xf32> {
  %w = arith.constant dense<[[0.100000001, 0.0799999982, 0.200000003, 1.03999996], [-1.04999995, -1.33000004, 0.119999997, -1.11000001], [-0.589999974, 0.0900000036, 0.479999989, -1.07000005]]> : tensor<3x4xf32>
  %g = graph.dropout %w, %a1, %a2, %a3 {ratio = 0.4 : f64, id = 2 : i64} : (tensor<3x4xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<3x4xf32>
  return %g : tensor<3x4xf32>
}
func.func @test_dropout() {
  %a0 = arith.constant dense<[[2.01999998, -2.03999996, 0.709999979, 0.980000019], [-0.340000004, 0.449999988, 0.75, 0.579999983], [-0.540000021, -0.140000001, 1.01999998, 1.27999997]]> : tensor<3x4xf32>
  %a1 = arith.constant dense<11> : tensor<i64>
  %a2 = arith.constant dense<2> : tensor<i64>
  %a3 = arith.constant dense<0> : tensor<i64>
  check.expect_finite_differences(%a0, %a1, %a2, %a3) {function = @dropout, gradient = @dropout_gradient, with_respect_to = array<i64: 0>} : tensor<3x4xf32>, tensor<i64>, tensor<i64>, tensor<i64>
  return
}
