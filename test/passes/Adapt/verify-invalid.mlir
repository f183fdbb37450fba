// RUN: tw-opt %s --tw-adapt-verify --split-input-file --verify-diagnostics

// expected-error@+1 {{@main must not remain after the Adapt phase; run tw-adapt-attach-loss}}
module {
  func.func @main() { return }
}

// -----

// expected-error@+1 {{the Adapt phase must leave a function @evaluate}}
module {
  func.func @forward() { return }
}

// -----

// expected-error@+1 {{no parameter is trainable}}
module {
  func.func @forward() { return }
  func.func @evaluate() { return }
  func.func @loss_weight() { return }
}

// -----

module {
  graph.parameter @w : tensor<2xf32> {role = #graph.role<trainable>}
  // expected-error@+1 {{result 0 of @forward must be 'loss_sum' of type tensor<f32>}}
  func.func @forward(%x: tensor<2xf32>) -> (tensor<2xf32> {graph.name = "loss_sum"}) { return %x : tensor<2xf32> }
  func.func @evaluate(%x: tensor<2xf32>) { return }
  func.func @loss_weight(%x: tensor<2xf32>) { return }
}
