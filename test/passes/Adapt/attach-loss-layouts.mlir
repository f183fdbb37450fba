// RUN: tw-opt %s --tw-adapt-attach-loss="output=sequence outputs=sequence" | FileCheck %s --check-prefix=SEQUENCE
// RUN: tw-opt %s --tw-adapt-attach-loss="output=image outputs=image" | FileCheck %s --check-prefix=IMAGE
// RUN: tw-opt %s --tw-adapt-attach-loss="loss=output output=own outputs=image" | FileCheck %s --check-prefix=OWN

// SEQUENCE: func.func @forward({{.*}}%[[LABELS:[a-z0-9]+]]: tensor<2x6xi64> {graph.name = "labels"}) -> (tensor<f32> {graph.name = "loss_sum"}, tensor<2x6x3xf32> {graph.name = "sequence"})
// SEQUENCE: %[[ROWS:.*]] = graph.reshape %arg0 : (tensor<2x6x3xf32>) -> tensor<12x3xf32>
// SEQUENCE: graph.cross_entropy %[[ROWS]]

// Classes of ONNX's [n, c, d...] come last before they are rows.
// IMAGE: func.func @forward({{.*}}: tensor<2x4x5xi64> {graph.name = "labels"})
// IMAGE: %[[LAST:.*]] = graph.transpose %arg1 {permutation = array<i64: 0, 2, 3, 1>}
// IMAGE: graph.reshape %[[LAST]] : (tensor<2x4x5x3xf32>) -> tensor<40x3xf32>

// The model's own loss needs no labels and weighs one.
// OWN: func.func @forward(%arg0: {{.*}}, %arg1: {{.*}}, %[[OWN:[a-z0-9]+]]: tensor<1xf32> {{{.*}}}) -> (tensor<f32> {graph.name = "loss_sum"}, tensor<2x3x4x5xf32> {graph.name = "image"})
// OWN: graph.reshape %[[OWN]] : (tensor<1xf32>) -> tensor<f32>
// OWN: func.func @loss_weight
// OWN: arith.constant dense<1.000000e+00> : tensor<f32>
func.func @main(%a: tensor<2x6x3xf32> {graph.name = "a"}, %b: tensor<2x3x4x5xf32> {graph.name = "b"}, %c: tensor<1xf32> {graph.name = "c"}) -> (tensor<2x6x3xf32> {graph.name = "sequence"}, tensor<2x3x4x5xf32> {graph.name = "image"}, tensor<1xf32> {graph.name = "own"}) {
  return %a, %b, %c : tensor<2x6x3xf32>, tensor<2x3x4x5xf32>, tensor<1xf32>
}
