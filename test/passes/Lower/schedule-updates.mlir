// RUN: tw-opt %s --tw-lower-schedule | FileCheck %s

graph.parameter @a : tensor<64xf32> {role = #graph.role<trainable>, fill = 1.0 : f64}
graph.parameter @b : tensor<64xf32> {role = #graph.role<trainable>, fill = 1.0 : f64}

// An update that also gives its gradient's part of the norm frees the gradient before the next one is computed.
// CHECK-LABEL: func.func @train(
// CHECK: "gradient_a"
// CHECK: "update_a"
// CHECK: "gradient_b"
// CHECK: "update_b"
// CHECK: "norm"
func.func @train(%x: tensor<64xf32>) -> tensor<f32> {
  %a = graph.load @a : tensor<64xf32>
  %b = graph.load @b : tensor<64xf32>
  %ga = plan.kernel "gradient_a"(%x) {} : (tensor<64xf32>) -> tensor<64xf32>
  %gb = plan.kernel "gradient_b"(%ga) {} : (tensor<64xf32>) -> tensor<64xf32>
  %na, %sa = plan.kernel "update_a"(%a, %ga) {} : (tensor<64xf32>, tensor<64xf32>) -> (tensor<64xf32>, tensor<f32>)
  %nb, %sb = plan.kernel "update_b"(%b, %gb) {} : (tensor<64xf32>, tensor<64xf32>) -> (tensor<64xf32>, tensor<f32>)
  %norm = plan.kernel "norm"(%sa, %sb) {} : (tensor<f32>, tensor<f32>) -> tensor<f32>
  graph.store %na, @a : tensor<64xf32>
  graph.store %nb, @b : tensor<64xf32>
  return %norm : tensor<f32>
}

// An op whose other results are large is no update: it keeps its place.
// CHECK-LABEL: func.func @statistics(
// CHECK: "first"
// CHECK: "second"
// CHECK: "statistics"
func.func @statistics(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %a = graph.load @a : tensor<64xf32>
  %y = plan.kernel "first"(%x) {} : (tensor<64xf32>) -> tensor<64xf32>
  %z = plan.kernel "second"(%y) {} : (tensor<64xf32>) -> tensor<64xf32>
  %na, %s = plan.kernel "statistics"(%a, %y) {} : (tensor<64xf32>, tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>)
  graph.store %na, @a : tensor<64xf32>
  return %z, %s : tensor<64xf32>, tensor<64xf32>
}
