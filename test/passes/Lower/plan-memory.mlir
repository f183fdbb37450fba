// RUN: tw-opt %s --tw-lower-plan-memory --split-input-file | FileCheck %s

// Parameters lie at the bottom; an update in place is written to its parameter; chains of elementwise results share
// one place; the arena is no larger than what lives at once.
// CHECK: graph.parameter @w : {{.*}} plan.offset = 0
// CHECK: graph.parameter @step : {{.*}} plan.offset = 64
graph.parameter @w : tensor<4xf32> {role = #graph.role<trainable>, fill = 1.0 : f64}
graph.parameter @step : tensor<i64> {role = #graph.role<counter>, fill = 0.0 : f64}
// CHECK-LABEL: plan.program @train
// CHECK-SAME: arena [[ARENA:[0-9]+]] parameters 128 lower_bound [[ARENA]]
// CHECK: %[[X:.*]] = plan.buffer "x" at {{[0-9]+}} input
// CHECK: plan.input "x" %[[X]]
// CHECK: %[[Y:.*]] = plan.buffer {{.*}} at [[PLACE:[0-9]+]] gradient
// CHECK: plan.call "softmax_f32_host"(%[[X]]) -> (%[[Y]])
// CHECK: %[[Z:.*]] = plan.buffer {{.*}} at [[PLACE]] gradient
// CHECK: plan.call "softmax_f32_host"(%[[Y]]) -> (%[[Z]])
// CHECK: %[[W:.*]] = plan.buffer "w" at 0 weight of @w
// CHECK: plan.call "update"(%[[W]], %[[Z]]) -> (%[[W]])
// CHECK: plan.output "loss"
func.func @train(%x: tensor<4xf32> {graph.name = "x"}) -> (tensor<4xf32> {graph.name = "loss"}) {
  %w = graph.load @w : tensor<4xf32>
  %y = plan.kernel "softmax_f32_host"(%x) {axis = 0 : i64} in_place [0, 0] : (tensor<4xf32>) -> tensor<4xf32>
  %z = plan.kernel "softmax_f32_host"(%y) {axis = 0 : i64} in_place [0, 0] : (tensor<4xf32>) -> tensor<4xf32>
  %l = plan.kernel "softmax_f32_host"(%x) {axis = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %n = plan.kernel "update"(%w, %z) {} in_place [0, 0] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  graph.store %n, @w : tensor<4xf32>
  return %l : tensor<4xf32>
}

// -----

// A parameter that is read after its next value is known keeps its value until the end.
graph.parameter @w : tensor<4xf32> {role = #graph.role<trainable>, fill = 1.0 : f64}
// CHECK-LABEL: plan.program @train
// CHECK: %[[W:.*]] = plan.buffer "w" at 0
// CHECK: plan.call "update"(%[[W]]) -> (%[[N:.*]]) {}
// CHECK: plan.call "reader"(%[[W]])
// CHECK: plan.copy %[[N]] to %[[W]]
func.func @train() -> tensor<4xf32> {
  %w = graph.load @w : tensor<4xf32>
  %n = plan.kernel "update"(%w) {} in_place [0, 0] : (tensor<4xf32>) -> tensor<4xf32>
  %y = plan.kernel "reader"(%w) {} : (tensor<4xf32>) -> tensor<4xf32>
  graph.store %n, @w : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// A returned parameter is its old value: copied before the update overwrites it.
graph.parameter @w : tensor<4xf32> {role = #graph.role<trainable>, fill = 1.0 : f64}
// CHECK-LABEL: plan.program @train
// CHECK: plan.call "update"(%[[W:.*]]) -> (%[[N:.*]]) {}
// CHECK: plan.call "transpose_b4_host"(%[[W]]) -> (%[[OLD:[0-9]+]])
// CHECK: plan.copy %[[N]] to %[[W]]
// CHECK: plan.output "old" %[[OLD]]
func.func @train() -> (tensor<4xf32> {graph.name = "old"}) {
  %w = graph.load @w : tensor<4xf32>
  %n = plan.kernel "update"(%w) {} in_place [0, 0] : (tensor<4xf32>) -> tensor<4xf32>
  graph.store %n, @w : tensor<4xf32>
  return %w : tensor<4xf32>
}

// -----

// Operands of one all_reduce lie side by side, on multiples of 64 bytes; a rank's number is a constant of its program.
// CHECK-LABEL: plan.program @train
// CHECK: plan.constant %[[R:.*]] = dense<[0, 1]> : tensor<2xi64> per_rank
// CHECK: %[[A:.*]] = plan.buffer {{.*}} at [[BASE:[0-9]+]] communication
// CHECK: %[[B:.*]] = plan.buffer {{.*}} at {{[0-9]+}} communication
// CHECK: plan.collective "all_reduce" "sum"(%[[A]], %[[B]]) groups [array<i64: 0, 1>]
func.func @train(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<3xf32>) {
  %r = plan.rank [0, 1] : tensor<i64>
  %a = plan.kernel "a"(%x, %r) {} : (tensor<4xf32>, tensor<i64>) -> tensor<4xf32>
  %b = plan.kernel "b"(%x) {} : (tensor<4xf32>) -> tensor<3xf32>
  %s:2 = plan.all_reduce "sum"(%a, %b) groups [array<i64: 0, 1>] : (tensor<4xf32>, tensor<3xf32>) -> (tensor<4xf32>, tensor<3xf32>)
  return %s#0, %s#1 : tensor<4xf32>, tensor<3xf32>
}

// -----

// Bounds of ids and labels follow from where they are used, also through views.
// CHECK-LABEL: plan.program @train
// CHECK: plan.input "ids" %{{.*}} in{{ ?}}[0, 7)
// CHECK: plan.input "labels" %{{.*}} in{{ ?}}[0, 7) or -100
func.func @train(%ids: tensor<2x2xi64> {graph.name = "ids"}, %labels: tensor<2x2xi64> {graph.name = "labels"},
                 %table: tensor<7x7xf32> {graph.name = "table"}) -> tensor<f32> {
  %i = plan.view %ids offset 0 strides [1] : tensor<2x2xi64> -> tensor<4xi64>
  %l = plan.view %labels offset 0 strides [1] : tensor<2x2xi64> -> tensor<4xi64>
  %x = plan.kernel "gather_f32_i64_host"(%table, %i) {axis = 0 : i64} : (tensor<7x7xf32>, tensor<4xi64>) -> tensor<4x7xf32>
  %loss:2 = plan.kernel "cross_entropy_f32_i64_host"(%x, %l) {ignore_index = -100 : i64, label_smoothing = 0.0 : f64} : (tensor<4x7xf32>, tensor<4xi64>) -> (tensor<f32>, tensor<4xf32>)
  return %loss#0 : tensor<f32>
}

// -----

// Workspace lives for one instruction, so two calls share it.
// CHECK-LABEL: plan.program @train
// CHECK: plan.call "a"{{.*}} workspace 1000 at [[SCRATCH:[0-9]+]]
// CHECK: plan.call "b"{{.*}} workspace 1000 at [[SCRATCH]]
func.func @train(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = plan.kernel "a"(%x) {} workspace 1000 : (tensor<4xf32>) -> tensor<4xf32>
  %b = plan.kernel "b"(%a) {} workspace 1000 : (tensor<4xf32>) -> tensor<4xf32>
  return %b : tensor<4xf32>
}
