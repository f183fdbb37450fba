// RUN: tw-opt %s --tw-adapt-attach-loss="loss=cross_entropy label-smoothing=0.1" | FileCheck %s
// RUN: tw-opt %s --tw-adapt-attach-loss="loss=mse labels=target" | FileCheck %s --check-prefix=MSE
// RUN: tw-opt %s --tw-adapt-attach-loss="loss=binary_cross_entropy labels=x" | FileCheck %s --check-prefix=BCE

graph.parameter @mean : tensor<5xf32> {role = #graph.role<buffer>}
graph.parameter @variance : tensor<5xf32> {role = #graph.role<buffer>}
graph.parameter @seed : tensor<i64> {fill = 0.0 : f64, role = #graph.role<counter>}
graph.parameter @step : tensor<i64> {fill = 0.0 : f64, role = #graph.role<counter>}
graph.parameter @scale : tensor<5xf32> {role = #graph.role<trainable>}

// CHECK-LABEL: func.func @forward
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x5xf32> {graph.name = "x"}, %[[LABELS:[a-z0-9]+]]: tensor<4xi64> {graph.name = "labels"}
// CHECK-SAME: -> (tensor<f32> {graph.name = "loss_sum"}, tensor<4x5xf32> {graph.name = "y"})
// CHECK: graph.batch_norm_training
// CHECK: %[[Y:.*]] = graph.dropout
// CHECK: %[[LOSS:.*]], %{{.*}} = graph.cross_entropy %[[Y]], %[[LABELS]] {ignore_index = -100 : i64, label_smoothing = 1.000000e-01 : f64}
// CHECK: return %[[LOSS]], %[[Y]]

// CHECK-LABEL: func.func @evaluate
// CHECK-SAME: -> (tensor<f32> {graph.name = "loss_sum"}, tensor<f32> {graph.name = "loss_weight"}, tensor<4x5xf32> {graph.name = "y"})
// CHECK-DAG: %[[MEAN:.*]] = graph.load @mean
// CHECK-DAG: %[[VARIANCE:.*]] = graph.load @variance
// CHECK: graph.batch_norm %{{.*}}, %{{.*}}, %{{.*}}, %[[MEAN]], %[[VARIANCE]]
// CHECK-NOT: graph.dropout

// CHECK-LABEL: func.func @loss_weight
// CHECK-SAME: -> (tensor<f32> {graph.name = "loss_weight"})
// CHECK-NOT: graph.batch_norm
// CHECK: %[[COUNTS:.*]] = arith.cmpi ne, %{{.*}}
// CHECK: arith.uitofp %[[COUNTS]]
// CHECK: graph.reduce

// MSE-LABEL: func.func @forward
// MSE-SAME: %[[TARGET:[a-z0-9]+]]: tensor<4x5xf32> {graph.name = "target"}
// MSE: %[[DIFFERENCE:.*]] = arith.subf %{{.*}}, %[[TARGET]]
// MSE: %[[SQUARE:.*]] = arith.mulf %[[DIFFERENCE]], %[[DIFFERENCE]]
// MSE: graph.reduce %[[SQUARE]]
// MSE-LABEL: func.func @loss_weight
// MSE: arith.constant dense<2.000000e+01> : tensor<f32>

// An input serves as labels.
// BCE-LABEL: func.func @forward(%arg0: tensor<4x5xf32> {graph.name = "x"}) ->
func.func @main(%x: tensor<4x5xf32> {graph.name = "x"}) -> (tensor<4x5xf32> {graph.name = "y"}) {
  %scale = graph.load @scale : tensor<5xf32>
  %n, %mean, %variance = graph.batch_norm_training %x, %scale, %scale {epsilon = 1.0e-05 : f64, momentum = 0.9 : f64, running_mean = @mean, running_variance = @variance} : (tensor<4x5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<4x5xf32>, tensor<5xf32>, tensor<5xf32>)
  %seed = graph.load @seed : tensor<i64>
  %step = graph.load @step : tensor<i64>
  %row = arith.constant dense<0> : tensor<i64>
  %y = graph.dropout %n, %seed, %step, %row {id = 0 : i64, ratio = 0.5 : f64} : (tensor<4x5xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<4x5xf32>
  return %y : tensor<4x5xf32>
}
