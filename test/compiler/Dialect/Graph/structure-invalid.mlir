// RUN: tw-opt %s -split-input-file -verify-diagnostics

func.func @reshape_count(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{(C1) input [2, 3] has 6 elements, result [5] has 5}}
  %r = graph.reshape %a : (tensor<2x3xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @reshape_type(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{(C1) operand 0 has element type 'f32', expected 'i32'}}
  %r = graph.reshape %a : (tensor<2x3xf32>) -> tensor<6xi32>
  return
}

// -----

func.func @transpose_repeat(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{(C1) permutation is [0, 0], expected one of the numbers from 0 to 1}}
  %r = graph.transpose %a {permutation = array<i64: 0, 0>} : (tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @transpose_short(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{(C1) permutation is [0], expected one of the numbers from 0 to 1}}
  %r = graph.transpose %a {permutation = array<i64: 0>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @transpose_result(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{(C1) result has shape [2, 3], expected [3, 2]}}
  %r = graph.transpose %a {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_count(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{(C1) dimensions has 1 entries for input rank 2}}
  %r = graph.broadcast %a {dimensions = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_order(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{(C1) dimensions are [1, 0], expected ascending numbers from 0 to 1}}
  %r = graph.broadcast %a {dimensions = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @broadcast_size(%a: tensor<2xf32>) {
  // expected-error@+1 {{(C2) input dimension 0 has size 2, expected 1 or 3, the size of result dimension 0}}
  %r = graph.broadcast %a {dimensions = array<i64: 0>} : (tensor<2xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @slice_count(%a: tensor<4xf32>) {
  // expected-error@+1 {{(C1) starts has 2 entries, expected 1}}
  %r = graph.slice %a {starts = array<i64: 0, 0>, strides = array<i64: 1>} : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @slice_zero_stride(%a: tensor<4xf32>) {
  // expected-error@+1 {{(C1) strides are [0], expected none of them to be 0}}
  %r = graph.slice %a {starts = array<i64: 0>, strides = array<i64: 0>} : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @slice_end(%a: tensor<4xf32>) {
  // expected-error@+1 {{(C2) dimension 0 takes elements 0 to 4 of an input of size 4}}
  %r = graph.slice %a {starts = array<i64: 0>, strides = array<i64: 2>} : (tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @slice_backwards(%a: tensor<4xf32>) {
  // expected-error@+1 {{(C2) dimension 0 takes elements 1 to -1 of an input of size 4}}
  %r = graph.slice %a {starts = array<i64: 1>, strides = array<i64: -1>} : (tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @pad_negative(%a: tensor<4xf32>) {
  // expected-error@+1 {{(C1) low is [-1], expected entries from 0}}
  %r = graph.pad %a {low = array<i64: -1>, high = array<i64: 0>, interior = array<i64: 0>, value = 0.0 : f64} : (tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @pad_result(%a: tensor<4xf32>) {
  // expected-error@+1 {{(C1) result has shape [8], expected [9]}}
  %r = graph.pad %a {low = array<i64: 1>, high = array<i64: 1>, interior = array<i64: 1>, value = 0.0 : f64} : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @concat_sizes(%a: tensor<2x3xf32>, %b: tensor<1x3xf32>) {
  // expected-error@+1 {{(C1) operands have 3 elements along axis 0, the result has 4}}
  %r = graph.concat %a, %b {axis = 0 : i64} : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @concat_other(%a: tensor<2x3xf32>, %b: tensor<1x2xf32>) {
  // expected-error@+1 {{(C1) operand 1 has shape [1, 2], expected [1, 3]}}
  %r = graph.concat %a, %b {axis = 0 : i64} : (tensor<2x3xf32>, tensor<1x2xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @concat_axis(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{(C1) axis is 2, expected 0 <= axis < 2}}
  %r = graph.concat %a {axis = 2 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @gather_axis(%a: tensor<2x3xf32>, %b: tensor<4xi64>) {
  // expected-error@+1 {{(C1) axis is 2, expected 0 <= axis < 2}}
  %r = graph.gather %a, %b {axis = 2 : i64} : (tensor<2x3xf32>, tensor<4xi64>) -> tensor<4x3xf32>
  return
}

// -----

func.func @gather_result(%a: tensor<2x3xf32>, %b: tensor<4xi64>) {
  // expected-error@+1 {{(C1) result has shape [4, 2], expected [4, 3]}}
  %r = graph.gather %a, %b {axis = 0 : i64} : (tensor<2x3xf32>, tensor<4xi64>) -> tensor<4x2xf32>
  return
}

// -----

func.func @scatter_add(%a: tensor<4x2xf32>, %b: tensor<4xi64>) {
  // expected-error@+1 {{(C1) updates has shape [4, 2], expected [4, 3]}}
  %r = graph.scatter_add %a, %b {axis = 0 : i64} : (tensor<4x2xf32>, tensor<4xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @reduce_dimensions(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{(C1) dimensions are [2], expected ascending numbers from 0 to 1}}
  %r = graph.reduce %a {kind = #graph.reduction<sum>, dimensions = array<i64: 2>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduce_result(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{(C1) result has shape [3], expected [2]}}
  %r = graph.reduce %a {kind = #graph.reduction<sum>, dimensions = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @concat_nothing() {
  // expected-error@+1 {{(C1) needs at least one operand}}
  %r = "graph.concat"() {axis = 0 : i64} : () -> tensor<2xf32>
  return
}
