// RUN: tw-opt %s | tw-opt | FileCheck %s
// RUN: tw-opt %s -emit-bytecode | tw-opt | FileCheck %s

// CHECK-LABEL: func.func @matmul_1
// CHECK: graph.matmul %{{.*}} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
func.func @matmul_1(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  %r = graph.matmul %a, %b : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// CHECK-LABEL: func.func @matmul_2
// CHECK: graph.matmul %{{.*}} {transpose_lhs, transpose_rhs} : (tensor<5x3x2xbf16>, tensor<5x4x3xbf16>, tensor<4xbf16>) -> tensor<5x2x4xbf16>
func.func @matmul_2(%a: tensor<5x3x2xbf16>, %b: tensor<5x4x3xbf16>, %c: tensor<4xbf16>) {
  %r = graph.matmul %a, %b, %c {transpose_lhs, transpose_rhs} : (tensor<5x3x2xbf16>, tensor<5x4x3xbf16>, tensor<4xbf16>) -> tensor<5x2x4xbf16>
  return
}

// CHECK-LABEL: func.func @convolution_3
// CHECK: graph.convolution %{{.*}} {dilations = array<i64: 1, 1>, groups = 2 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x2x4x4xf32>, tensor<4x1x2x2xf32>, tensor<4xf32>) -> tensor<1x4x3x3xf32>
func.func @convolution_3(%a: tensor<1x2x4x4xf32>, %b: tensor<4x1x2x2xf32>, %c: tensor<4xf32>) {
  %r = graph.convolution %a, %b, %c {dilations = array<i64: 1, 1>, groups = 2 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x2x4x4xf32>, tensor<4x1x2x2xf32>, tensor<4xf32>) -> tensor<1x4x3x3xf32>
  return
}

// CHECK-LABEL: func.func @convolution_backward_input_4
// CHECK: graph.convolution_backward_input %{{.*}} {dilations = array<i64: 1, 1>, groups = 2 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x4x3x3xf32>, tensor<4x1x2x2xf32>) -> tensor<1x2x4x4xf32>
func.func @convolution_backward_input_4(%a: tensor<1x4x3x3xf32>, %b: tensor<4x1x2x2xf32>) {
  %r = graph.convolution_backward_input %a, %b {dilations = array<i64: 1, 1>, groups = 2 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x4x3x3xf32>, tensor<4x1x2x2xf32>) -> tensor<1x2x4x4xf32>
  return
}

// CHECK-LABEL: func.func @convolution_backward_filter_5
// CHECK: graph.convolution_backward_filter %{{.*}} {dilations = array<i64: 1, 1>, groups = 2 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x4x3x3xf32>, tensor<1x2x4x4xf32>) -> tensor<4x1x2x2xf32>
func.func @convolution_backward_filter_5(%a: tensor<1x4x3x3xf32>, %b: tensor<1x2x4x4xf32>) {
  %r = graph.convolution_backward_filter %a, %b {dilations = array<i64: 1, 1>, groups = 2 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x4x3x3xf32>, tensor<1x2x4x4xf32>) -> tensor<4x1x2x2xf32>
  return
}

// CHECK-LABEL: func.func @max_pool_6
// CHECK: graph.max_pool %{{.*}} {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, window = array<i64: 2, 2>} : (tensor<1x2x4x4xf32>) -> tensor<1x2x3x3xf32>
func.func @max_pool_6(%a: tensor<1x2x4x4xf32>) {
  %r = graph.max_pool %a {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, window = array<i64: 2, 2>} : (tensor<1x2x4x4xf32>) -> tensor<1x2x3x3xf32>
  return
}

// CHECK-LABEL: func.func @max_pool_backward_7
// CHECK: graph.max_pool_backward %{{.*}} {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, window = array<i64: 2, 2>} : (tensor<1x2x3x3xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
func.func @max_pool_backward_7(%a: tensor<1x2x3x3xf32>, %b: tensor<1x2x4x4xf32>) {
  %r = graph.max_pool_backward %a, %b {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, window = array<i64: 2, 2>} : (tensor<1x2x3x3xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  return
}

// CHECK-LABEL: func.func @average_pool_8
// CHECK: graph.average_pool %{{.*}} {count_include_pad, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, window = array<i64: 2, 2>} : (tensor<1x2x4x4xf32>) -> tensor<1x2x3x3xf32>
func.func @average_pool_8(%a: tensor<1x2x4x4xf32>) {
  %r = graph.average_pool %a {count_include_pad, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, window = array<i64: 2, 2>} : (tensor<1x2x4x4xf32>) -> tensor<1x2x3x3xf32>
  return
}

// CHECK-LABEL: func.func @average_pool_backward_9
// CHECK: graph.average_pool_backward %{{.*}} {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, window = array<i64: 2, 2>} : (tensor<1x2x3x3xf32>) -> tensor<1x2x4x4xf32>
func.func @average_pool_backward_9(%a: tensor<1x2x3x3xf32>) {
  %r = graph.average_pool_backward %a {dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, window = array<i64: 2, 2>} : (tensor<1x2x3x3xf32>) -> tensor<1x2x4x4xf32>
  return
}
