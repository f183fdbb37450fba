// RUN: tw-opt %s --verify-diagnostics --split-input-file

func.func @kernel_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{(C1) in_place pair (0, 1) names no result and operand}}
  %0 = plan.kernel "k"(%x) {} in_place [0, 1] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @kernel_c1_sizes(%x: tensor<4xf32>) {
  // expected-error @+1 {{(C1) in_place pair (0, 0) has sizes that differ}}
  %0 = plan.kernel "k"(%x) {} in_place [0, 0] : (tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @kernel_c3(%x: tensor<4xf32>) {
  // expected-error @+1 {{(C3) result_strides needs one stride a dimension of 'tensor<4xf32>'}}
  %0 = plan.kernel "k"(%x) {} result_strides [array<i64: 1, 1>] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @all_reduce_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{(C2) a rank is in two groups}}
  %0 = plan.all_reduce "sum"(%x) groups [array<i64: 0, 1>, array<i64: 1, 2>] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @view_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{(C2) elements 1 to 4 do not lie inside 'tensor<4xf32>'}}
  %0 = plan.view %x offset 1 strides [1] : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @view_c3(%x: tensor<4xf32>) {
  %0 = plan.view %x offset 0 strides [1] : tensor<4xf32> -> tensor<2xf32>
  // expected-error @+1 {{(C3) a view of a view must name the memory's owner}}
  %1 = plan.view %0 offset 0 strides [1] : tensor<2xf32> -> tensor<2xf32>
  return
}

// -----

func.func @assemble_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{(C2) a part must be the result of a plan.kernel or graph.fused and have no other use}}
  %0 = plan.assemble %x offsets [0] strides [array<i64: 1>] : (tensor<4xf32>) -> tensor<4xf32>
  return
}
