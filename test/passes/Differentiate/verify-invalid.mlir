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
  func.func @train(%x: tensor<f32>) -> (tensor<f32> {graph.name = "loss"}, tensor<f32> {graph.name = "learning_rate"}, tensor<f32> {graph.name = "gradient_norm"}) {
    %input = arith.constant dense<1.0> : tensor<3x2x4xf32>
    %one = arith.constant dense<1.0> : tensor<2xf32>
    // expected-error @+1 {{must be decomposed; run tw-differentiate-decompose-batch-norm}}
    %y, %mean, %variance = graph.batch_norm_training %input, %one, %one {epsilon = 1.0e-5 : f64}
        : (tensor<3x2x4xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<3x2x4xf32>, tensor<2xf32>, tensor<2xf32>)
    return %x, %x, %x : tensor<f32>, tensor<f32>, tensor<f32>
  }
  func.func @dump(%x: tensor<f32>) -> (tensor<f32> {graph.name = "loss"}, tensor<f32> {graph.name = "learning_rate"}, tensor<f32> {graph.name = "gradient_norm"}) {
    return %x, %x, %x : tensor<f32>, tensor<f32>, tensor<f32>
  }
}
