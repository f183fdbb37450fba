// Gradient rules of normalisation, softmax and activations.
// RUN: tw-opt %s --tw-differentiate-define-gradients | FileCheck %s
// RUN: tw-opt %s --tw-differentiate-define-gradients --tw-check-execute -o /dev/null

// CHECK-LABEL: func.func private @batch_norm_training_gradient
// CHECK: graph.batch_norm_backward
func.func @batch_norm_training(%x: tensor<3x2x2x2xf64>, %s: tensor<2xf64>, %b: tensor<2xf64>, %t: tensor<3x2x2x2xf64>) -> tensor<f64> {
  %n, %mean, %variance = graph.batch_norm_training %x, %s, %b {epsilon = 1.0e-3 : f64} : (tensor<3x2x2x2xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<3x2x2x2xf64>, tensor<2xf64>, tensor<2xf64>)
  %y = arith.mulf %n, %t : tensor<3x2x2x2xf64>
  %square = arith.mulf %y, %y : tensor<3x2x2x2xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1, 2, 3>} : (tensor<3x2x2x2xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @batch_norm_training_gradient(tensor<3x2x2x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<3x2x2x2xf64>) -> (tensor<3x2x2x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<3x2x2x2xf64>)
func.func @test_batch_norm_training() {
  %x = arith.constant dense<[[[[0.984, 0.094], [-0.184, -0.296]], [[-0.090, 0.606], [-0.095, 0.919]]], [[[-0.689, -0.370], [0.044, -0.176]], [[0.702, 0.655], [0.863, 0.225]]], [[[-0.939, 0.149], [0.099, -0.025]], [[-0.440, 0.419], [0.823, -0.795]]]]> : tensor<3x2x2x2xf64>
  %s = arith.constant dense<[1.169, 0.871]> : tensor<2xf64>
  %b = arith.constant dense<[0.030, 0.791]> : tensor<2xf64>
  %t = arith.constant dense<[[[[0.921, 0.287], [-0.610, 0.841]], [[-0.638, -0.233], [0.656, -0.368]]], [[[-0.458, 0.900], [0.888, -0.365]], [[-0.215, -0.436], [-0.737, -0.500]]], [[[0.960, -0.841], [-0.540, -0.600]], [[-0.841, 0.052], [0.486, 0.677]]]]> : tensor<3x2x2x2xf64>
  check.expect_finite_differences(%x, %s, %b, %t) {function = @batch_norm_training, gradient = @batch_norm_training_gradient}
    : tensor<3x2x2x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<3x2x2x2xf64>
  return
}

// CHECK-LABEL: func.func private @batch_norm_gradient
// CHECK: graph.batch_norm_backward_reduce
func.func @batch_norm(%x: tensor<3x2x2x2xf64>, %s: tensor<2xf64>, %b: tensor<2xf64>, %m: tensor<2xf64>, %v: tensor<2xf64>) -> tensor<f64> {
  %y = graph.batch_norm %x, %s, %b, %m, %v {epsilon = 1.0e-3 : f64} : (tensor<3x2x2x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> tensor<3x2x2x2xf64>
  %square = arith.mulf %y, %y : tensor<3x2x2x2xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1, 2, 3>} : (tensor<3x2x2x2xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @batch_norm_gradient(tensor<3x2x2x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<3x2x2x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>)
func.func @test_batch_norm() {
  %x = arith.constant dense<[[[[0.262, 0.636], [-0.989, -0.436]], [[0.922, -0.861], [-0.465, -0.034]]], [[[-0.464, 0.092], [-0.906, -0.528]], [[0.915, -0.712], [0.811, -0.644]]], [[[0.986, 0.349], [0.294, -0.716]], [[-0.891, 0.519], [-0.648, -0.621]]]]> : tensor<3x2x2x2xf64>
  %s = arith.constant dense<[1.323, 1.375]> : tensor<2xf64>
  %b = arith.constant dense<[-0.902, 0.922]> : tensor<2xf64>
  %m = arith.constant dense<[0.021, -0.071]> : tensor<2xf64>
  %v = arith.constant dense<[0.607, 0.890]> : tensor<2xf64>
  check.expect_finite_differences(%x, %s, %b, %m, %v) {function = @batch_norm, gradient = @batch_norm_gradient}
    : tensor<3x2x2x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>
  return
}

// CHECK-LABEL: func.func private @layer_norm_gradient
// CHECK: graph.layer_norm_backward
func.func @layer_norm(%x: tensor<2x3x4xf64>, %s: tensor<4xf64>, %b: tensor<4xf64>, %t: tensor<2x3x4xf64>) -> tensor<f64> {
  %n, %mean, %deviation = graph.layer_norm %x, %s, %b {axis = 2 : i64, epsilon = 1.0e-3 : f64} : (tensor<2x3x4xf64>, tensor<4xf64>, tensor<4xf64>) -> (tensor<2x3x4xf64>, tensor<2x3xf64>, tensor<2x3xf64>)
  %y = arith.mulf %n, %t : tensor<2x3x4xf64>
  %square = arith.mulf %y, %y : tensor<2x3x4xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1, 2>} : (tensor<2x3x4xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @layer_norm_gradient(tensor<2x3x4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<2x3x4xf64>) -> (tensor<2x3x4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<2x3x4xf64>)
func.func @test_layer_norm() {
  %x = arith.constant dense<[[[0.975, -0.438, -0.737, -0.709], [-0.746, -0.295, 0.830, -0.846], [-0.616, 0.879, 0.994, 0.960]], [[-0.508, -0.291, 0.902, -0.030], [0.407, -0.373, -0.957, -0.309], [0.496, 0.564, 0.138, -0.072]]]> : tensor<2x3x4xf64>
  %s = arith.constant dense<[1.038, 0.942, 1.034, 1.333]> : tensor<4xf64>
  %b = arith.constant dense<[-0.599, 0.189, 0.866, 0.697]> : tensor<4xf64>
  %t = arith.constant dense<[[[-0.641, 0.927, 0.680, -0.664], [-0.468, -0.595, -0.894, 0.957], [-0.181, 0.745, -0.771, -0.972]], [[0.740, 0.588, 0.983, 0.371], [0.050, 0.532, -0.815, 0.081], [-0.118, -0.707, 0.201, -0.354]]]> : tensor<2x3x4xf64>
  check.expect_finite_differences(%x, %s, %b, %t) {function = @layer_norm, gradient = @layer_norm_gradient}
    : tensor<2x3x4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<2x3x4xf64>
  return
}

// CHECK-LABEL: func.func private @layer_norm_without_bias_gradient
func.func @layer_norm_without_bias(%x: tensor<3x2x2xf64>, %s: tensor<2x2xf64>, %t: tensor<3x2x2xf64>) -> tensor<f64> {
  %n, %mean, %deviation = graph.layer_norm %x, %s {axis = 1 : i64, epsilon = 1.0e-3 : f64} : (tensor<3x2x2xf64>, tensor<2x2xf64>) -> (tensor<3x2x2xf64>, tensor<3xf64>, tensor<3xf64>)
  %y = arith.mulf %n, %t : tensor<3x2x2xf64>
  %square = arith.mulf %y, %y : tensor<3x2x2xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1, 2>} : (tensor<3x2x2xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @layer_norm_without_bias_gradient(tensor<3x2x2xf64>, tensor<2x2xf64>, tensor<3x2x2xf64>) -> (tensor<3x2x2xf64>, tensor<2x2xf64>, tensor<3x2x2xf64>)
func.func @test_layer_norm_without_bias() {
  %x = arith.constant dense<[[[0.013, -0.253], [-0.364, -0.283]], [[0.202, 0.961], [0.872, 0.724]], [[0.670, -0.426], [0.953, -0.460]]]> : tensor<3x2x2xf64>
  %s = arith.constant dense<[[0.623, 1.001], [1.232, 0.841]]> : tensor<2x2xf64>
  %t = arith.constant dense<[[[0.291, -0.435], [0.934, -0.094]], [[-0.044, 0.063], [0.750, 0.973]], [[0.057, -0.117], [0.236, -0.861]]]> : tensor<3x2x2xf64>
  check.expect_finite_differences(%x, %s, %t) {function = @layer_norm_without_bias, gradient = @layer_norm_without_bias_gradient}
    : tensor<3x2x2xf64>, tensor<2x2xf64>, tensor<3x2x2xf64>
  return
}

// CHECK-LABEL: func.func private @rms_norm_gradient
// CHECK: graph.rms_norm_backward
func.func @rms_norm(%x: tensor<2x3x4xf64>, %s: tensor<4xf64>, %t: tensor<2x3x4xf64>) -> tensor<f64> {
  %n, %inverse = graph.rms_norm %x, %s {axis = 2 : i64, epsilon = 1.0e-3 : f64} : (tensor<2x3x4xf64>, tensor<4xf64>) -> (tensor<2x3x4xf64>, tensor<2x3xf64>)
  %y = arith.mulf %n, %t : tensor<2x3x4xf64>
  %square = arith.mulf %y, %y : tensor<2x3x4xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1, 2>} : (tensor<2x3x4xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @rms_norm_gradient(tensor<2x3x4xf64>, tensor<4xf64>, tensor<2x3x4xf64>) -> (tensor<2x3x4xf64>, tensor<4xf64>, tensor<2x3x4xf64>)
func.func @test_rms_norm() {
  %x = arith.constant dense<[[[-0.149, 0.695, 0.555, -0.881], [0.709, -0.232, 0.963, -0.267], [-0.571, 0.097, 0.768, -0.138]], [[0.735, 0.423, -0.277, -0.399], [0.011, -0.202, -0.255, 0.303], [0.750, 0.169, -0.708, -0.560]]]> : tensor<2x3x4xf64>
  %s = arith.constant dense<[0.871, 1.115, 0.640, 0.582]> : tensor<4xf64>
  %t = arith.constant dense<[[[-0.359, -0.434, -0.941, 0.078], [0.843, 0.069, 0.475, 0.657], [0.675, 0.826, -0.117, 0.365]], [[-0.759, 0.760, -0.244, -0.049], [0.781, -0.426, -0.620, 0.647], [0.198, -0.830, -0.944, -0.297]]]> : tensor<2x3x4xf64>
  check.expect_finite_differences(%x, %s, %t) {function = @rms_norm, gradient = @rms_norm_gradient}
    : tensor<2x3x4xf64>, tensor<4xf64>, tensor<2x3x4xf64>
  return
}

// CHECK-LABEL: func.func private @softmax_gradient
// CHECK: %[[Y:.*]] = graph.softmax %
// CHECK: graph.softmax_backward %{{.*}}, %[[Y]]
func.func @softmax(%x: tensor<2x4x3xf64>) -> tensor<f64> {
  %y = graph.softmax %x {axis = 1 : i64} : (tensor<2x4x3xf64>) -> tensor<2x4x3xf64>
  %square = arith.mulf %y, %y : tensor<2x4x3xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1, 2>} : (tensor<2x4x3xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @softmax_gradient(tensor<2x4x3xf64>) -> tensor<2x4x3xf64>
func.func @test_softmax() {
  %x = arith.constant dense<[[[-0.985, 0.665, -0.633], [-0.452, -0.222, 0.023], [-0.135, 0.257, 0.320], [-0.128, -0.806, 0.958]], [[0.382, -0.833, -0.117], [0.507, 0.984, -0.868], [-0.981, -0.040, -0.156], [0.789, 0.653, -0.337]]]> : tensor<2x4x3xf64>
  check.expect_finite_differences(%x) {function = @softmax, gradient = @softmax_gradient}
    : tensor<2x4x3xf64>
  return
}

// CHECK-LABEL: func.func private @log_softmax_gradient
// CHECK: %[[Y:.*]] = graph.log_softmax %
// CHECK: graph.log_softmax_backward %{{.*}}, %[[Y]]
func.func @log_softmax(%x: tensor<2x4x3xf64>) -> tensor<f64> {
  %y = graph.log_softmax %x {axis = 1 : i64} : (tensor<2x4x3xf64>) -> tensor<2x4x3xf64>
  %square = arith.mulf %y, %y : tensor<2x4x3xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1, 2>} : (tensor<2x4x3xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @log_softmax_gradient(tensor<2x4x3xf64>) -> tensor<2x4x3xf64>
func.func @test_log_softmax() {
  %x = arith.constant dense<[[[-0.162, 0.166, 0.768], [-0.596, -0.216, -0.823], [0.283, -0.947, 0.870], [0.047, 0.148, -0.829]], [[-0.536, -0.062, 0.715], [0.078, -0.431, 0.964], [0.323, 0.057, -0.595], [-0.403, 0.800, -0.734]]]> : tensor<2x4x3xf64>
  check.expect_finite_differences(%x) {function = @log_softmax, gradient = @log_softmax_gradient}
    : tensor<2x4x3xf64>
  return
}

// CHECK-LABEL: func.func private @gelu_gradient
func.func @gelu(%x: tensor<6xf64>) -> tensor<f64> {
  %y = graph.gelu %x : (tensor<6xf64>) -> tensor<6xf64>
  %square = arith.mulf %y, %y : tensor<6xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<6xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @gelu_gradient(tensor<6xf64>) -> tensor<6xf64>
func.func @test_gelu() {
  %x = arith.constant dense<[0.126, 0.480, -0.581, 1.075, 1.640, 1.430]> : tensor<6xf64>
  check.expect_finite_differences(%x) {function = @gelu, gradient = @gelu_gradient}
    : tensor<6xf64>
  return
}

// CHECK-LABEL: func.func private @gelu_tanh_gradient
// CHECK: graph.gelu_backward %{{.*}}, %{{.*}} {tanh}
func.func @gelu_tanh(%x: tensor<6xf64>) -> tensor<f64> {
  %y = graph.gelu %x {tanh} : (tensor<6xf64>) -> tensor<6xf64>
  %square = arith.mulf %y, %y : tensor<6xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<6xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @gelu_tanh_gradient(tensor<6xf64>) -> tensor<6xf64>
func.func @test_gelu_tanh() {
  %x = arith.constant dense<[0.952, -1.186, -1.760, -0.269, -0.752, -1.224]> : tensor<6xf64>
  check.expect_finite_differences(%x) {function = @gelu_tanh, gradient = @gelu_tanh_gradient}
    : tensor<6xf64>
  return
}

// CHECK-LABEL: func.func private @sigmoid_gradient
func.func @sigmoid(%x: tensor<6xf64>) -> tensor<f64> {
  %y = graph.sigmoid %x : (tensor<6xf64>) -> tensor<6xf64>
  %square = arith.mulf %y, %y : tensor<6xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<6xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @sigmoid_gradient(tensor<6xf64>) -> tensor<6xf64>
func.func @test_sigmoid() {
  %x = arith.constant dense<[1.486, -1.136, 1.291, 1.751, -1.521, 1.654]> : tensor<6xf64>
  check.expect_finite_differences(%x) {function = @sigmoid, gradient = @sigmoid_gradient}
    : tensor<6xf64>
  return
}
