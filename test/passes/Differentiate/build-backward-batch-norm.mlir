// Running statistics follow ONNX's definition, and are carried from one micro-batch to the next.
// RUN: tw-opt %s --tw-differentiate-build-backward | FileCheck %s
// RUN: tw-opt %s --tw-differentiate-build-backward=micro-batches=2 | FileCheck %s --check-prefix=MICRO
// RUN: tw-opt %s --tw-differentiate-build-backward --tw-differentiate-decompose-batch-norm | FileCheck %s --check-prefix=SUMS

// CHECK-LABEL: func.func @train
// CHECK: %[[RUNNING:.*]] = graph.load @mean
// CHECK: %{{.*}}, %[[MEAN:.*]], %[[VARIANCE:.*]] = graph.batch_norm_training
// CHECK-NOT: running_mean
// CHECK-SAME: epsilon
// CHECK: %[[KEPT:.*]] = arith.constant dense<7.500000e-01>
// CHECK: %[[OLD:.*]] = arith.mulf %[[RUNNING]], %[[KEPT]]
// CHECK: %[[SHARE:.*]] = arith.constant dense<2.500000e-01>
// CHECK: %[[FRESH:.*]] = arith.mulf %[[MEAN]], %[[SHARE]]
// CHECK: %[[NEXT:.*]] = arith.addf %[[OLD]], %[[FRESH]]
// CHECK: graph.batch_norm_backward
// CHECK: graph.store %[[NEXT]], @mean

// MICRO: graph.accumulate micro_batches 2 slices(%{{.*}}) carries(%{{.*}}, %{{.*}})
// MICRO: ^bb0(%{{.*}}: tensor<i64>, %{{.*}}: tensor<3x2x4xf32>, %[[CARRIED:.*]]: tensor<2xf32>, %{{.*}}: tensor<2xf32>):
// MICRO: arith.mulf %[[CARRIED]]
// MICRO: graph.yield sums({{.*}}) carries(%{{.*}}, %{{.*}})
// MICRO: graph.store %{{.*}}, @mean
// MICRO: graph.store %{{.*}}, @variance

// N is 3 x 4 elements a channel.
// SUMS: %[[SUM:.*]] = graph.reduce %[[X:.*]] {dimensions = array<i64: 0, 2>, kind = #graph.reduction<sum>}
// SUMS: %[[N:.*]] = arith.constant dense<0.0833333358>
// SUMS: %[[M:.*]] = arith.mulf %[[SUM]], %[[N]]
// SUMS: graph.centered_square_sum %[[X]], %[[M]]
// SUMS: graph.batch_norm %[[X]]
// SUMS: graph.batch_norm_backward_reduce
// SUMS-NOT: graph.batch_norm_training
module {
  graph.parameter @scale : tensor<2xf32> {role = #graph.role<trainable>, fill = 1.0 : f64}
  graph.parameter @bias : tensor<2xf32> {role = #graph.role<trainable>, fill = 0.0 : f64}
  graph.parameter @mean : tensor<2xf32> {role = #graph.role<buffer>, fill = 0.0 : f64}
  graph.parameter @variance : tensor<2xf32> {role = #graph.role<buffer>, fill = 1.0 : f64}
  func.func @forward(%x: tensor<3x2x4xf32> {graph.name = "x"}) -> (tensor<f32> {graph.name = "loss_sum"}) {
    %scale = graph.load @scale : tensor<2xf32>
    %bias = graph.load @bias : tensor<2xf32>
    %y, %m, %v = graph.batch_norm_training %x, %scale, %bias
        {epsilon = 1.0e-5 : f64, running_mean = @mean, running_variance = @variance, momentum = 0.75 : f64}
        : (tensor<3x2x4xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<3x2x4xf32>, tensor<2xf32>, tensor<2xf32>)
    %sum = graph.reduce %y {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1, 2>} : (tensor<3x2x4xf32>) -> tensor<f32>
    return %sum : tensor<f32>
  }
  func.func @loss_weight(%x: tensor<3x2x4xf32> {graph.name = "x"}) -> tensor<f32> {
    %rows = arith.constant dense<3.0> : tensor<f32>
    return %rows : tensor<f32>
  }
}
