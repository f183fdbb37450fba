// RUN: tw-opt %s --tw-lower-schedule | FileCheck %s

graph.parameter @a : tensor<4xf32> {role = #graph.role<trainable>, fill = 1.0 : f64}
graph.parameter @b : tensor<4xf32> {role = #graph.role<trainable>, fill = 1.0 : f64}

// The update of @a runs as soon as nothing reads @a any more, before the gradient of @b is computed.
// CHECK-LABEL: func.func @train(
// CHECK: "gradient_a"
// CHECK: "reads_a"
// CHECK: "update_a"
// CHECK: "gradient_b"
// CHECK: "update_b"
// CHECK: graph.store
func.func @train(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.load @a : tensor<4xf32>
  %b = graph.load @b : tensor<4xf32>
  %ga = plan.kernel "gradient_a"(%x) {} : (tensor<4xf32>) -> tensor<4xf32>
  %dx = plan.kernel "reads_a"(%ga, %a) {} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %gb = plan.kernel "gradient_b"(%dx) {} : (tensor<4xf32>) -> tensor<4xf32>
  %na = plan.kernel "update_a"(%a, %ga) {} in_place [0, 0] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %nb = plan.kernel "update_b"(%b, %gb) {} in_place [0, 0] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  graph.store %na, @a : tensor<4xf32>
  graph.store %nb, @b : tensor<4xf32>
  return %dx : tensor<4xf32>
}

// What depends on parameters alone runs just before it is needed.
// CHECK-LABEL: func.func @late(
// CHECK: "work"
// CHECK: "from_parameters"
// CHECK: "user"
func.func @late(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.load @a : tensor<4xf32>
  %s = plan.kernel "from_parameters"(%a) {} : (tensor<4xf32>) -> tensor<4xf32>
  %y = plan.kernel "work"(%x, %x) {} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %z = plan.kernel "user"(%y, %s) {} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}

// Two parameters that each need the other's old value cannot both wait: one keeps it.
// CHECK-LABEL: func.func @exchange(
// CHECK: %[[B:.*]] = plan.kernel "to_b"
// CHECK-DAG: %[[A:.*]] = plan.kernel "to_a"
// CHECK-DAG: plan.kernel "last"(%[[B]])
// CHECK: return
func.func @exchange(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.load @a : tensor<4xf32>
  %b = graph.load @b : tensor<4xf32>
  %na = plan.kernel "to_a"(%b, %x) {} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %nb = plan.kernel "to_b"(%a, %x) {} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r = plan.kernel "last"(%nb) {} : (tensor<4xf32>) -> tensor<4xf32>
  graph.store %na, @a : tensor<4xf32>
  graph.store %nb, @b : tensor<4xf32>
  return %r : tensor<4xf32>
}

// An update waits for a reader that stands after it.
// CHECK-LABEL: func.func @later_reader(
// CHECK: "gradient"
// CHECK: "reads_old"
// CHECK: "update_a"
func.func @later_reader(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.load @a : tensor<4xf32>
  %g = plan.kernel "gradient"(%x) {} : (tensor<4xf32>) -> tensor<4xf32>
  %na = plan.kernel "update_a"(%a, %g) {} in_place [0, 0] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  graph.store %na, @a : tensor<4xf32>
  %r = plan.kernel "reads_old"(%a, %x) {} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
