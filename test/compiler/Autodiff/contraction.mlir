// Gradient rules of matrix products, convolution and pooling.
// RUN: tw-opt %s --tw-differentiate-define-gradients | FileCheck %s
// RUN: tw-opt %s --tw-differentiate-define-gradients --tw-check-execute -o /dev/null

// CHECK-LABEL: func.func private @matmul_nn_gradient
func.func @matmul_nn(%a: tensor<3x4xf64>, %b: tensor<4x5xf64>) -> tensor<f64> {
  %y = graph.matmul %a, %b : (tensor<3x4xf64>, tensor<4x5xf64>) -> tensor<3x5xf64>
  %square = arith.mulf %y, %y : tensor<3x5xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1>} : (tensor<3x5xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @matmul_nn_gradient(tensor<3x4xf64>, tensor<4x5xf64>) -> (tensor<3x4xf64>, tensor<4x5xf64>)
func.func @test_matmul_nn() {
  %a = arith.constant dense<[[-0.352, 0.128, 0.656, -0.516], [-0.640, -0.500, 0.232, 0.507], [-0.213, -0.265, -0.207, -0.299]]> : tensor<3x4xf64>
  %b = arith.constant dense<[[-0.164, -0.833, 0.001, 0.946, -0.174], [0.495, -0.679, 0.382, 0.512, 0.348], [0.034, -0.033, 0.286, 0.795, -0.701], [-0.808, 0.496, 0.833, 0.035, -0.114]]> : tensor<4x5xf64>
  check.expect_finite_differences(%a, %b) {function = @matmul_nn, gradient = @matmul_nn_gradient}
    : tensor<3x4xf64>, tensor<4x5xf64>
  return
}

// CHECK-LABEL: func.func private @matmul_nt_gradient
// CHECK: graph.matmul %[[DY:.*]], %{{.*}} : (tensor<3x5xf64>, tensor<5x4xf64>) -> tensor<3x4xf64>
// CHECK: graph.matmul %[[DY]], %{{.*}} {transpose_lhs} : (tensor<3x5xf64>, tensor<3x4xf64>) -> tensor<5x4xf64>
func.func @matmul_nt(%a: tensor<3x4xf64>, %b: tensor<5x4xf64>) -> tensor<f64> {
  %y = graph.matmul %a, %b {transpose_rhs} : (tensor<3x4xf64>, tensor<5x4xf64>) -> tensor<3x5xf64>
  %square = arith.mulf %y, %y : tensor<3x5xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1>} : (tensor<3x5xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @matmul_nt_gradient(tensor<3x4xf64>, tensor<5x4xf64>) -> (tensor<3x4xf64>, tensor<5x4xf64>)
func.func @test_matmul_nt() {
  %a = arith.constant dense<[[0.438, -0.628, -0.465, -0.602], [0.171, -0.370, -0.535, 0.382], [0.907, -0.408, 0.411, -0.174]]> : tensor<3x4xf64>
  %b = arith.constant dense<[[0.707, 0.169, -0.466, -0.565], [-0.954, -0.041, -0.234, -0.656], [-0.279, -0.356, 0.548, -0.713], [0.982, -0.041, 0.198, -0.064], [0.669, 0.643, 0.114, -0.037]]> : tensor<5x4xf64>
  check.expect_finite_differences(%a, %b) {function = @matmul_nt, gradient = @matmul_nt_gradient}
    : tensor<3x4xf64>, tensor<5x4xf64>
  return
}

// CHECK-LABEL: func.func private @matmul_tn_gradient
func.func @matmul_tn(%a: tensor<4x3xf64>, %b: tensor<4x5xf64>) -> tensor<f64> {
  %y = graph.matmul %a, %b {transpose_lhs} : (tensor<4x3xf64>, tensor<4x5xf64>) -> tensor<3x5xf64>
  %square = arith.mulf %y, %y : tensor<3x5xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1>} : (tensor<3x5xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @matmul_tn_gradient(tensor<4x3xf64>, tensor<4x5xf64>) -> (tensor<4x3xf64>, tensor<4x5xf64>)
func.func @test_matmul_tn() {
  %a = arith.constant dense<[[0.441, 0.713, -0.199], [0.467, 0.921, -0.065], [-0.541, -0.530, 0.435], [0.351, 0.917, 0.708]]> : tensor<4x3xf64>
  %b = arith.constant dense<[[-0.516, -0.621, -0.483, -0.626, 0.409], [0.717, 0.800, -0.490, 0.730, -0.373], [-0.153, 0.458, -0.828, -0.815, 0.668], [-0.416, -0.287, 0.161, 0.351, -0.986]]> : tensor<4x5xf64>
  check.expect_finite_differences(%a, %b) {function = @matmul_tn, gradient = @matmul_tn_gradient}
    : tensor<4x3xf64>, tensor<4x5xf64>
  return
}

// CHECK-LABEL: func.func private @matmul_tt_gradient
func.func @matmul_tt(%a: tensor<4x3xf64>, %b: tensor<5x4xf64>) -> tensor<f64> {
  %y = graph.matmul %a, %b {transpose_lhs, transpose_rhs} : (tensor<4x3xf64>, tensor<5x4xf64>) -> tensor<3x5xf64>
  %square = arith.mulf %y, %y : tensor<3x5xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1>} : (tensor<3x5xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @matmul_tt_gradient(tensor<4x3xf64>, tensor<5x4xf64>) -> (tensor<4x3xf64>, tensor<5x4xf64>)
func.func @test_matmul_tt() {
  %a = arith.constant dense<[[-0.330, -0.128, -0.028], [-0.580, 0.170, 0.911], [-0.218, 0.089, -0.762], [-0.450, 0.331, -0.775]]> : tensor<4x3xf64>
  %b = arith.constant dense<[[0.774, 0.818, -0.806, 0.883], [-0.252, 0.545, 0.515, -0.409], [0.352, 0.308, 0.612, -0.469], [0.508, 0.923, 0.346, 0.072], [-0.773, -0.012, -0.296, 0.436]]> : tensor<5x4xf64>
  check.expect_finite_differences(%a, %b) {function = @matmul_tt, gradient = @matmul_tt_gradient}
    : tensor<4x3xf64>, tensor<5x4xf64>
  return
}

// CHECK-LABEL: func.func private @matmul_batched_gradient
func.func @matmul_batched(%a: tensor<2x3x4xf64>, %b: tensor<2x4x2xf64>) -> tensor<f64> {
  %y = graph.matmul %a, %b : (tensor<2x3x4xf64>, tensor<2x4x2xf64>) -> tensor<2x3x2xf64>
  %square = arith.mulf %y, %y : tensor<2x3x2xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1, 2>} : (tensor<2x3x2xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @matmul_batched_gradient(tensor<2x3x4xf64>, tensor<2x4x2xf64>) -> (tensor<2x3x4xf64>, tensor<2x4x2xf64>)
func.func @test_matmul_batched() {
  %a = arith.constant dense<[[[0.357, 0.133, -0.636, 0.291], [0.262, -0.642, 0.780, 0.311], [-0.754, 0.864, -0.717, -0.337]], [[0.441, 0.195, 0.110, 0.295], [-0.085, -0.375, -0.647, -0.863], [0.432, 0.509, 0.086, 0.479]]]> : tensor<2x3x4xf64>
  %b = arith.constant dense<[[[-0.282, -0.468], [-0.233, 0.745], [-0.916, 0.009], [-0.506, 0.538]], [[-0.292, -0.334], [-0.193, 0.083], [0.543, -0.294], [0.694, -0.776]]]> : tensor<2x4x2xf64>
  check.expect_finite_differences(%a, %b) {function = @matmul_batched, gradient = @matmul_batched_gradient}
    : tensor<2x3x4xf64>, tensor<2x4x2xf64>
  return
}

// CHECK-LABEL: func.func private @matmul_init_gradient
func.func @matmul_init(%a: tensor<3x4xf64>, %b: tensor<4x5xf64>, %i: tensor<3x5xf64>) -> tensor<f64> {
  %y = graph.matmul %a, %b, %i : (tensor<3x4xf64>, tensor<4x5xf64>, tensor<3x5xf64>) -> tensor<3x5xf64>
  %square = arith.mulf %y, %y : tensor<3x5xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1>} : (tensor<3x5xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @matmul_init_gradient(tensor<3x4xf64>, tensor<4x5xf64>, tensor<3x5xf64>) -> (tensor<3x4xf64>, tensor<4x5xf64>, tensor<3x5xf64>)
func.func @test_matmul_init() {
  %a = arith.constant dense<[[-0.459, -0.801, -0.775, 0.558], [0.455, -0.630, -0.622, -0.167], [0.487, 0.631, 0.497, 0.184]]> : tensor<3x4xf64>
  %b = arith.constant dense<[[-0.707, -0.203, -0.613, 0.055, 0.137], [-0.596, -0.500, 0.563, -0.940, 0.606], [0.782, 0.899, -0.234, 0.105, 0.166], [0.267, 0.954, 0.373, -0.401, 0.720]]> : tensor<4x5xf64>
  %i = arith.constant dense<[[-0.032, 0.203, 0.454, -0.995, 0.541], [0.324, -0.016, 0.047, -0.079, -0.613], [0.059, -0.926, 0.001, 0.292, -0.112]]> : tensor<3x5xf64>
  check.expect_finite_differences(%a, %b, %i) {function = @matmul_init, gradient = @matmul_init_gradient}
    : tensor<3x4xf64>, tensor<4x5xf64>, tensor<3x5xf64>
  return
}

// CHECK-LABEL: func.func private @matmul_bias_gradient
// CHECK: graph.reduce %{{.*}} {dimensions = array<i64: 0, 1>
func.func @matmul_bias(%a: tensor<2x3x4xf64>, %b: tensor<2x4x5xf64>, %i: tensor<5xf64>) -> tensor<f64> {
  %y = graph.matmul %a, %b, %i : (tensor<2x3x4xf64>, tensor<2x4x5xf64>, tensor<5xf64>) -> tensor<2x3x5xf64>
  %square = arith.mulf %y, %y : tensor<2x3x5xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1, 2>} : (tensor<2x3x5xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @matmul_bias_gradient(tensor<2x3x4xf64>, tensor<2x4x5xf64>, tensor<5xf64>) -> (tensor<2x3x4xf64>, tensor<2x4x5xf64>, tensor<5xf64>)
func.func @test_matmul_bias() {
  %a = arith.constant dense<[[[0.132, 0.918, 0.784, -0.729], [0.585, 0.247, -0.899, -0.280], [-0.533, -0.844, 0.078, 0.860]], [[-0.354, 0.741, 0.389, -0.731], [0.717, 0.202, 0.854, 0.432], [0.479, -0.313, 0.613, 0.863]]]> : tensor<2x3x4xf64>
  %b = arith.constant dense<[[[0.723, -0.126, 0.514, -0.030, -0.782], [-0.915, -0.844, -0.599, -0.678, -0.006], [0.399, 0.075, -0.156, 0.298, -0.391], [-0.071, 0.514, -0.197, -0.639, 0.799]], [[0.439, -0.266, -0.258, 0.059, 0.193], [-0.552, -0.995, -0.582, 0.566, -0.713], [-0.080, -0.609, -0.581, -0.658, -0.193], [-0.663, -0.945, -0.780, -0.664, -0.019]]]> : tensor<2x4x5xf64>
  %i = arith.constant dense<[-0.881, -0.955, -0.104, -0.185, 0.407]> : tensor<5xf64>
  check.expect_finite_differences(%a, %b, %i) {function = @matmul_bias, gradient = @matmul_bias_gradient}
    : tensor<2x3x4xf64>, tensor<2x4x5xf64>, tensor<5xf64>
  return
}

// CHECK-LABEL: func.func private @convolution_gradient
// CHECK: graph.convolution_backward_input
// CHECK: graph.convolution_backward_filter
// CHECK: graph.reduce %{{.*}} {dimensions = array<i64: 0, 2, 3>
func.func @convolution(%x: tensor<2x2x5x4xf64>, %w: tensor<3x2x3x2xf64>, %b: tensor<3xf64>) -> tensor<f64> {
  %y = graph.convolution %x, %w, %b {strides = array<i64: 2, 1>, pads = array<i64: 1, 0, 1, 1>, dilations = array<i64: 1, 2>, groups = 1 : i64}
  : (tensor<2x2x5x4xf64>, tensor<3x2x3x2xf64>, tensor<3xf64>) -> tensor<2x3x3x3xf64>
  %square = arith.mulf %y, %y : tensor<2x3x3x3xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1, 2, 3>} : (tensor<2x3x3x3xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @convolution_gradient(tensor<2x2x5x4xf64>, tensor<3x2x3x2xf64>, tensor<3xf64>) -> (tensor<2x2x5x4xf64>, tensor<3x2x3x2xf64>, tensor<3xf64>)
func.func @test_convolution() {
  %x = arith.constant dense<[[[[-0.898, -0.193, -0.207, -0.947], [0.931, -0.562, -0.811, -0.051], [-0.670, 0.245, -0.307, -0.752], [-0.896, 0.455, -0.450, 0.576], [-0.069, 0.866, -0.399, -0.500]], [[-0.468, 0.629, 0.258, -0.311], [-0.813, 0.365, 0.939, 0.185], [-0.993, -0.939, -0.819, -0.659], [-0.927, -0.892, 0.309, 0.801], [-0.599, 0.948, -0.046, 0.607]]], [[[0.835, 0.880, -0.932, -0.391], [0.214, 0.893, -0.824, -0.413], [0.700, -0.771, -0.220, -0.332], [0.360, 0.857, -0.651, 0.480], [0.468, 0.671, 0.107, 0.847]], [[-0.274, -0.171, -0.541, 0.559], [-0.039, -0.461, -0.661, 0.441], [0.211, 0.421, -0.226, -0.026], [-0.692, 0.421, -0.954, -0.066], [0.517, 0.355, -0.806, -0.526]]]]> : tensor<2x2x5x4xf64>
  %w = arith.constant dense<[[[[0.687, 0.285], [0.757, 0.745], [-0.100, 0.794]], [[0.466, -0.333], [-0.260, -0.856], [-0.201, 0.911]]], [[[-0.790, 0.138], [-0.780, -0.838], [0.298, -0.519]], [[-0.902, -0.695], [0.289, 0.171], [-0.977, -0.540]]], [[[0.934, -0.560], [0.125, -0.161], [0.562, 0.209]], [[0.577, 0.070], [-0.624, -0.645], [-0.842, 0.651]]]]> : tensor<3x2x3x2xf64>
  %b = arith.constant dense<[-0.775, -0.952, 0.933]> : tensor<3xf64>
  check.expect_finite_differences(%x, %w, %b) {function = @convolution, gradient = @convolution_gradient}
    : tensor<2x2x5x4xf64>, tensor<3x2x3x2xf64>, tensor<3xf64>
  return
}

// CHECK-LABEL: func.func private @convolution_grouped_gradient
func.func @convolution_grouped(%x: tensor<1x4x5xf64>, %w: tensor<4x2x3xf64>) -> tensor<f64> {
  %y = graph.convolution %x, %w {strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, groups = 2 : i64} : (tensor<1x4x5xf64>, tensor<4x2x3xf64>) -> tensor<1x4x5xf64>
  %square = arith.mulf %y, %y : tensor<1x4x5xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1, 2>} : (tensor<1x4x5xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @convolution_grouped_gradient(tensor<1x4x5xf64>, tensor<4x2x3xf64>) -> (tensor<1x4x5xf64>, tensor<4x2x3xf64>)
func.func @test_convolution_grouped() {
  %x = arith.constant dense<[[[-0.601, 0.787, -0.828, -0.070, -0.554], [0.659, 0.231, 0.284, 0.523, 0.743], [-0.308, 0.206, -0.109, -0.778, 0.671], [0.189, 0.630, -0.588, 0.078, -0.072]]]> : tensor<1x4x5xf64>
  %w = arith.constant dense<[[[0.456, -0.846, -0.308], [-0.031, -0.857, 0.105]], [[0.471, -0.154, 0.297], [0.212, -0.572, -0.299]], [[0.991, -0.330, -0.138], [-0.832, -0.564, -0.669]], [[0.862, 0.453, 0.749], [0.973, 0.224, 0.863]]]> : tensor<4x2x3xf64>
  check.expect_finite_differences(%x, %w) {function = @convolution_grouped, gradient = @convolution_grouped_gradient}
    : tensor<1x4x5xf64>, tensor<4x2x3xf64>
  return
}

// CHECK-LABEL: func.func private @convolution_transposed_gradient
func.func @convolution_transposed(%x: tensor<1x3x3xf64>, %w: tensor<3x2x3xf64>) -> tensor<f64> {
  %y = graph.convolution_backward_input %x, %w {strides = array<i64: 2>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<1x3x3xf64>, tensor<3x2x3xf64>) -> tensor<1x2x5xf64>
  %square = arith.mulf %y, %y : tensor<1x2x5xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1, 2>} : (tensor<1x2x5xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @convolution_transposed_gradient(tensor<1x3x3xf64>, tensor<3x2x3xf64>) -> (tensor<1x3x3xf64>, tensor<3x2x3xf64>)
func.func @test_convolution_transposed() {
  %x = arith.constant dense<[[[0.071, -0.163, 0.896], [0.806, 0.899, -0.032], [0.547, -0.186, 0.995]]]> : tensor<1x3x3xf64>
  %w = arith.constant dense<[[[0.841, -0.416, 0.868], [-0.631, -0.808, 0.445]], [[-0.411, 0.039, 0.279], [-0.919, 0.490, -0.448]], [[-0.135, -0.310, 0.484], [0.494, -0.425, -0.793]]]> : tensor<3x2x3xf64>
  check.expect_finite_differences(%x, %w) {function = @convolution_transposed, gradient = @convolution_transposed_gradient}
    : tensor<1x3x3xf64>, tensor<3x2x3xf64>
  return
}

// CHECK-LABEL: func.func private @max_pool_gradient
func.func @max_pool(%x: tensor<2x1x4x5xf64>) -> tensor<f64> {
  %y = graph.max_pool %x {window = array<i64: 2, 3>, strides = array<i64: 2, 2>, pads = array<i64: 0, 1, 0, 1>, dilations = array<i64: 1, 1>} : (tensor<2x1x4x5xf64>) -> tensor<2x1x2x3xf64>
  %square = arith.mulf %y, %y : tensor<2x1x2x3xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1, 2, 3>} : (tensor<2x1x2x3xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @max_pool_gradient(tensor<2x1x4x5xf64>) -> tensor<2x1x4x5xf64>
func.func @test_max_pool() {
  %x = arith.constant dense<[[[[-0.487, 0.179, -0.897, -0.692, 0.641], [-0.385, -0.949, 0.077, 0.128, -0.590], [-0.846, 0.846, 0.538, 0.949, 1.000], [-1.000, 0.487, 0.692, 0.385, -0.641]]], [[[-0.128, -0.179, -0.231, -0.282, 0.744], [0.795, -0.744, -0.436, 0.026, 0.897], [0.282, 0.231, -0.077, 0.590, -0.538], [-0.333, -0.795, 0.436, 0.333, -0.026]]]]> : tensor<2x1x4x5xf64>
  check.expect_finite_differences(%x) {function = @max_pool, gradient = @max_pool_gradient}
    : tensor<2x1x4x5xf64>
  return
}

// CHECK-LABEL: func.func private @average_pool_gradient
func.func @average_pool(%x: tensor<1x2x4x5xf64>) -> tensor<f64> {
  %y = graph.average_pool %x {window = array<i64: 2, 3>, strides = array<i64: 2, 2>, pads = array<i64: 0, 1, 0, 1>, dilations = array<i64: 1, 1>} : (tensor<1x2x4x5xf64>) -> tensor<1x2x2x3xf64>
  %square = arith.mulf %y, %y : tensor<1x2x2x3xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1, 2, 3>} : (tensor<1x2x2x3xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @average_pool_gradient(tensor<1x2x4x5xf64>) -> tensor<1x2x4x5xf64>
func.func @test_average_pool() {
  %x = arith.constant dense<[[[[-0.669, -0.899, -0.592, 0.540, -0.069], [0.959, 0.571, 0.958, -0.930, -0.630], [-0.974, -0.135, -0.323, -0.897, 0.092], [-0.812, -0.377, -0.506, 0.604, -0.164]], [[-0.479, -0.912, -0.141, 0.255, 0.350], [0.825, 0.617, -0.505, -0.729, 0.517], [0.579, 0.018, 0.662, 0.104, -0.441], [-0.663, -0.966, 0.286, 0.794, 0.812]]]]> : tensor<1x2x4x5xf64>
  check.expect_finite_differences(%x) {function = @average_pool, gradient = @average_pool_gradient}
    : tensor<1x2x4x5xf64>
  return
}

// CHECK-LABEL: func.func private @average_pool_with_padding_gradient
func.func @average_pool_with_padding(%x: tensor<1x2x5xf64>) -> tensor<f64> {
  %y = graph.average_pool %x {window = array<i64: 3>, strides = array<i64: 2>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, count_include_pad} : (tensor<1x2x5xf64>) -> tensor<1x2x3xf64>
  %square = arith.mulf %y, %y : tensor<1x2x3xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1, 2>} : (tensor<1x2x3xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @average_pool_with_padding_gradient(tensor<1x2x5xf64>) -> tensor<1x2x5xf64>
func.func @test_average_pool_with_padding() {
  %x = arith.constant dense<[[[-0.065, 0.331, 0.857, 0.628, 0.205], [-0.171, 0.037, -0.658, -0.634, 0.368]]]> : tensor<1x2x5xf64>
  check.expect_finite_differences(%x) {function = @average_pool_with_padding, gradient = @average_pool_with_padding_gradient}
    : tensor<1x2x5xf64>
  return
}
