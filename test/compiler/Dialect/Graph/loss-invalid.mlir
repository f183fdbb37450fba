// RUN: tw-opt %s -split-input-file -verify-diagnostics

func.func @logits(%a: tensor<2x3x4xf32>, %b: tensor<2xi64>) {
  // expected-error@+1 {{(C1) logits has rank 3, expected 2}}
  %r:2 = graph.cross_entropy %a, %b {ignore_index = -100 : i64, label_smoothing = 0.0 : f64} : (tensor<2x3x4xf32>, tensor<2xi64>) -> (tensor<f32>, tensor<2xf32>)
  return
}

// -----

func.func @classes(%a: tensor<2x0xf32>, %b: tensor<2xi64>) {
  // expected-error@+1 {{(C1) logits have shape [2, 0], expected at least one class}}
  %r:2 = graph.cross_entropy %a, %b {ignore_index = -100 : i64, label_smoothing = 0.0 : f64} : (tensor<2x0xf32>, tensor<2xi64>) -> (tensor<f32>, tensor<2xf32>)
  return
}

// -----

func.func @labels(%a: tensor<2x3xf32>, %b: tensor<3xi64>) {
  // expected-error@+1 {{(C1) labels has shape [3], expected [2]}}
  %r:2 = graph.cross_entropy %a, %b {ignore_index = -100 : i64, label_smoothing = 0.0 : f64} : (tensor<2x3xf32>, tensor<3xi64>) -> (tensor<f32>, tensor<2xf32>)
  return
}

// -----

func.func @logsumexp(%a: tensor<2x3xf32>, %b: tensor<2xi64>) {
  // expected-error@+1 {{(C1) logsumexp has shape [3], expected [2]}}
  %r:2 = graph.cross_entropy %a, %b {ignore_index = -100 : i64, label_smoothing = 0.0 : f64} : (tensor<2x3xf32>, tensor<2xi64>) -> (tensor<f32>, tensor<3xf32>)
  return
}

// -----

func.func @smoothing(%a: tensor<2x3xf32>, %b: tensor<2xi64>) {
  // expected-error@+1 {{(C1) label_smoothing is 1.000000e+00, expected 0.000000e+00 <= label_smoothing < 1.000000e+00}}
  %r:2 = graph.cross_entropy %a, %b {ignore_index = -100 : i64, label_smoothing = 1.0 : f64} : (tensor<2x3xf32>, tensor<2xi64>) -> (tensor<f32>, tensor<2xf32>)
  return
}

// -----

func.func @backward(%a: tensor<f32>, %b: tensor<2x3xf32>, %c: tensor<2xi64>, %d: tensor<2xf32>) {
  // expected-error@+1 {{(C1) result has shape [3, 2], expected [2, 3]}}
  %r = graph.cross_entropy_backward %a, %b, %c, %d {ignore_index = -100 : i64, label_smoothing = 0.0 : f64} : (tensor<f32>, tensor<2x3xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @dropout_rank(%a: tensor<f32>, %b: tensor<i64>, %c: tensor<i64>, %d: tensor<i64>) {
  // expected-error@+1 {{(C1) input has rank 0, expected at least 1}}
  %r = graph.dropout %a, %b, %c, %d {ratio = 0.5 : f64, id = 0 : i64} : (tensor<f32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<f32>
  return
}

// -----

func.func @dropout_ratio(%a: tensor<2xf32>, %b: tensor<i64>, %c: tensor<i64>, %d: tensor<i64>) {
  // expected-error@+1 {{(C1) ratio is 1.000000e+00, expected 0.000000e+00 <= ratio < 1.000000e+00}}
  %r = graph.dropout %a, %b, %c, %d {ratio = 1.0 : f64, id = 0 : i64} : (tensor<2xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<2xf32>
  return
}

// -----

func.func @dropout_nan_ratio(%a: tensor<2xf32>, %b: tensor<i64>, %c: tensor<i64>, %d: tensor<i64>) {
  // expected-error@+1 {{(C1) ratio is}}
  %r = graph.dropout %a, %b, %c, %d {ratio = 0x7FF8000000000000 : f64, id = 0 : i64} : (tensor<2xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<2xf32>
  return
}

// -----

func.func @dropout_result(%a: tensor<2xf32>, %b: tensor<i64>, %c: tensor<i64>, %d: tensor<i64>) {
  // expected-error@+1 {{(C1) result has shape [3], expected [2]}}
  %r = graph.dropout %a, %b, %c, %d {ratio = 0.5 : f64, id = 0 : i64} : (tensor<2xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<3xf32>
  return
}
