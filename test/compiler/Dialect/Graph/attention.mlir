// RUN: tw-opt %s | tw-opt | FileCheck %s
// RUN: tw-opt %s -emit-bytecode | tw-opt | FileCheck %s

// CHECK-LABEL: func.func @attention_1
// CHECK: graph.attention %{{.*}} {scale = 1.000000e+00 : f64} : (tensor<1x4x3x2xf32>, tensor<1x2x5x2xf32>, tensor<1x2x5x3xf32>) -> (tensor<1x4x3x3xf32>, tensor<1x4x3xf32>)
func.func @attention_1(%a: tensor<1x4x3x2xf32>, %b: tensor<1x2x5x2xf32>, %c: tensor<1x2x5x3xf32>) {
  %r:2 = graph.attention %a, %b, %c {scale = 1.000000e+00 : f64} : (tensor<1x4x3x2xf32>, tensor<1x2x5x2xf32>, tensor<1x2x5x3xf32>) -> (tensor<1x4x3x3xf32>, tensor<1x4x3xf32>)
  return
}

// CHECK-LABEL: func.func @attention_2
// CHECK: graph.attention %{{.*}} {causal, scale = 5.000000e-01 : f64} : (tensor<1x4x3x2xf32>, tensor<1x2x5x2xf32>, tensor<1x2x5x3xf32>, tensor<1x1x1x5xf32>) -> (tensor<1x4x3x3xf32>, tensor<1x4x3xf32>)
func.func @attention_2(%a: tensor<1x4x3x2xf32>, %b: tensor<1x2x5x2xf32>, %c: tensor<1x2x5x3xf32>, %d: tensor<1x1x1x5xf32>) {
  %r:2 = graph.attention %a, %b, %c, %d {causal, scale = 5.000000e-01 : f64} : (tensor<1x4x3x2xf32>, tensor<1x2x5x2xf32>, tensor<1x2x5x3xf32>, tensor<1x1x1x5xf32>) -> (tensor<1x4x3x3xf32>, tensor<1x4x3xf32>)
  return
}

// CHECK-LABEL: func.func @attention_backward_3
// CHECK: graph.attention_backward %{{.*}} {scale = 1.000000e+00 : f64} : (tensor<1x4x3x3xf32>, tensor<1x4x3x2xf32>, tensor<1x2x5x2xf32>, tensor<1x2x5x3xf32>, tensor<1x4x3x3xf32>, tensor<1x4x3xf32>, tensor<1x4x3x5xf32>) -> (tensor<1x4x3x2xf32>, tensor<1x2x5x2xf32>, tensor<1x2x5x3xf32>)
func.func @attention_backward_3(%a: tensor<1x4x3x3xf32>, %b: tensor<1x4x3x2xf32>, %c: tensor<1x2x5x2xf32>, %d: tensor<1x2x5x3xf32>, %e: tensor<1x4x3x3xf32>, %f: tensor<1x4x3xf32>, %g: tensor<1x4x3x5xf32>) {
  %r:3 = graph.attention_backward %a, %b, %c, %d, %e, %f, %g {scale = 1.000000e+00 : f64} : (tensor<1x4x3x3xf32>, tensor<1x4x3x2xf32>, tensor<1x2x5x2xf32>, tensor<1x2x5x3xf32>, tensor<1x4x3x3xf32>, tensor<1x4x3xf32>, tensor<1x4x3x5xf32>) -> (tensor<1x4x3x2xf32>, tensor<1x2x5x2xf32>, tensor<1x2x5x3xf32>)
  return
}
