// Kernels of equal structure are one, whatever the shapes.
// RUN: tw-opt %s --tw-lower-fuse-elementwise --tw-lower-generate-kernels | FileCheck %s

// CHECK-LABEL: func.func @same_kernel
// CHECK: graph.fused ins(%{{.*}}, %{{.*}}) attributes {extent = 6 : i64, grain = 6 : i64, kernel = "[[ADD:fused_addf_f32_0]]", sizes = array<i64: 6>}
// CHECK: graph.fused ins(%{{.*}}, %{{.*}}) attributes {extent = 400000 : i64, grain = [[GRAIN:[0-9]{4,5}]] : i64, kernel = "[[ADD]]", sizes = array<i64: 400000>}
func.func @same_kernel(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>, %c: tensor<400x1000xf32>, %d: tensor<400x1000xf32>)
    -> (tensor<2x3xf32>, tensor<400x1000xf32>) {
  %0 = arith.addf %a, %b : tensor<2x3xf32>
  %1 = arith.addf %c, %d : tensor<400x1000xf32>
  return %0, %1 : tensor<2x3xf32>, tensor<400x1000xf32>
}

// Images: one loop over images and channels, one over pixels.
// CHECK-LABEL: func.func @channels
// CHECK: extent = 15 : i64{{.*}} kernel = "[[CHANNELS:.*]]", sizes = array<i64: 3>
func.func @channels(%x: tensor<3x5x7x2xf32>, %b: tensor<5xf32>) -> tensor<3x5x7x2xf32> {
  %0 = graph.broadcast %b {dimensions = array<i64: 1>} : (tensor<5xf32>) -> tensor<3x5x7x2xf32>
  %1 = arith.mulf %x, %0 : tensor<3x5x7x2xf32>
  return %1 : tensor<3x5x7x2xf32>
}

// A sum over images and pixels: one iteration a channel.
// CHECK-LABEL: func.func @channel_sum
// CHECK: extent = 5 : i64
func.func @channel_sum(%x: tensor<3x5x7x2xf32>) -> tensor<5xf32> {
  %0 = graph.reduce %x {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 2, 3>} : (tensor<3x5x7x2xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// Sums of columns are split by columns.
// CHECK-LABEL: func.func @column_sum
// CHECK: extent = 7 : i64{{.*}} sizes = array<i64: 9, 7>
func.func @column_sum(%x: tensor<9x7xf32>) -> tensor<7xf32> {
  %0 = graph.reduce %x {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<9x7xf32>) -> tensor<7xf32>
  return %0 : tensor<7xf32>
}

// CHECK: module @generated_kernels
// CHECK: func.func @[[ADD]](%{{.*}}: memref<?xf32> {graph.buffer = 0 : i64}, %{{.*}}: memref<?xf32> {graph.buffer = 1 : i64}, %{{.*}}: memref<?xf32> {graph.buffer = 2 : i64})
// CHECK-NOT: fused_addf_f32
// CHECK: func.func @[[CHANNELS]](%{{.*}}: memref<5xf32> {{.*}}, %{{.*}}: memref<?x5x14xf32>
// CHECK: iterator_types = ["reduction", "parallel", "reduction"]
// CHECK: iterator_types = ["reduction", "parallel"]
