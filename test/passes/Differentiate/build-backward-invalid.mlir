// RUN: tw-opt %s --tw-differentiate-build-backward --split-input-file --verify-diagnostics

// Everything on the way that has no gradient rule is reported at once, each at its ONNX node.
module {
  graph.parameter @w : tensor<4xf32> {role = #graph.role<trainable>, fill = 1.0 : f64}
  // expected-error @+1 {{2 operations between trainable parameters and the loss cannot be differentiated}}
  func.func @forward() -> (tensor<f32> {graph.name = "loss_sum"}) {
    %w = graph.load @w : tensor<4xf32>
    // expected-note @+1 {{'tensor.cast' has no gradient rule}}
    %a = tensor.cast %w : tensor<4xf32> to tensor<4xf32>
    // expected-note @+1 {{'tensor.cast' has no gradient rule}}
    %b = tensor.cast %a : tensor<4xf32> to tensor<4xf32>
    %sum = graph.reduce %b {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
    return %sum : tensor<f32>
  }
  func.func @loss_weight() -> tensor<f32> {
    %one = arith.constant dense<1.0> : tensor<f32>
    return %one : tensor<f32>
  }
}

// -----

module {
  graph.parameter @w : tensor<4xf32> {role = #graph.role<trainable>, fill = 1.0 : f64}
  // expected-warning @+1 {{trainable parameter 'unused' has no path to the loss and stays as it is}}
  graph.parameter @unused : tensor<4xf32> {role = #graph.role<trainable>, fill = 1.0 : f64}
  func.func @forward() -> tensor<f32> {
    %w = graph.load @w : tensor<4xf32>
    %sum = graph.reduce %w {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
    return %sum : tensor<f32>
  }
  func.func @loss_weight() -> tensor<f32> {
    %one = arith.constant dense<1.0> : tensor<f32>
    return %one : tensor<f32>
  }
}

// -----

module {
  graph.parameter @w : tensor<4xf32> {role = #graph.role<frozen>, fill = 1.0 : f64}
  // expected-error @+1 {{no trainable parameter has a path to the loss; nothing can be trained}}
  func.func @forward() -> tensor<f32> {
    %w = graph.load @w : tensor<4xf32>
    %sum = graph.reduce %w {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
    return %sum : tensor<f32>
  }
  func.func @loss_weight() -> tensor<f32> {
    %one = arith.constant dense<1.0> : tensor<f32>
    return %one : tensor<f32>
  }
}

// -----

// expected-error @+1 {{expected functions @forward and @loss_weight; run the Adapt phase first}}
module {
}

// -----

module {
  // expected-error @+1 {{@forward must return the loss's sum, a rank-0 float tensor, first}}
  func.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
  func.func @loss_weight(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}

// -----

module {
  graph.parameter @w : tensor<2x3xf32> {role = #graph.role<trainable>, fill = 1.0 : f64}
  // expected-error @+1 {{1 operation between trainable parameters and the loss cannot be differentiated}}
  func.func @forward() -> tensor<f32> {
    %w = graph.load @w : tensor<2x3xf32>
    %scale = arith.constant dense<1.0> : tensor<3xf32>
    // expected-note @+1 {{'graph.layer_norm' carries no gradient through its result 1; use only its first result on the way to the loss}}
    %y, %mean, %deviation = graph.layer_norm %w, %scale {axis = 1 : i64, epsilon = 1.0e-5 : f64} : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>)
    %sum = graph.reduce %mean {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<2xf32>) -> tensor<f32>
    return %sum : tensor<f32>
  }
  func.func @loss_weight() -> tensor<f32> {
    %one = arith.constant dense<1.0> : tensor<f32>
    return %one : tensor<f32>
  }
}
