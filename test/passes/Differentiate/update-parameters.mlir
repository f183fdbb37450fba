// RUN: tw-opt %s --tw-differentiate-clip-gradients --tw-differentiate-update-parameters="optimizer=adamw weight-decay=0.1 weight-decay-groups=*.bias=0" | FileCheck %s
// RUN: tw-opt %s --tw-differentiate-clip-gradients=max-norm=1 --tw-differentiate-update-parameters | FileCheck %s --check-prefix=CLIP
// RUN: tw-opt %s --tw-differentiate-clip-gradients=max-norm=1 --tw-differentiate-update-parameters --tw-differentiate-split-dump | FileCheck %s --check-prefix=SPLIT

// CHECK: graph.parameter @step : tensor<i64> {{.*}}#graph.role<counter>
// CHECK: graph.parameter @"optimizer/exp_avg/fc.weight" : tensor<2x3xf32> {{.*}}#graph.role<optimizer>
// CHECK: graph.parameter @"optimizer/exp_avg_sq/fc.weight"
// CHECK: graph.parameter @"optimizer/exp_avg/fc.bias"
// CHECK: func.func @train({{.*}}) -> (tensor<f32> {graph.name = "loss"}, tensor<f32> {graph.name = "learning_rate"}, tensor<f32> {graph.name = "gradient_norm"}
// Learning rate and bias corrections are double; the weight decays, the bias does not.
// CHECK: math.powf {{.*}} : tensor<f64>
// CHECK: %[[W:.*]] = graph.load @fc.weight
// CHECK: arith.mulf %[[W]]
// CHECK: graph.store %{{.*}}, @fc.weight
// CHECK: %[[B:.*]] = graph.load @fc.bias
// CHECK-NOT: arith.mulf %[[B]]
// CHECK: arith.subf %[[B]]
// CHECK: graph.store %{{.*}}, @fc.bias
// CHECK: graph.store %{{.*}}, @step

// All gradients count for the norm, and all are scaled by the same factor.
// CLIP: %[[NORM:.*]] = math.sqrt
// CLIP: %[[FACTOR:.*]] = arith.minimumf
// CLIP: graph.broadcast %[[FACTOR]] {{.*}} -> tensor<2x3xf32>
// CLIP: graph.broadcast %[[FACTOR]] {{.*}} -> tensor<2xf32>
// CLIP: return {{.*}} : tensor<f32>, tensor<f32>, tensor<f32>

// @dump shows gradients before clipping.
// SPLIT: func.func @train({{.*}}) -> (tensor<f32> {graph.name = "loss"}, tensor<f32> {graph.name = "learning_rate"}, tensor<f32> {graph.name = "gradient_norm"}) {
// SPLIT: func.func @dump(%[[GW:.*]]: tensor<2x3xf32>, %[[GB:.*]]: tensor<2xf32>) -> ({{.*}}tensor<2xf32> {graph.name = "output"}, tensor<2x3xf32> {graph.name = "gradient/fc.weight"}, tensor<2xf32> {graph.name = "gradient/fc.bias"})
// SPLIT: return %{{.*}}, %{{.*}}, %{{.*}}, %[[GB]], %[[GW]], %[[GB]]
module {
  graph.parameter @fc.weight : tensor<2x3xf32> {role = #graph.role<trainable>, fill = 1.0 : f64}
  graph.parameter @fc.bias : tensor<2xf32> {role = #graph.role<trainable>, fill = 1.0 : f64}
  func.func @train(%w: tensor<2x3xf32>, %b: tensor<2xf32>)
      -> (tensor<f32> {graph.name = "loss"}, tensor<2xf32> {graph.name = "output"},
          tensor<2x3xf32> {graph.name = "gradient/fc.weight"}, tensor<2xf32> {graph.name = "gradient/fc.bias"}) {
    %loss = arith.constant dense<1.0> : tensor<f32>
    return %loss, %b, %w, %b : tensor<f32>, tensor<2xf32>, tensor<2x3xf32>, tensor<2xf32>
  }
}
