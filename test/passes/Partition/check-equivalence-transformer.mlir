// A GPT block: tied embedding, dropout (which must fall alike under any layout), attention, layer normalisation.
// RUN: tw-opt %s --tw-differentiate-pipeline="optimizer=adamw max-norm=1" --tw-partition-check-equivalence="data=2 integers-below=5" -o /dev/null
// RUN: tw-opt %s --tw-differentiate-pipeline="micro-batches=2 optimizer=adagrad" --tw-partition-check-equivalence="data=4 integers-below=5" -o /dev/null
// RUN: tw-opt %s --tw-differentiate-pipeline="micro-batches=2" --tw-partition-pipeline="data=2" | FileCheck %s

// Rows of dropout: micro-batch * (rows of all ranks) + rank * (rows of one).
// CHECK-LABEL: func.func @train
// CHECK: ^bb0(%[[I:.*]]: tensor<i64>, %{{.*}}: tensor<2x3xi64>, %{{.*}}: tensor<2x3xi64>):
// CHECK: %[[ROWS:.*]] = arith.constant dense<4> : tensor<i64>
// CHECK: %[[FIRST:.*]] = arith.muli %[[I]], %[[ROWS]]
// CHECK: %[[RANK:.*]] = shard.process_multi_index on @mesh axes = [0] : index
// CHECK: %[[INTEGER:.*]] = arith.index_cast %[[RANK]] : index to i64
// CHECK: tensor.from_elements %[[INTEGER]] : tensor<i64>
// CHECK: graph.dropout {{.*}} : (tensor<2x3x4xf32>
module {
  graph.parameter @step : tensor<i64> {role = #graph.role<counter>, fill = 0.0 : f64}
  graph.parameter @seed : tensor<i64> {role = #graph.role<counter>, fill = 7.0 : f64}
  graph.parameter @tokens : tensor<5x4xf32> {role = #graph.role<trainable>, fill = 0.5 : f64}
  graph.parameter @positions : tensor<3x4xf32> {role = #graph.role<trainable>, fill = 0.5 : f64}
  graph.parameter @qkv : tensor<4x12xf32> {role = #graph.role<trainable>, fill = 0.5 : f64}
  graph.parameter @ln.weight : tensor<4xf32> {role = #graph.role<trainable>, fill = 1.0 : f64}
  graph.parameter @ln.bias : tensor<4xf32> {role = #graph.role<trainable>, fill = 0.0 : f64}
  func.func @forward(%ids: tensor<4x3xi64> {graph.name = "ids"}, %labels: tensor<4x3xi64> {graph.name = "labels"})
      -> (tensor<f32> {graph.name = "loss_sum"}) {
    %table = graph.load @tokens : tensor<5x4xf32>
    %place = graph.load @positions : tensor<3x4xf32>
    %w = graph.load @qkv : tensor<4x12xf32>
    %scale = graph.load @ln.weight : tensor<4xf32>
    %bias = graph.load @ln.bias : tensor<4xf32>
    %seed = graph.load @seed : tensor<i64>
    %step = graph.load @step : tensor<i64>
    %row = arith.constant dense<0> : tensor<i64>
    %e = graph.gather %table, %ids {axis = 0 : i64} : (tensor<5x4xf32>, tensor<4x3xi64>) -> tensor<4x3x4xf32>
    %places = graph.broadcast %place {dimensions = array<i64: 1, 2>} : (tensor<3x4xf32>) -> tensor<4x3x4xf32>
    %sum = arith.addf %e, %places : tensor<4x3x4xf32>
    %x = graph.dropout %sum, %seed, %step, %row {ratio = 0.25 : f64, id = 1 : i64}
        : (tensor<4x3x4xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<4x3x4xf32>
    %n, %mean, %deviation = graph.layer_norm %x, %scale, %bias {axis = 2 : i64, epsilon = 1.0e-5 : f64}
        : (tensor<4x3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4x3x4xf32>, tensor<4x3xf32>, tensor<4x3xf32>)
    %rows = graph.reshape %n : (tensor<4x3x4xf32>) -> tensor<12x4xf32>
    %product = graph.matmul %rows, %w : (tensor<12x4xf32>, tensor<4x12xf32>) -> tensor<12x12xf32>
    %split = graph.reshape %product : (tensor<12x12xf32>) -> tensor<4x3x3x2x2xf32>
    %heads = graph.transpose %split {permutation = array<i64: 2, 0, 3, 1, 4>} : (tensor<4x3x3x2x2xf32>) -> tensor<3x4x2x3x2xf32>
    %q5 = graph.slice %heads {starts = array<i64: 0, 0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1, 1>} : (tensor<3x4x2x3x2xf32>) -> tensor<1x4x2x3x2xf32>
    %k5 = graph.slice %heads {starts = array<i64: 1, 0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1, 1>} : (tensor<3x4x2x3x2xf32>) -> tensor<1x4x2x3x2xf32>
    %v5 = graph.slice %heads {starts = array<i64: 2, 0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1, 1>} : (tensor<3x4x2x3x2xf32>) -> tensor<1x4x2x3x2xf32>
    %q = graph.reshape %q5 : (tensor<1x4x2x3x2xf32>) -> tensor<4x2x3x2xf32>
    %k = graph.reshape %k5 : (tensor<1x4x2x3x2xf32>) -> tensor<4x2x3x2xf32>
    %v = graph.reshape %v5 : (tensor<1x4x2x3x2xf32>) -> tensor<4x2x3x2xf32>
    %a, %lse = graph.attention %q, %k, %v {scale = 0.7 : f64, causal}
        : (tensor<4x2x3x2xf32>, tensor<4x2x3x2xf32>, tensor<4x2x3x2xf32>) -> (tensor<4x2x3x2xf32>, tensor<4x2x3xf32>)
    %back = graph.transpose %a {permutation = array<i64: 0, 2, 1, 3>} : (tensor<4x2x3x2xf32>) -> tensor<4x3x2x2xf32>
    %merged = graph.reshape %back : (tensor<4x3x2x2xf32>) -> tensor<12x4xf32>
    %logits = graph.matmul %merged, %table {transpose_rhs} : (tensor<12x4xf32>, tensor<5x4xf32>) -> tensor<12x5xf32>
    %targets = graph.reshape %labels : (tensor<4x3xi64>) -> tensor<12xi64>
    %loss, %lse2 = graph.cross_entropy %logits, %targets {ignore_index = 0 : i64, label_smoothing = 0.0 : f64}
        : (tensor<12x5xf32>, tensor<12xi64>) -> (tensor<f32>, tensor<12xf32>)
    return %loss : tensor<f32>
  }
  func.func @loss_weight(%ids: tensor<4x3xi64> {graph.name = "ids"}, %labels: tensor<4x3xi64> {graph.name = "labels"})
      -> (tensor<f32> {graph.name = "loss_weight"}) {
    %ignore = arith.constant dense<0> : tensor<4x3xi64>
    %counts = arith.cmpi ne, %labels, %ignore : tensor<4x3xi64>
    %ones = arith.uitofp %counts : tensor<4x3xi1> to tensor<4x3xf32>
    %sum = graph.reduce %ones {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1>} : (tensor<4x3xf32>) -> tensor<f32>
    return %sum : tensor<f32>
  }
}
