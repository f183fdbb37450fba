// RUN: tw-opt %s -split-input-file -verify-diagnostics

func.func @ranks(%a: tensor<4x3x2xf32>, %b: tensor<1x2x5x2xf32>, %c: tensor<1x2x5x3xf32>) {
  // expected-error@+1 {{(C1) query has rank 3, expected 4}}
  %r:2 = graph.attention %a, %b, %c {scale = 1.0 : f64} : (tensor<4x3x2xf32>, tensor<1x2x5x2xf32>, tensor<1x2x5x3xf32>) -> (tensor<1x4x3x3xf32>, tensor<1x4x3xf32>)
  return
}

// -----

func.func @sizes(%a: tensor<1x4x3x2xf32>, %b: tensor<1x2x5x3xf32>, %c: tensor<1x2x5x3xf32>) {
  // expected-error@+1 {{(C1) sizes of query [1, 4, 3, 2], key [1, 2, 5, 3] and value [1, 2, 5, 3] disagree}}
  %r:2 = graph.attention %a, %b, %c {scale = 1.0 : f64} : (tensor<1x4x3x2xf32>, tensor<1x2x5x3xf32>, tensor<1x2x5x3xf32>) -> (tensor<1x4x3x3xf32>, tensor<1x4x3xf32>)
  return
}

// -----

func.func @heads(%a: tensor<1x4x3x2xf32>, %b: tensor<1x3x5x2xf32>, %c: tensor<1x3x5x3xf32>) {
  // expected-error@+1 {{(C1) 3 key heads do not divide 4 query heads}}
  %r:2 = graph.attention %a, %b, %c {scale = 1.0 : f64} : (tensor<1x4x3x2xf32>, tensor<1x3x5x2xf32>, tensor<1x3x5x3xf32>) -> (tensor<1x4x3x3xf32>, tensor<1x4x3xf32>)
  return
}

// -----

func.func @bias(%a: tensor<1x4x3x2xf32>, %b: tensor<1x2x5x2xf32>, %c: tensor<1x2x5x3xf32>, %d: tensor<1x4x3x1xf32>) {
  // expected-error@+1 {{(C1) bias has shape [1, 4, 3, 1], expected that of the scores, [1, 4, 3, 5], or 1 in place of all but the last}}
  %r:2 = graph.attention %a, %b, %c, %d {scale = 1.0 : f64} : (tensor<1x4x3x2xf32>, tensor<1x2x5x2xf32>, tensor<1x2x5x3xf32>, tensor<1x4x3x1xf32>) -> (tensor<1x4x3x3xf32>, tensor<1x4x3xf32>)
  return
}

// -----

func.func @result(%a: tensor<1x4x3x2xf32>, %b: tensor<1x2x5x2xf32>, %c: tensor<1x2x5x3xf32>) {
  // expected-error@+1 {{(C2) result has shape [1, 4, 3, 2], expected [1, 4, 3, 3]}}
  %r:2 = graph.attention %a, %b, %c {scale = 1.0 : f64} : (tensor<1x4x3x2xf32>, tensor<1x2x5x2xf32>, tensor<1x2x5x3xf32>) -> (tensor<1x4x3x2xf32>, tensor<1x4x3xf32>)
  return
}

// -----

func.func @logsumexp(%a: tensor<1x4x3x2xf32>, %b: tensor<1x2x5x2xf32>, %c: tensor<1x2x5x3xf32>) {
  // expected-error@+1 {{(C2) logsumexp has shape [1, 4], expected [1, 4, 3]}}
  %r:2 = graph.attention %a, %b, %c {scale = 1.0 : f64} : (tensor<1x4x3x2xf32>, tensor<1x2x5x2xf32>, tensor<1x2x5x3xf32>) -> (tensor<1x4x3x3xf32>, tensor<1x4xf32>)
  return
}

// -----

func.func @backward_cotangent(%a: tensor<1x4x3x2xf32>, %b: tensor<1x4x3x2xf32>, %c: tensor<1x2x5x2xf32>, %d: tensor<1x2x5x3xf32>, %e: tensor<1x4x3x3xf32>, %f: tensor<1x4x3xf32>) {
  // expected-error@+1 {{(C1) cotangent has shape [1, 4, 3, 2], expected [1, 4, 3, 3]}}
  %r:3 = graph.attention_backward %a, %b, %c, %d, %e, %f {scale = 1.0 : f64} : (tensor<1x4x3x2xf32>, tensor<1x4x3x2xf32>, tensor<1x2x5x2xf32>, tensor<1x2x5x3xf32>, tensor<1x4x3x3xf32>, tensor<1x4x3xf32>) -> (tensor<1x4x3x2xf32>, tensor<1x2x5x2xf32>, tensor<1x2x5x3xf32>)
  return
}

// -----

func.func @backward_key(%a: tensor<1x4x3x3xf32>, %b: tensor<1x4x3x2xf32>, %c: tensor<1x2x5x2xf32>, %d: tensor<1x2x5x3xf32>, %e: tensor<1x4x3x3xf32>, %f: tensor<1x4x3xf32>) {
  // expected-error@+1 {{(C1) d_key has shape [1, 2, 5, 3], expected [1, 2, 5, 2]}}
  %r:3 = graph.attention_backward %a, %b, %c, %d, %e, %f {scale = 1.0 : f64} : (tensor<1x4x3x3xf32>, tensor<1x4x3x2xf32>, tensor<1x2x5x2xf32>, tensor<1x2x5x3xf32>, tensor<1x4x3x3xf32>, tensor<1x4x3xf32>) -> (tensor<1x4x3x2xf32>, tensor<1x2x5x3xf32>, tensor<1x2x5x3xf32>)
  return
}
