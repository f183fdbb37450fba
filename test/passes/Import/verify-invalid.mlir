// RUN: tw-opt %s --tw-import-verify --split-input-file --verify-diagnostics

// expected-error @+1 {{the Import phase must leave a function @main}}
module {
}

// -----

module {
  func.func @main(%x: tensor<2xf32> {graph.name = "x"}) {
    return
  }
  // expected-error @+1 {{must not be there after the Import phase: a module holds parameters and @main}}
  func.func @other() {
    return
  }
}

// -----

// expected-error @+1 {{argument 0 of @main must be a tensor of static shape with a graph.name}}
func.func @main(%x: tensor<2xf32>) {
  return
}

// -----

// expected-error @+1 {{result 0 of @main must be a tensor of static shape with a graph.name}}
func.func @main(%x: tensor<2xf32> {graph.name = "x"}) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// -----

// expected-error @+1 {{argument 0 of @main must be a tensor of static shape with a graph.name}}
func.func @main(%x: tensor<?xf32> {graph.name = "x"}) {
  return
}

// -----

func.func @main(%x: tensor<2xf32> {graph.name = "x"}) {
  // expected-error @+1 {{must not be there after the Import phase: only ops of graph, arith and math may}}
  %y = tensor.cast %x : tensor<2xf32> to tensor<?xf32>
  return
}

// -----

module {
  graph.parameter @w : tensor<2xf32> {role = #graph.role<trainable>, fill = 1.0 : f64}
  func.func @main(%x: tensor<2xf32> {graph.name = "x"}) {
    // expected-error @+1 {{must not be there after the Import phase: a model writes no parameters}}
    graph.store %x, @w : tensor<2xf32>
    return
  }
}

// -----

func.func @main(%x: tensor<3x2x4xf32> {graph.name = "x"}) {
  %one = arith.constant dense<1.0> : tensor<2xf32>
  // expected-error @+1 {{must say which parameters hold its running statistics, and its momentum}}
  %y, %mean, %variance = graph.batch_norm_training %x, %one, %one {epsilon = 1.0e-5 : f64}
      : (tensor<3x2x4xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<3x2x4xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}
