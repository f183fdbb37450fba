// RUN: tw-opt %s --pass-pipeline="builtin.module(tw-lower-select-kernels{target=cuda})" --verify-diagnostics

func.func @other_pads(%x: tensor<2x4x5x5xf32>, %w: tensor<6x4x3x3xf32>) -> tensor<2x6x5x5xf32> {
  // expected-error @+1 {{cuDNN pads both sides of a dimension alike, but this convolution has 0 before and 2 after dimension 3: pad by an op of its own in the model, or compile for the host}}
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 0, 1, 2>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x4x5x5xf32>, tensor<6x4x3x3xf32>) -> tensor<2x6x5x5xf32>
  return %0 : tensor<2x6x5x5xf32>
}

func.func @no_kernel(%x: tensor<2x3xf16>) -> tensor<2xf16> {
  // expected-error @+1 {{there is no kernel for graph.reduce: looked for 'reduce_f16_cuda'}}
  %0 = graph.reduce %x {kind = #graph.reduction<sum>, dimensions = array<i64: 1>} : (tensor<2x3xf16>) -> tensor<2xf16>
  return %0 : tensor<2xf16>
}
