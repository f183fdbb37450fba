// RUN: tw-opt %s -split-input-file -verify-diagnostics

func.func @static_shape(%a: tensor<?x3xf32>, %b: tensor<3x2xf32>) {
  // expected-error@+1 {{operand #0 must be statically shaped tensor of floating-point values, but got 'tensor<?x3xf32>'}}
  %r = graph.matmul %a, %b : (tensor<?x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @matmul_ranks(%a: tensor<2x3xf32>, %b: tensor<1x3x4xf32>) {
  // expected-error@+1 {{(C1) lhs [2, 3] and rhs [1, 3, 4] need equal ranks of at least 2 and equal batch dimensions}}
  %r = graph.matmul %a, %b : (tensor<2x3xf32>, tensor<1x3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @matmul_rank_one(%a: tensor<3xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{(C1) lhs [3] and rhs [3] need equal ranks}}
  %r = graph.matmul %a, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
  return
}

// -----

func.func @matmul_batches(%a: tensor<2x2x3xf32>, %b: tensor<1x3x4xf32>) {
  // expected-error@+1 {{(C1) lhs [2, 2, 3] and rhs [1, 3, 4]}}
  %r = graph.matmul %a, %b : (tensor<2x2x3xf32>, tensor<1x3x4xf32>) -> tensor<2x2x4xf32>
  return
}

// -----

func.func @matmul_contraction(%a: tensor<2x3xf32>, %b: tensor<4x3xf32>) {
  // expected-error@+1 {{(C2) contracting sizes differ: 3 of lhs [2, 3], 4 of rhs [4, 3]}}
  %r = graph.matmul %a, %b : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @matmul_result(%a: tensor<2x3xf32>, %b: tensor<4x3xf32>) {
  // expected-error@+1 {{(C2) result has shape [2, 3], expected [2, 4]}}
  %r = graph.matmul %a, %b {transpose_rhs} : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @matmul_types(%a: tensor<2x3xf32>, %b: tensor<3x4xbf16>) {
  // expected-error@+1 {{(C2) operand 1 has element type 'bf16', expected 'f32'}}
  %r = graph.matmul %a, %b : (tensor<2x3xf32>, tensor<3x4xbf16>) -> tensor<2x4xf32>
  return
}

// -----

func.func @matmul_init(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %c: tensor<2xf32>) {
  // expected-error@+1 {{(C3) init has shape [2], expected [2, 4] or [4]}}
  %r = graph.matmul %a, %b, %c : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<2xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @convolution_ranks(%a: tensor<1x2x4x4xf32>, %b: tensor<3x2x2xf32>) {
  // expected-error@+1 {{(C1) input [1, 2, 4, 4], filter [3, 2, 2] and output [1, 3, 3, 3] need equal ranks from 3 to 5}}
  %r = graph.convolution %a, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x2x4x4xf32>, tensor<3x2x2xf32>) -> tensor<1x3x3x3xf32>
  return
}

// -----

func.func @convolution_types(%a: tensor<1x2x4x4xf32>, %b: tensor<3x2x2x2xf64>) {
  // expected-error@+1 {{(C1) operand 1 has element type 'f64', expected 'f32'}}
  %r = graph.convolution %a, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x2x4x4xf32>, tensor<3x2x2x2xf64>) -> tensor<1x3x3x3xf32>
  return
}

// -----

func.func @convolution_strides(%a: tensor<1x2x4x4xf32>, %b: tensor<3x2x2x2xf32>) {
  // expected-error@+1 {{(C1) strides has 1 entries, expected 2}}
  %r = graph.convolution %a, %b {strides = array<i64: 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x2x4x4xf32>, tensor<3x2x2x2xf32>) -> tensor<1x3x3x3xf32>
  return
}

// -----

func.func @convolution_zero_stride(%a: tensor<1x2x4x4xf32>, %b: tensor<3x2x2x2xf32>) {
  // expected-error@+1 {{(C2) strides is [1, 0], expected entries from 1 to 2147483647}}
  %r = graph.convolution %a, %b {strides = array<i64: 1, 0>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x2x4x4xf32>, tensor<3x2x2x2xf32>) -> tensor<1x3x3x3xf32>
  return
}

// -----

func.func @convolution_pads(%a: tensor<1x2x4x4xf32>, %b: tensor<3x2x2x2xf32>) {
  // expected-error@+1 {{(C2) pads is [0, 0, 0, -1], expected entries from 0}}
  %r = graph.convolution %a, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, -1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x2x4x4xf32>, tensor<3x2x2x2xf32>) -> tensor<1x3x3x3xf32>
  return
}

// -----

func.func @convolution_groups(%a: tensor<1x2x4x4xf32>, %b: tensor<3x2x2x2xf32>) {
  // expected-error@+1 {{(C2) 2 groups do not divide 2 channels and 3 filters}}
  %r = graph.convolution %a, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 2 : i64} : (tensor<1x2x4x4xf32>, tensor<3x2x2x2xf32>) -> tensor<1x3x3x3xf32>
  return
}

// -----

func.func @convolution_channels(%a: tensor<1x2x4x4xf32>, %b: tensor<3x1x2x2xf32>) {
  // expected-error@+1 {{(C2) channels or batches disagree: input [1, 2, 4, 4], filter [3, 1, 2, 2], output [1, 3, 3, 3], 1 groups}}
  %r = graph.convolution %a, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x2x4x4xf32>, tensor<3x1x2x2xf32>) -> tensor<1x3x3x3xf32>
  return
}

// -----

func.func @convolution_bias(%a: tensor<1x2x4x4xf32>, %b: tensor<3x2x2x2xf32>, %c: tensor<2xf32>) {
  // expected-error@+1 {{(C2) bias has shape [2], expected [3]}}
  %r = graph.convolution %a, %b, %c {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x2x4x4xf32>, tensor<3x2x2x2xf32>, tensor<2xf32>) -> tensor<1x3x3x3xf32>
  return
}

// -----

func.func @convolution_size(%a: tensor<1x2x4x4xf32>, %b: tensor<3x2x2x2xf32>) {
  // expected-error@+1 {{(C3) result has size 4 in spatial dimension 0, expected 3}}
  %r = graph.convolution %a, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x2x4x4xf32>, tensor<3x2x2x2xf32>) -> tensor<1x3x4x3xf32>
  return
}

