// A whole step of an MLP on two and four ranks means the same as on one: with and without micro-batches, with clipping.
// RUN: tw-opt %s --tw-differentiate-pipeline="max-norm=0.1 optimizer=adamw weight-decay=0.1" --tw-partition-check-equivalence="data=2 integers-below=3" -o /dev/null
// RUN: tw-opt %s --tw-differentiate-pipeline="micro-batches=3 momentum=0.9" --tw-partition-check-equivalence="data=4 integers-below=3 steps=3" -o /dev/null
// RUN: not tw-opt %s --tw-differentiate-pipeline --tw-partition-check-equivalence="data=3 integers-below=3" -o /dev/null 2>&1 | FileCheck %s --check-prefix=ODD
// ODD: error: argument 'x' of @train has 8 rows, which cannot be split evenly over 3 data-parallel ranks

// The comparison is strict: sums in another order differ in the last bits.
// RUN: not tw-opt %s --tw-differentiate-pipeline --tw-partition-check-equivalence="data=4 integers-below=3 tolerance=0" -o /dev/null 2>&1 | FileCheck %s --check-prefix=STRICT
// STRICT: error: rank 0 disagrees with the whole program in

module {
  graph.parameter @fc1.weight : tensor<6x4xf32> {role = #graph.role<trainable>, fill = 0.5 : f64}
  graph.parameter @fc1.bias : tensor<6xf32> {role = #graph.role<trainable>, fill = 0.0 : f64}
  graph.parameter @fc2.weight : tensor<3x6xf32> {role = #graph.role<trainable>, fill = 0.5 : f64}
  func.func @forward(%x: tensor<8x4xf32> {graph.name = "x"}, %labels: tensor<8xi64> {graph.name = "labels"})
      -> (tensor<f32> {graph.name = "loss_sum"}, tensor<8x3xf32> {graph.name = "output"}, tensor<f32> {graph.name = "sum"}) {
    %w1 = graph.load @fc1.weight : tensor<6x4xf32>
    %b1 = graph.load @fc1.bias : tensor<6xf32>
    %w2 = graph.load @fc2.weight : tensor<3x6xf32>
    %product = graph.matmul %x, %w1 {transpose_rhs} : (tensor<8x4xf32>, tensor<6x4xf32>) -> tensor<8x6xf32>
    %bias = graph.broadcast %b1 {dimensions = array<i64: 1>} : (tensor<6xf32>) -> tensor<8x6xf32>
    %hidden = arith.addf %product, %bias : tensor<8x6xf32>
    %gelu = graph.gelu %hidden : (tensor<8x6xf32>) -> tensor<8x6xf32>
    %logits = graph.matmul %gelu, %w2 {transpose_rhs} : (tensor<8x6xf32>, tensor<3x6xf32>) -> tensor<8x3xf32>
    %loss, %lse = graph.cross_entropy %logits, %labels {ignore_index = 0 : i64, label_smoothing = 0.1 : f64}
        : (tensor<8x3xf32>, tensor<8xi64>) -> (tensor<f32>, tensor<8xf32>)
    return %loss, %logits, %loss : tensor<f32>, tensor<8x3xf32>, tensor<f32>
  }
  func.func @loss_weight(%x: tensor<8x4xf32> {graph.name = "x"}, %labels: tensor<8xi64> {graph.name = "labels"})
      -> (tensor<f32> {graph.name = "loss_weight"}) {
    %ignore = arith.constant dense<0> : tensor<8xi64>
    %counts = arith.cmpi ne, %labels, %ignore : tensor<8xi64>
    %ones = arith.uitofp %counts : tensor<8xi1> to tensor<8xf32>
    %sum = graph.reduce %ones {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<8xf32>) -> tensor<f32>
    return %sum : tensor<f32>
  }
  func.func @evaluate(%x: tensor<8x4xf32> {graph.name = "x"}, %labels: tensor<8xi64> {graph.name = "labels"})
      -> (tensor<f32> {graph.name = "loss_sum"}, tensor<f32> {graph.name = "loss_weight"}) {
    %w1 = graph.load @fc1.weight : tensor<6x4xf32>
    %product = graph.matmul %x, %w1 {transpose_rhs} : (tensor<8x4xf32>, tensor<6x4xf32>) -> tensor<8x6xf32>
    %loss = graph.reduce %product {kind = #graph.reduction<max>, dimensions = array<i64: 0, 1>} : (tensor<8x6xf32>) -> tensor<f32>
    %weight = arith.constant dense<8.0> : tensor<f32>
    return %loss, %weight : tensor<f32>, tensor<f32>
  }
}
