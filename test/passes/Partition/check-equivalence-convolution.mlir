// A convolutional network with batch normalisation: statistics, running ones too, are those of the whole batch.
// RUN: tw-opt %s --tw-differentiate-pipeline="momentum=0.9" --tw-partition-check-equivalence="data=2 integers-below=3" -o /dev/null
// RUN: tw-opt %s --tw-differentiate-pipeline="micro-batches=2 optimizer=adam" --tw-partition-check-equivalence="data=2 integers-below=3" -o /dev/null
// RUN: tw-opt %s --tw-differentiate-pipeline="micro-batches=2" --tw-partition-pipeline="data=2" | FileCheck %s

// The batch's sums are completed in each micro-batch, gradients once after the last.
// CHECK-LABEL: func.func @train
// CHECK: graph.accumulate micro_batches 2
// CHECK: graph.reduce
// CHECK: shard.all_reduce
// CHECK: graph.centered_square_sum
// CHECK: shard.all_reduce
// CHECK: graph.batch_norm_backward_reduce
// CHECK: graph.convolution_backward_filter
// CHECK-NOT: shard.all_reduce
// CHECK: graph.yield
// CHECK: shard.all_reduce {{.*}} {group = [[GROUP:[0-9]+]] : i64} : tensor<3x8xf32>
// CHECK: shard.all_reduce {{.*}} {group = [[GROUP]] : i64}
module {
  graph.parameter @conv.weight : tensor<2x1x3x3xf32> {role = #graph.role<trainable>, fill = 0.5 : f64}
  graph.parameter @bn.weight : tensor<2xf32> {role = #graph.role<trainable>, fill = 1.0 : f64}
  graph.parameter @bn.bias : tensor<2xf32> {role = #graph.role<trainable>, fill = 0.0 : f64}
  graph.parameter @bn.running_mean : tensor<2xf32> {role = #graph.role<buffer>, fill = 0.0 : f64}
  graph.parameter @bn.running_var : tensor<2xf32> {role = #graph.role<buffer>, fill = 1.0 : f64}
  graph.parameter @fc.weight : tensor<3x8xf32> {role = #graph.role<trainable>, fill = 0.5 : f64}
  func.func @forward(%x: tensor<4x1x4x4xf32> {graph.name = "x"}, %labels: tensor<4xi64> {graph.name = "labels"})
      -> (tensor<f32> {graph.name = "loss_sum"}, tensor<4x3xf32> {graph.name = "output"}) {
    %w = graph.load @conv.weight : tensor<2x1x3x3xf32>
    %scale = graph.load @bn.weight : tensor<2xf32>
    %bias = graph.load @bn.bias : tensor<2xf32>
    %fc = graph.load @fc.weight : tensor<3x8xf32>
    %c = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64}
        : (tensor<4x1x4x4xf32>, tensor<2x1x3x3xf32>) -> tensor<4x2x4x4xf32>
    %n, %mean, %variance = graph.batch_norm_training %c, %scale, %bias {epsilon = 1.0e-5 : f64, running_mean = @bn.running_mean, running_variance = @bn.running_var, momentum = 0.9 : f64}
        : (tensor<4x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<4x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>)
    %zero = arith.constant dense<0.0> : tensor<4x2x4x4xf32>
    %r = arith.maximumf %n, %zero : tensor<4x2x4x4xf32>
    %p = graph.max_pool %r {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>}
        : (tensor<4x2x4x4xf32>) -> tensor<4x2x2x2xf32>
    %flat = graph.reshape %p : (tensor<4x2x2x2xf32>) -> tensor<4x8xf32>
    %logits = graph.matmul %flat, %fc {transpose_rhs} : (tensor<4x8xf32>, tensor<3x8xf32>) -> tensor<4x3xf32>
    %loss, %lse = graph.cross_entropy %logits, %labels {ignore_index = -100 : i64, label_smoothing = 0.0 : f64}
        : (tensor<4x3xf32>, tensor<4xi64>) -> (tensor<f32>, tensor<4xf32>)
    return %loss, %logits : tensor<f32>, tensor<4x3xf32>
  }
  func.func @loss_weight(%x: tensor<4x1x4x4xf32> {graph.name = "x"}, %labels: tensor<4xi64> {graph.name = "labels"})
      -> (tensor<f32> {graph.name = "loss_weight"}) {
    %rows = arith.constant dense<4.0> : tensor<f32>
    return %rows : tensor<f32>
  }
}
