// RUN: tw-opt %s --tw-lower-select-kernels --verify-diagnostics --split-input-file

func.func @no_kernel(%x: tensor<2x3xi8>) -> tensor<2xi8> {
  // expected-error @+1 {{there is no kernel for graph.reduce: looked for 'reduce_i8_host'}}
  %0 = graph.reduce %x {kind = #graph.reduction<sum>, dimensions = array<i64: 1>} : (tensor<2x3xi8>) -> tensor<2xi8>
  return %0 : tensor<2xi8>
}

// -----

func.func @not_fused(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{there is no kernel for arith.negf outside of graph.fused}}
  %0 = arith.negf %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
