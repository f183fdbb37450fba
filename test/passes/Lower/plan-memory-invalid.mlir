// RUN: tw-opt %s --tw-lower-plan-memory --verify-diagnostics

func.func @train(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{cannot stand in a plan: a pass of the Lower phase should have replaced it}}
  %0 = graph.softmax %x {axis = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
