// RUN: tw-opt %s | tw-opt | FileCheck %s
// RUN: tw-opt %s -emit-bytecode | tw-opt | FileCheck %s

// CHECK: graph.parameter @weight : tensor<2x3xf32> {file = "m.onnx", length = 24 : i64, offset = 64 : i64, onnx_name = "fc.weight", role = #graph.role<trainable>}
graph.parameter @weight : tensor<2x3xf32> {role = #graph.role<trainable>, file = "m.onnx", offset = 64 : i64, length = 24 : i64, onnx_name = "fc.weight"}
// CHECK: graph.parameter @average : tensor<2x3xf32> {copy_of = @weight, role = #graph.role<buffer>}
graph.parameter @average : tensor<2x3xf32> {role = #graph.role<buffer>, copy_of = @weight}
// CHECK: graph.parameter @step : tensor<i64> {fill = 0.000000e+00 : f64, role = #graph.role<counter>}
graph.parameter @step : tensor<i64> {role = #graph.role<counter>, fill = 0.0 : f64}

// CHECK-LABEL: func.func @train
func.func @train(%x: tensor<4x8x3xf32>) -> (tensor<f32>, tensor<4x8xf32>) {
  // CHECK: graph.load @weight : tensor<2x3xf32>
  %w = graph.load @weight : tensor<2x3xf32>
  // CHECK: %{{.*}}, %[[CARRIED:.*]], %{{.*}} = graph.accumulate micro_batches 4 slices(%{{.*}}) carries(%{{.*}}) {
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<i64>, %[[X:.*]]: tensor<8x3xf32>, %[[M:.*]]: tensor<2x3xf32>):
  %sum, %carried, %stacked = graph.accumulate micro_batches 4 slices(%x) carries(%w) {
  ^bb0(%i: tensor<i64>, %xi: tensor<8x3xf32>, %m: tensor<2x3xf32>):
    %rows = graph.reduce %xi {kind = #graph.reduction<sum>, dimensions = array<i64: 1>} : (tensor<8x3xf32>) -> tensor<8xf32>
    %all = graph.reduce %xi {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1>} : (tensor<8x3xf32>) -> tensor<f32>
    // CHECK: graph.yield sums(%{{.*}}) carries(%[[M]]) stacks(%{{.*}}) : (tensor<f32>) (tensor<2x3xf32>) (tensor<8xf32>)
    graph.yield sums(%all) carries(%m) stacks(%rows) : (tensor<f32>) (tensor<2x3xf32>) (tensor<8xf32>)
  // CHECK: } : (tensor<4x8x3xf32>, tensor<2x3xf32>) -> (tensor<f32>, tensor<2x3xf32>, tensor<4x8xf32>)
  } : (tensor<4x8x3xf32>, tensor<2x3xf32>) -> (tensor<f32>, tensor<2x3xf32>, tensor<4x8xf32>)
  // Groups may be empty.
  // CHECK: graph.yield sums() carries(%{{.*}}) stacks() : () (tensor<2x3xf32>) ()
  %again = graph.accumulate micro_batches 1 slices() carries(%carried) {
  ^bb0(%i: tensor<i64>, %m: tensor<2x3xf32>):
    graph.yield sums() carries(%m) stacks() : () (tensor<2x3xf32>) ()
  } : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.store %{{.*}}, @weight : tensor<2x3xf32>
  graph.store %again, @weight : tensor<2x3xf32>
  return %sum, %stacked : tensor<f32>, tensor<4x8xf32>
}
