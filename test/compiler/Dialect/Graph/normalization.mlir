// RUN: tw-opt %s | tw-opt | FileCheck %s
// RUN: tw-opt %s -emit-bytecode | tw-opt | FileCheck %s

// CHECK-LABEL: func.func @batch_norm_training_1
// CHECK: graph.batch_norm_training %{{.*}} {epsilon = 1.000000e-05 : f64} : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
func.func @batch_norm_training_1(%a: tensor<2x3x4xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>) {
  %r:3 = graph.batch_norm_training %a, %b, %c {epsilon = 1.000000e-05 : f64} : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// CHECK-LABEL: func.func @batch_norm_backward_2
// CHECK: graph.batch_norm_backward %{{.*}} {epsilon = 1.000000e-05 : f64} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
func.func @batch_norm_backward_2(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<3xf32>) {
  %r:3 = graph.batch_norm_backward %a, %b, %c, %d, %e {epsilon = 1.000000e-05 : f64} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// CHECK-LABEL: func.func @centered_square_sum_3
// CHECK: graph.centered_square_sum %{{.*}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<3xf32>
func.func @centered_square_sum_3(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  %r = graph.centered_square_sum %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// CHECK-LABEL: func.func @batch_norm_4
// CHECK: graph.batch_norm %{{.*}} {epsilon = 1.000000e-05 : f64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
func.func @batch_norm_4(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<3xf32>) {
  %r = graph.batch_norm %a, %b, %c, %d, %e {epsilon = 1.000000e-05 : f64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// CHECK-LABEL: func.func @batch_norm_backward_reduce_5
// CHECK: graph.batch_norm_backward_reduce %{{.*}} {epsilon = 1.000000e-05 : f64} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
func.func @batch_norm_backward_reduce_5(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>) {
  %r:2 = graph.batch_norm_backward_reduce %a, %b, %c, %d {epsilon = 1.000000e-05 : f64} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  return
}

// CHECK-LABEL: func.func @batch_norm_backward_apply_6
// CHECK: graph.batch_norm_backward_apply %{{.*}} {count = 2 : i64, epsilon = 1.000000e-05 : f64} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
func.func @batch_norm_backward_apply_6(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<3xf32>, %f: tensor<3xf32>, %g: tensor<3xf32>) {
  %r = graph.batch_norm_backward_apply %a, %b, %c, %d, %e, %f, %g {count = 2 : i64, epsilon = 1.000000e-05 : f64} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// CHECK-LABEL: func.func @layer_norm_7
// CHECK: graph.layer_norm %{{.*}} {axis = 2 : i64, epsilon = 1.000000e-05 : f64} : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3xf32>, tensor<2x3xf32>)
func.func @layer_norm_7(%a: tensor<2x3x4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>) {
  %r:3 = graph.layer_norm %a, %b, %c {axis = 2 : i64, epsilon = 1.000000e-05 : f64} : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3xf32>, tensor<2x3xf32>)
  return
}

// CHECK-LABEL: func.func @layer_norm_8
// CHECK: graph.layer_norm %{{.*}} {axis = 1 : i64, epsilon = 1.000000e-05 : f64} : (tensor<2x3x4xf32>, tensor<3x4xf32>) -> (tensor<2x3x4xf32>, tensor<2xf32>, tensor<2xf32>)
func.func @layer_norm_8(%a: tensor<2x3x4xf32>, %b: tensor<3x4xf32>) {
  %r:3 = graph.layer_norm %a, %b {axis = 1 : i64, epsilon = 1.000000e-05 : f64} : (tensor<2x3x4xf32>, tensor<3x4xf32>) -> (tensor<2x3x4xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}

// CHECK-LABEL: func.func @layer_norm_backward_9
// CHECK: graph.layer_norm_backward %{{.*}} {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
func.func @layer_norm_backward_9(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>, %c: tensor<3xf32>, %d: tensor<2xf32>, %e: tensor<2xf32>) {
  %r:3 = graph.layer_norm_backward %a, %b, %c, %d, %e {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// CHECK-LABEL: func.func @rms_norm_10
// CHECK: graph.rms_norm %{{.*}} {axis = 1 : i64, epsilon = 1.000000e-05 : f64} : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<2xf32>)
func.func @rms_norm_10(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  %r:2 = graph.rms_norm %a, %b {axis = 1 : i64, epsilon = 1.000000e-05 : f64} : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<2xf32>)
  return
}

// CHECK-LABEL: func.func @rms_norm_backward_11
// CHECK: graph.rms_norm_backward %{{.*}} {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)
func.func @rms_norm_backward_11(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>, %c: tensor<3xf32>, %d: tensor<2xf32>) {
  %r:2 = graph.rms_norm_backward %a, %b, %c, %d {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)
  return
}

// CHECK-LABEL: func.func @softmax_12
// CHECK: graph.softmax %{{.*}} {axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @softmax_12(%a: tensor<2x3xf32>) {
  %r = graph.softmax %a {axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// CHECK-LABEL: func.func @softmax_backward_13
// CHECK: graph.softmax_backward %{{.*}} {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @softmax_backward_13(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  %r = graph.softmax_backward %a, %b {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// CHECK-LABEL: func.func @log_softmax_14
// CHECK: graph.log_softmax %{{.*}} {axis = 0 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @log_softmax_14(%a: tensor<2x3xf32>) {
  %r = graph.log_softmax %a {axis = 0 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// CHECK-LABEL: func.func @log_softmax_backward_15
// CHECK: graph.log_softmax_backward %{{.*}} {axis = 0 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @log_softmax_backward_15(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  %r = graph.log_softmax_backward %a, %b {axis = 0 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// CHECK-LABEL: func.func @gelu_16
// CHECK: graph.gelu %{{.*}} {tanh} : (tensor<2xf32>) -> tensor<2xf32>
func.func @gelu_16(%a: tensor<2xf32>) {
  %r = graph.gelu %a {tanh} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// CHECK-LABEL: func.func @gelu_backward_17
// CHECK: graph.gelu_backward %{{.*}} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
func.func @gelu_backward_17(%a: tensor<2xf32>, %b: tensor<2xf32>) {
  %r = graph.gelu_backward %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// CHECK-LABEL: func.func @sigmoid_18
// CHECK: graph.sigmoid %{{.*}} : (tensor<2xf32>) -> tensor<2xf32>
func.func @sigmoid_18(%a: tensor<2xf32>) {
  %r = graph.sigmoid %a : (tensor<2xf32>) -> tensor<2xf32>
  return
}