// -----

func.func @convolution_window(%a: tensor<1x2x4x4xf32>, %b: tensor<3x2x5x2xf32>) {
  // expected-error@+1 {{(C3) the window does not fit spatial dimension 0 of size 4}}
  %r = graph.convolution %a, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x2x4x4xf32>, tensor<3x2x5x2xf32>) -> tensor<1x3x1x3xf32>
  return
}

// -----

func.func @backward_input(%a: tensor<1x3x3x3xf32>, %b: tensor<3x2x2x2xf32>) {
  // expected-error@+1 {{(C3) cotangent has size 3 in spatial dimension 0, expected 4}}
  %r = graph.convolution_backward_input %a, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x3x3x3xf32>, tensor<3x2x2x2xf32>) -> tensor<1x2x5x4xf32>
  return
}

// -----

func.func @backward_filter(%a: tensor<1x3x3x3xf32>, %b: tensor<1x2x4x4xf32>) {
  // expected-error@+1 {{(C2) channels or batches disagree}}
  %r = graph.convolution_backward_filter %a, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x3x3x3xf32>, tensor<1x2x4x4xf32>) -> tensor<3x1x2x2xf32>
  return
}

// -----

func.func @max_pool_rank(%a: tensor<4x4xf32>) {
  // expected-error@+1 {{(C1) input [4, 4] and output [3, 3] need equal ranks from 3 to 5}}
  %r = graph.max_pool %a {window = array<i64: 2, 2>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<4x4xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @max_pool_window(%a: tensor<1x2x4x4xf32>) {
  // expected-error@+1 {{(C1) window has 1 entries, expected 2}}
  %r = graph.max_pool %a {window = array<i64: 2>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x2x4x4xf32>) -> tensor<1x2x3x3xf32>
  return
}

// -----

func.func @max_pool_channels(%a: tensor<1x2x4x4xf32>) {
  // expected-error@+1 {{(C2) batches or channels disagree: input [1, 2, 4, 4], result [1, 3, 3, 3]}}
  %r = graph.max_pool %a {window = array<i64: 2, 2>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x2x4x4xf32>) -> tensor<1x3x3x3xf32>
  return
}

// -----

func.func @max_pool_size(%a: tensor<1x2x4x4xf32>) {
  // expected-error@+1 {{(C2) result has size 4 in spatial dimension 1, expected 3}}
  %r = graph.max_pool %a {window = array<i64: 2, 2>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x2x4x4xf32>) -> tensor<1x2x3x4xf32>
  return
}

// -----

func.func @max_pool_empty_window(%a: tensor<1x2x4x4xf32>) {
  // expected-error@+1 {{(C1) a window lies in the padding alone in spatial dimension 0}}
  %r = graph.max_pool %a {window = array<i64: 2, 2>, strides = array<i64: 1, 1>, pads = array<i64: 2, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x2x4x4xf32>) -> tensor<1x2x5x3xf32>
  return
}

// -----

func.func @max_pool_backward(%a: tensor<1x2x3x3xf32>, %b: tensor<1x2x4x4xf32>) {
  // expected-error@+1 {{(C1) result has shape [1, 2, 4, 5], expected [1, 2, 4, 4]}}
  %r = graph.max_pool_backward %a, %b {window = array<i64: 2, 2>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x2x3x3xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x5xf32>
  return
}

// -----

func.func @average_pool(%a: tensor<1x2x4x4xf32>) {
  // expected-error@+1 {{(C2) result has size 4 in spatial dimension 1, expected 3}}
  %r = graph.average_pool %a {window = array<i64: 2, 2>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x2x4x4xf32>) -> tensor<1x2x3x4xf32>
  return
}

// -----

func.func @average_pool_backward(%a: tensor<1x2x3x4xf32>) {
  // expected-error@+1 {{(C2) cotangent has size 4 in spatial dimension 1, expected 3}}
  %r = graph.average_pool_backward %a {window = array<i64: 2, 2>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x4x4xf32>
  return
}
