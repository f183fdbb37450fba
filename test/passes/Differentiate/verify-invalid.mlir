// RUN: tw-opt %s --tw-differentiate-verify --split-input-file --verify-diagnostics

// expected-error @+1 {{the Differentiate phase must leave a function @train}}
module {
}

// -----

module {
  // expected-error @+1 {{@forward must not remain after the Differentiate phase}}
  func.func @forward() {
    return
  }
}

// -----

module {
  // expected-error @+1 {{@train must return loss, learning_rate and gradient_norm, and nothing else}}
  func.func @train(%x: tensor<f32>) -> (tensor<f32> {graph.name = "loss"}) {
    return %x : tensor<f32>
  }
  func.func @dump(%x: tensor<f32>) -> (tensor<f32> {graph.name = "loss"}) {
    return %x : tensor<f32>
  }
}

// -----

module {
  graph.parameter @w : tensor<f32> {role = #graph.role<trainable>, fill = 1.0 : f64}
  func.func @train(%x: tensor<f32>) -> (tensor<f32> {graph.name = "loss"}, tensor<f32> {graph.name = "learning_rate"}, tensor<f32> {graph.name = "gradient_norm"}) {
    graph.store %x, @w : tensor<f32>
    // expected-error @+1 {{parameter 'w' is stored twice in @train}}
    graph.store %x, @w : tensor<f32>
    return %x, %x, %x : tensor<f32>, tensor<f32>, tensor<f32>
  }
  func.func @dump(%x: tensor<f32>) -> (tensor<f32> {graph.name = "loss"}, tensor<f32> {graph.name = "learning_rate"}, tensor<f32> {graph.name = "gradient_norm"}) {
    return %x, %x, %x : tensor<f32>, tensor<f32>, tensor<f32>
  }
}
