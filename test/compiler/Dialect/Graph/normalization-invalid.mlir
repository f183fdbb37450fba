// RUN: tw-opt %s -split-input-file -verify-diagnostics

func.func @batch_norm_rank(%a: tensor<3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>) {
  // expected-error@+1 {{(C1) input has shape [3], expected at least rank 2}}
  %r:3 = graph.batch_norm_training %a, %b, %c {epsilon = 1.0e-5 : f64} : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @batch_norm_scale(%a: tensor<2x3xf32>, %b: tensor<2xf32>, %c: tensor<3xf32>) {
  // expected-error@+1 {{(C1) scale has shape [2], expected [3]}}
  %r:3 = graph.batch_norm_training %a, %b, %c {epsilon = 1.0e-5 : f64} : (tensor<2x3xf32>, tensor<2xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @batch_norm_result(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>) {
  // expected-error@+1 {{(C1) result has element type 'f64', expected 'f32'}}
  %r:3 = graph.batch_norm_training %a, %b, %c {epsilon = 1.0e-5 : f64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf64>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @batch_norm_backward(%a: tensor<2x4xf32>, %b: tensor<2x3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<3xf32>) {
  // expected-error@+1 {{(C1) cotangent has shape [2, 4], expected [2, 3]}}
  %r:3 = graph.batch_norm_backward %a, %b, %c, %d, %e {epsilon = 1.0e-5 : f64} : (tensor<2x4xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @centered_square_sum(%a: tensor<2x3xf32>, %b: tensor<2xf32>) {
  // expected-error@+1 {{(C1) mean has shape [2], expected [3]}}
  %r = graph.centered_square_sum %a, %b : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @batch_norm(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<1xf32>) {
  // expected-error@+1 {{(C1) variance has shape [1], expected [3]}}
  %r = graph.batch_norm %a, %b, %c, %d, %e {epsilon = 1.0e-5 : f64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @batch_norm_backward_reduce(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>) {
  // expected-error@+1 {{(C1) d_scale has shape [2], expected [3]}}
  %r:2 = graph.batch_norm_backward_reduce %a, %b, %c, %d {epsilon = 1.0e-5 : f64} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2xf32>, tensor<3xf32>)
  return
}

// -----

func.func @batch_norm_backward_apply(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<3xf32>, %f: tensor<3xf32>, %g: tensor<3xf32>) {
  // expected-error@+1 {{(C1) d_input has shape [3, 3], expected [2, 3]}}
  %r = graph.batch_norm_backward_apply %a, %b, %c, %d, %e, %f, %g {epsilon = 1.0e-5 : f64, count = 6 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @batch_norm_count(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<3xf32>, %f: tensor<3xf32>, %g: tensor<3xf32>) {
  // expected-error@+1 {{(C1) count is 0, expected a positive number}}
  %r = graph.batch_norm_backward_apply %a, %b, %c, %d, %e, %f, %g {epsilon = 1.0e-5 : f64, count = 0 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @layer_norm_axis(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error@+1 {{(C1) axis is 0, expected 1 <= axis < 2}}
  %r:3 = graph.layer_norm %a, %b {axis = 0 : i64, epsilon = 1.0e-5 : f64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<f32>, tensor<f32>)
  return
}

// -----

func.func @layer_norm_scale(%a: tensor<2x3xf32>, %b: tensor<2xf32>) {
  // expected-error@+1 {{(C1) scale has shape [2], expected [3]}}
  %r:3 = graph.layer_norm %a, %b {axis = 1 : i64, epsilon = 1.0e-5 : f64} : (tensor<2x3xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @layer_norm_bias(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %c: tensor<2xf32>) {
  // expected-error@+1 {{(C1) bias has shape [2], expected [3]}}
  %r:3 = graph.layer_norm %a, %b, %c {axis = 1 : i64, epsilon = 1.0e-5 : f64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @layer_norm_result(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{(C2) result has shape [2, 2], expected [2, 3]}}
  %r:3 = graph.layer_norm %a, %b {axis = 1 : i64, epsilon = 1.0e-5 : f64} : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @layer_norm_mean(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{(C2) mean has shape [3], expected [2]}}
  %r:3 = graph.layer_norm %a, %b {axis = 1 : i64, epsilon = 1.0e-5 : f64} : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<2xf32>)
  return
}

// -----

func.func @layer_norm_backward(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>, %c: tensor<3xf32>, %d: tensor<2xf32>, %e: tensor<2xf32>) {
  // expected-error@+1 {{(C1) d_bias has shape [2], expected [3]}}
  %r:3 = graph.layer_norm_backward %a, %b, %c, %d, %e {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<2xf32>)
  return
}

// -----

func.func @rms_norm(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{(C2) inverse_rms has shape [3], expected [2]}}
  %r:2 = graph.rms_norm %a, %b {axis = 1 : i64, epsilon = 1.0e-5 : f64} : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @rms_norm_backward(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>) {
  // expected-error@+1 {{(C1) inverse_rms has shape [3], expected [2]}}
  %r:2 = graph.rms_norm_backward %a, %b, %c, %d {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @softmax_axis(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{(C1) axis is 2, expected 0 <= axis < 2}}
  %r = graph.softmax %a {axis = 2 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @softmax_result(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{(C1) result has shape [3, 2], expected [2, 3]}}
  %r = graph.softmax %a {axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @softmax_backward(%a: tensor<2x3xf32>, %b: tensor<2x2xf32>) {
  // expected-error@+1 {{(C1) softmax has shape [2, 2], expected [2, 3]}}
  %r = graph.softmax_backward %a, %b {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @log_softmax(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{(C1) axis is -1, expected 0 <= axis < 2}}
  %r = graph.log_softmax %a {axis = -1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @log_softmax_backward(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error@+1 {{(C1) result has element type 'f64', expected 'f32'}}
  %r = graph.log_softmax_backward %a, %b {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf64>
  return
}

// -----

func.func @gelu(%a: tensor<2xf32>) {
  // expected-error@+1 {{requires the same type for all operands and results}}
  %r = graph.gelu %a : (tensor<2xf32>) -> tensor<3xf32>
  return
}
