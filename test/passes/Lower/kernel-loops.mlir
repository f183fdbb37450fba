// Loops that LLVM widens without asking whether buffers overlap, and loads that stand where they belong.
// RUN: tw-opt %s --tw-lower-fuse-elementwise --tw-lower-generate-kernels --tw-lower-kernel-loops | FileCheck %s
// RUN: tw-opt %s --tw-lower-fuse-elementwise --tw-lower-generate-kernels --tw-lower-kernel-loops --tw-lower-kernels-to-llvm | FileCheck %s --check-prefix=LLVM

// CHECK: #[[LOOP:.*]] = #llvm.loop_annotation<parallelAccesses = #[[GROUP:.*]]>
// CHECK: func.func @fused_subf_f32_0(%[[BUFFERS:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr, %[[BEGIN:.*]]: i64, %[[END:.*]]: i64)
// The mean is loaded once for each image and channel, not for each pixel.
// CHECK: scf.for %{{.*}} = %[[BEGIN]] to %[[END]]
// CHECK: arith.remui
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK: scf.for
// CHECK: llvm.load %{{.*}} {access_groups = [#[[GROUP]]]} : !llvm.ptr -> f32
// CHECK-NOT: llvm.load
// CHECK: llvm.store %{{.*}}, %{{.*}} {access_groups = [#[[GROUP]]]}
// CHECK: } {loop_annotation = #[[LOOP]]}
// LLVM: llvm.br ^{{.*}} {loop_annotation = #{{.*}}}
func.func @batch_norm(%x: tensor<3x5x10x10xf32>, %mean: tensor<5xf32>) -> tensor<3x5x10x10xf32> {
  %0 = graph.broadcast %mean {dimensions = array<i64: 1>} : (tensor<5xf32>) -> tensor<3x5x10x10xf32>
  %2 = arith.subf %x, %0 : tensor<3x5x10x10xf32>
  return %2 : tensor<3x5x10x10xf32>
}

// The sum stays in a register; only it may be reordered.
// CHECK: func.func @fused_reduce_f32_1
// CHECK: scf.for
// CHECK: %[[SUM:.*]] = scf.for {{.*}} iter_args
// CHECK: arith.mulf %{{.*}} fastmath<nsz,contract>
// CHECK: arith.addf %{{.*}} fastmath<reassoc,nsz,contract>
// CHECK: llvm.store %[[SUM]]
// LLVM: llvm.br ^{{.*}}(%{{.*}}, %{{.*}} : i64, f32) {loop_annotation = #{{.*}}}
func.func @squares(%x: tensor<8x1000xf32>) -> tensor<8xf32> {
  %0 = arith.mulf %x, %x : tensor<8x1000xf32>
  %1 = graph.reduce %0 {kind = #graph.reduction<sum>, dimensions = array<i64: 1>} : (tensor<8x1000xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
