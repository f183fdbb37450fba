// RUN: tw-opt %s | tw-opt | FileCheck %s
// RUN: tw-opt %s -emit-bytecode | tw-opt | FileCheck %s

// CHECK-LABEL: func.func @cross_entropy_1
// CHECK: graph.cross_entropy %{{.*}} {ignore_index = -100 : i64, label_smoothing = 1.000000e-01 : f64} : (tensor<2x3xf32>, tensor<2xi64>) -> (tensor<f32>, tensor<2xf32>)
func.func @cross_entropy_1(%a: tensor<2x3xf32>, %b: tensor<2xi64>) {
  %r:2 = graph.cross_entropy %a, %b {ignore_index = -100 : i64, label_smoothing = 1.000000e-01 : f64} : (tensor<2x3xf32>, tensor<2xi64>) -> (tensor<f32>, tensor<2xf32>)
  return
}

// CHECK-LABEL: func.func @cross_entropy_backward_2
// CHECK: graph.cross_entropy_backward %{{.*}} {ignore_index = -100 : i64, label_smoothing = 1.000000e-01 : f64} : (tensor<f32>, tensor<2x3xf32>, tensor<2xi32>, tensor<2xf32>) -> tensor<2x3xf32>
func.func @cross_entropy_backward_2(%a: tensor<f32>, %b: tensor<2x3xf32>, %c: tensor<2xi32>, %d: tensor<2xf32>) {
  %r = graph.cross_entropy_backward %a, %b, %c, %d {ignore_index = -100 : i64, label_smoothing = 1.000000e-01 : f64} : (tensor<f32>, tensor<2x3xf32>, tensor<2xi32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// CHECK-LABEL: func.func @dropout_3
// CHECK: graph.dropout %{{.*}} {id = 4 : i64, ratio = 1.000000e-01 : f64} : (tensor<2x3xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<2x3xf32>
func.func @dropout_3(%a: tensor<2x3xf32>, %b: tensor<i64>, %c: tensor<i64>, %d: tensor<i64>) {
  %r = graph.dropout %a, %b, %c, %d {id = 4 : i64, ratio = 1.000000e-01 : f64} : (tensor<2x3xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<2x3xf32>
  return
}
