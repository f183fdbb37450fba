// RUN: tw-opt %s --tw-differentiate-build-backward | FileCheck %s
// RUN: tw-opt %s --tw-differentiate-build-backward=micro-batches=4 | FileCheck %s --check-prefix=MICRO

// An MLP's forward becomes forward, weight and reverse sweep. The embedding @table is tied: both of its loads add.
// CHECK-NOT: func.func @forward
// CHECK-NOT: func.func @loss_weight
// CHECK-LABEL: func.func @train(
// CHECK-SAME: %[[X:.*]]: tensor<8x4xf32> {graph.name = "x"}, %[[LABELS:.*]]: tensor<8xi64>
// CHECK-SAME: -> (tensor<f32> {graph.name = "loss"}, tensor<8x3xf32> {graph.name = "output"},
// CHECK-SAME: tensor<6x4xf32> {graph.name = "gradient/fc1.weight"}, tensor<6xf32> {graph.name = "gradient/fc1.bias"}
// CHECK-SAME: tensor<3x6xf32> {graph.name = "gradient/fc2.weight"})
// The seed is one over the weight, which labels alone decide.
// CHECK: %[[WEIGHT:.*]] = arith.maximumf
// CHECK: %[[SEED:.*]] = arith.divf {{.*}}, %[[WEIGHT]]
// CHECK: %[[LOSS:.*]], %[[LSE:.*]] = graph.cross_entropy
// CHECK: %[[DLOGITS:.*]] = graph.cross_entropy_backward %[[SEED]]
// CHECK: %[[DHIDDEN:.*]] = graph.matmul %[[DLOGITS]], %{{.*}} : (tensor<8x3xf32>, tensor<3x6xf32>)
// CHECK: %[[DW2:.*]] = graph.matmul %[[DLOGITS]], %{{.*}} {transpose_lhs} : (tensor<8x3xf32>, tensor<8x6xf32>)
// CHECK: %[[DW1:.*]] = graph.matmul %{{.*}}, %[[X]] {transpose_lhs} : (tensor<8x6xf32>, tensor<8x4xf32>)
// CHECK: %[[MEAN:.*]] = arith.divf %[[LOSS]], %[[WEIGHT]]
// CHECK: return %[[MEAN]], %{{.*}}, %[[DW1]], %{{.*}}, %[[DW2]]

// MICRO-LABEL: func.func @train(
// MICRO-SAME: tensor<4x8x4xf32> {graph.name = "x"}, %{{.*}}: tensor<4x8xi64>
// Weights of all micro-batches come first.
// MICRO: %[[TOTAL:.*]] = graph.accumulate micro_batches 4 slices(
// MICRO: arith.maximumf %[[TOTAL]]
// MICRO: graph.accumulate micro_batches 4
// MICRO: graph.cross_entropy_backward
// MICRO: graph.yield sums({{.*}}) carries() stacks(
module attributes {graph.model_name = "mlp"} {
  graph.parameter @fc1.weight : tensor<6x4xf32> {role = #graph.role<trainable>, fill = 0.5 : f64}
  graph.parameter @fc1.bias : tensor<6xf32> {role = #graph.role<trainable>, fill = 0.0 : f64}
  graph.parameter @fc2.weight : tensor<3x6xf32> {role = #graph.role<trainable>, fill = 0.5 : f64}
  func.func @forward(%x: tensor<8x4xf32> {graph.name = "x"}, %labels: tensor<8xi64> {graph.name = "labels"})
      -> (tensor<f32> {graph.name = "loss_sum"}, tensor<8x3xf32> {graph.name = "output"}) {
    %w1 = graph.load @fc1.weight : tensor<6x4xf32>
    %b1 = graph.load @fc1.bias : tensor<6xf32>
    %w2 = graph.load @fc2.weight : tensor<3x6xf32>
    %product = graph.matmul %x, %w1 {transpose_rhs} : (tensor<8x4xf32>, tensor<6x4xf32>) -> tensor<8x6xf32>
    %bias = graph.broadcast %b1 {dimensions = array<i64: 1>} : (tensor<6xf32>) -> tensor<8x6xf32>
    %hidden = arith.addf %product, %bias : tensor<8x6xf32>
    %zero = arith.constant dense<0.0> : tensor<8x6xf32>
    %relu = arith.maximumf %hidden, %zero : tensor<8x6xf32>
    %logits = graph.matmul %relu, %w2 {transpose_rhs} : (tensor<8x6xf32>, tensor<3x6xf32>) -> tensor<8x3xf32>
    %loss, %lse = graph.cross_entropy %logits, %labels {ignore_index = -100 : i64, label_smoothing = 0.0 : f64}
        : (tensor<8x3xf32>, tensor<8xi64>) -> (tensor<f32>, tensor<8xf32>)
    return %loss, %logits : tensor<f32>, tensor<8x3xf32>
  }
  func.func @loss_weight(%x: tensor<8x4xf32> {graph.name = "x"}, %labels: tensor<8xi64> {graph.name = "labels"})
      -> (tensor<f32> {graph.name = "loss_weight"}) {
    %ignore = arith.constant dense<-100> : tensor<8xi64>
    %counts = arith.cmpi ne, %labels, %ignore : tensor<8xi64>
    %ones = arith.uitofp %counts : tensor<8xi1> to tensor<8xf32>
    %sum = graph.reduce %ones {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<8xf32>) -> tensor<f32>
    return %sum : tensor<f32>
  }
}
