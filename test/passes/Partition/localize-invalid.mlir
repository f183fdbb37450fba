// RUN: tw-opt %s --tw-partition-annotate=data=2 --tw-partition-localize --split-input-file --verify-diagnostics

// All places that would need another rank's elements are reported at once.
// expected-error @+1 {{2 operations of @evaluate would need elements of other ranks; these cannot be partitioned this way}}
func.func @evaluate(%x: tensor<4x3xf32> {graph.name = "x"}) -> (tensor<3x3xf32>, tensor<4x3xf32>) {
  // expected-note @+1 {{'graph.slice' has an operand split as [data], [] and needs it as [], []}}
  %part = graph.slice %x {starts = array<i64: 1, 0>, strides = array<i64: 1, 1>} : (tensor<4x3xf32>) -> tensor<3x3xf32>
  // expected-note @+1 {{'graph.softmax' has an operand split as [data], [] and needs it as [], []}}
  %softmax = graph.softmax %x {axis = 0 : i64} : (tensor<4x3xf32>) -> tensor<4x3xf32>
  return %part, %softmax : tensor<3x3xf32>, tensor<4x3xf32>
}
