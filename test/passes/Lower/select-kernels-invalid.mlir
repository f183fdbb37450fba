// RUN: tw-opt %s --tw-lower-select-kernels --verify-diagnostics --split-input-file

func.func @no_kernel(%x: tensor<2x3xf16>) -> tensor<2xf16> {
  // expected-error @+1 {{there is no kernel for graph.reduce: looked for 'reduce_f16_host'}}
  %0 = graph.reduce %x {kind = #graph.reduction<sum>, dimensions = array<i64: 1>} : (tensor<2x3xf16>) -> tensor<2xf16>
  return %0 : tensor<2xf16>
}

// -----

func.func @not_fused(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{there is no kernel for arith.negf outside of graph.fused}}
  %0 = arith.negf %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
