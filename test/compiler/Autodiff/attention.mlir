// Gradient rule of attention: causal, additive bias, shared key heads, cross-attention.
// RUN: tw-opt %s --tw-differentiate-define-gradients | FileCheck %s
// RUN: tw-opt %s --tw-differentiate-define-gradients --tw-check-execute -o /dev/null

// CHECK-LABEL: func.func private @attention_gradient
// CHECK: %[[Y:.*]], %[[LSE:.*]] = graph.attention
// CHECK: graph.attention_backward %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[Y]], %[[LSE]]
func.func @attention(%q: tensor<2x2x3x4xf64>, %k: tensor<2x2x3x4xf64>, %v: tensor<2x2x3x2xf64>) -> tensor<f64> {
  %y, %lse = graph.attention %q, %k, %v {scale = 0.5 : f64} : (tensor<2x2x3x4xf64>, tensor<2x2x3x4xf64>, tensor<2x2x3x2xf64>) -> (tensor<2x2x3x2xf64>, tensor<2x2x3xf64>)
  %square = arith.mulf %y, %y : tensor<2x2x3x2xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1, 2, 3>} : (tensor<2x2x3x2xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @attention_gradient(tensor<2x2x3x4xf64>, tensor<2x2x3x4xf64>, tensor<2x2x3x2xf64>) -> (tensor<2x2x3x4xf64>, tensor<2x2x3x4xf64>, tensor<2x2x3x2xf64>)
func.func @test_attention() {
  %q = arith.constant dense<[[[[-0.206, -0.576, -0.627, -0.925], [-0.002, -0.231, 0.703, 0.666], [-0.886, -0.197, -0.222, -0.645]], [[-0.499, -0.473, 0.388, -0.320], [-0.778, -0.559, -0.116, 0.130], [-0.509, 0.399, -0.569, 0.342]]], [[[0.219, -0.648, 0.502, -0.212], [0.079, 0.196, 0.256, -0.115], [-0.888, 0.573, 0.719, -0.020]], [[0.158, -0.463, 0.797, 0.371], [-0.556, 0.635, 0.972, -0.308], [0.991, -0.034, -0.643, 0.434]]]]> : tensor<2x2x3x4xf64>
  %k = arith.constant dense<[[[[-0.322, 0.465, 0.167, -0.785], [0.056, 0.702, -0.044, 0.079], [0.726, -0.107, -0.015, 0.166]], [[0.648, -0.594, -0.813, 0.522], [0.105, -0.395, 0.784, 0.769], [0.083, 0.977, 0.672, 0.496]]], [[[-0.417, -0.978, 0.357, 0.470], [-0.299, -0.042, 0.134, -0.500], [0.395, 0.125, -0.229, -0.781]], [[0.108, -0.361, 0.450, -0.655], [-0.211, -0.608, -0.183, 0.153], [-0.786, -0.890, -0.035, -0.597]]]]> : tensor<2x2x3x4xf64>
  %v = arith.constant dense<[[[[0.010, -0.666], [-0.798, 0.075], [0.846, 0.737]], [[0.031, -0.205], [-0.868, -0.447], [-0.372, 0.883]]], [[[-0.766, 0.896], [-0.047, -0.132], [-0.475, 0.925]], [[-0.628, 0.143], [0.022, -0.601], [-0.554, 0.971]]]]> : tensor<2x2x3x2xf64>
  check.expect_finite_differences(%q, %k, %v) {function = @attention, gradient = @attention_gradient}
    : tensor<2x2x3x4xf64>, tensor<2x2x3x4xf64>, tensor<2x2x3x2xf64>
  return
}

// CHECK-LABEL: func.func private @attention_causal_gradient
func.func @attention_causal(%q: tensor<1x2x3x2xf64>, %k: tensor<1x2x3x2xf64>, %v: tensor<1x2x3x2xf64>) -> tensor<f64> {
  %y, %lse = graph.attention %q, %k, %v {scale = 0.5 : f64, causal} : (tensor<1x2x3x2xf64>, tensor<1x2x3x2xf64>, tensor<1x2x3x2xf64>) -> (tensor<1x2x3x2xf64>, tensor<1x2x3xf64>)
  %square = arith.mulf %y, %y : tensor<1x2x3x2xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1, 2, 3>} : (tensor<1x2x3x2xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @attention_causal_gradient(tensor<1x2x3x2xf64>, tensor<1x2x3x2xf64>, tensor<1x2x3x2xf64>) -> (tensor<1x2x3x2xf64>, tensor<1x2x3x2xf64>, tensor<1x2x3x2xf64>)
func.func @test_attention_causal() {
  %q = arith.constant dense<[[[[0.582, 0.467], [0.806, -0.803], [0.407, 0.501]], [[-0.549, -0.086], [0.949, -0.346], [0.525, -0.669]]]]> : tensor<1x2x3x2xf64>
  %k = arith.constant dense<[[[[0.334, -0.461], [0.018, -0.255], [0.741, 0.490]], [[0.008, 0.374], [-0.145, 0.609], [-0.485, 0.088]]]]> : tensor<1x2x3x2xf64>
  %v = arith.constant dense<[[[[0.171, -0.224], [-0.907, -0.660], [0.281, -0.577]], [[0.516, 0.010], [0.906, 0.696], [0.455, -0.255]]]]> : tensor<1x2x3x2xf64>
  check.expect_finite_differences(%q, %k, %v) {function = @attention_causal, gradient = @attention_causal_gradient}
    : tensor<1x2x3x2xf64>, tensor<1x2x3x2xf64>, tensor<1x2x3x2xf64>
  return
}

// CHECK-LABEL: func.func private @attention_shared_heads_gradient
func.func @attention_shared_heads(%q: tensor<1x4x2x2xf64>, %k: tensor<1x2x3x2xf64>, %v: tensor<1x2x3x2xf64>) -> tensor<f64> {
  %y, %lse = graph.attention %q, %k, %v {scale = 0.5 : f64} : (tensor<1x4x2x2xf64>, tensor<1x2x3x2xf64>, tensor<1x2x3x2xf64>) -> (tensor<1x4x2x2xf64>, tensor<1x4x2xf64>)
  %square = arith.mulf %y, %y : tensor<1x4x2x2xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1, 2, 3>} : (tensor<1x4x2x2xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @attention_shared_heads_gradient(tensor<1x4x2x2xf64>, tensor<1x2x3x2xf64>, tensor<1x2x3x2xf64>) -> (tensor<1x4x2x2xf64>, tensor<1x2x3x2xf64>, tensor<1x2x3x2xf64>)
func.func @test_attention_shared_heads() {
  %q = arith.constant dense<[[[[-0.913, 0.113], [0.491, 0.842]], [[-0.595, -0.683], [0.961, 0.479]], [[-0.031, 0.477], [-0.701, 0.088]], [[0.337, 0.208], [-0.678, -0.726]]]]> : tensor<1x4x2x2xf64>
  %k = arith.constant dense<[[[[0.250, 0.769], [-0.724, -0.986], [-0.834, 0.570]], [[-0.218, -0.088], [0.988, 0.222], [-0.473, 0.402]]]]> : tensor<1x2x3x2xf64>
  %v = arith.constant dense<[[[[-0.996, -0.437], [0.397, -0.658], [-0.935, 0.036]], [[-0.344, 0.942], [-0.797, 0.604], [-0.223, 0.611]]]]> : tensor<1x2x3x2xf64>
  check.expect_finite_differences(%q, %k, %v) {function = @attention_shared_heads, gradient = @attention_shared_heads_gradient}
    : tensor<1x4x2x2xf64>, tensor<1x2x3x2xf64>, tensor<1x2x3x2xf64>
  return
}

// CHECK-LABEL: func.func private @attention_bias_gradient
func.func @attention_bias(%q: tensor<1x2x2x2xf64>, %k: tensor<1x2x3x2xf64>, %v: tensor<1x2x3x2xf64>) -> tensor<f64> {
  %bias = arith.constant dense<[[[[-0.110, 0.335, -0.347], [-0.551, -0.095, 0.600]]]]> : tensor<1x1x2x3xf64>
  %y, %lse = graph.attention %q, %k, %v, %bias {scale = 0.5 : f64} : (tensor<1x2x2x2xf64>, tensor<1x2x3x2xf64>, tensor<1x2x3x2xf64>, tensor<1x1x2x3xf64>) -> (tensor<1x2x2x2xf64>, tensor<1x2x2xf64>)
  %square = arith.mulf %y, %y : tensor<1x2x2x2xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1, 2, 3>} : (tensor<1x2x2x2xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @attention_bias_gradient(tensor<1x2x2x2xf64>, tensor<1x2x3x2xf64>, tensor<1x2x3x2xf64>) -> (tensor<1x2x2x2xf64>, tensor<1x2x3x2xf64>, tensor<1x2x3x2xf64>)
func.func @test_attention_bias() {
  %q = arith.constant dense<[[[[-0.309, -0.540], [-0.168, -0.808]], [[-0.369, 0.146], [0.091, 0.195]]]]> : tensor<1x2x2x2xf64>
  %k = arith.constant dense<[[[[-0.420, -0.950], [-0.947, -0.322], [-0.607, 0.138]], [[-0.469, 0.524], [0.203, 0.325], [0.471, 0.043]]]]> : tensor<1x2x3x2xf64>
  %v = arith.constant dense<[[[[-0.147, -0.383], [-0.874, 0.589], [0.000, -0.801]], [[0.853, 0.164], [0.247, -0.123], [-0.748, 0.999]]]]> : tensor<1x2x3x2xf64>
  check.expect_finite_differences(%q, %k, %v) {function = @attention_bias, gradient = @attention_bias_gradient}
    : tensor<1x2x2x2xf64>, tensor<1x2x3x2xf64>, tensor<1x2x3x2xf64>
  return
}
