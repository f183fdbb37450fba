// Generated kernels use whole vectors: 256 bits with AVX2, 512 with AVX-512.
// RUN: tw-opt %s -o /dev/null --pass-pipeline="builtin.module(tw-lower-decompose-elementwise,tw-lower-fuse-elementwise,tw-lower-generate-kernels,tw-lower-kernel-loops,tw-lower-expand-math,tw-lower-kernels-to-llvm,tw-lower-emit-assembly{cpu=haswell})" | FileCheck %s -DREGISTER=ymm
// RUN: tw-opt %s -o /dev/null --pass-pipeline="builtin.module(tw-lower-decompose-elementwise,tw-lower-fuse-elementwise,tw-lower-generate-kernels,tw-lower-kernel-loops,tw-lower-expand-math,tw-lower-kernels-to-llvm,tw-lower-emit-assembly{cpu=skylake-avx512})" | FileCheck %s -DREGISTER=zmm
// RUN: not tw-opt %s -o /dev/null --pass-pipeline="builtin.module(tw-lower-decompose-elementwise,tw-lower-fuse-elementwise,tw-lower-generate-kernels,tw-lower-kernel-loops,tw-lower-expand-math,tw-lower-kernels-to-llvm,tw-lower-emit-assembly{cpu=z80})" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: unknown CPU 'z80': give LLVM's name of one

// CHECK-LABEL: fused_erf_f32_0:
// CHECK: vfmadd{{.*}}%[[REGISTER]]
func.func @bias_gelu(%x: tensor<8x100xf32>, %b: tensor<100xf32>) -> tensor<8x100xf32> {
  %0 = graph.broadcast %b {dimensions = array<i64: 1>} : (tensor<100xf32>) -> tensor<8x100xf32>
  %1 = arith.addf %x, %0 : tensor<8x100xf32>
  %2 = graph.gelu %1 : (tensor<8x100xf32>) -> tensor<8x100xf32>
  return %2 : tensor<8x100xf32>
}
// CHECK-LABEL: fused_exp_erf_f32_1:
// CHECK: vfmadd{{.*}}%[[REGISTER]]
func.func @gelu_backward(%dy: tensor<800xf32>, %x: tensor<800xf32>) -> tensor<800xf32> {
  %0 = graph.gelu_backward %dy, %x : (tensor<800xf32>, tensor<800xf32>) -> tensor<800xf32>
  return %0 : tensor<800xf32>
}
// CHECK-LABEL: fused_addf_f32_2:
// CHECK: vaddps{{.*}}%[[REGISTER]]
func.func @residual(%x: tensor<800xf32>, %y: tensor<800xf32>) -> tensor<800xf32> {
  %0 = arith.addf %x, %y : tensor<800xf32>
  return %0 : tensor<800xf32>
}
// CHECK-LABEL: fused_sqrt_f32_3:
// CHECK: vsqrtps{{.*}}%[[REGISTER]]
func.func @adam(%p: tensor<800xf32>, %m: tensor<800xf32>, %v: tensor<800xf32>, %g: tensor<800xf32>, %rate: tensor<f32>)
    -> (tensor<800xf32>, tensor<800xf32>, tensor<800xf32>) {
  %b1 = arith.constant dense<0.9> : tensor<800xf32>
  %b2 = arith.constant dense<0.999> : tensor<800xf32>
  %0 = arith.mulf %m, %b1 : tensor<800xf32>
  %m1 = arith.addf %0, %g : tensor<800xf32>
  %3 = arith.mulf %v, %b2 : tensor<800xf32>
  %4 = arith.mulf %g, %g : tensor<800xf32>
  %v1 = arith.addf %3, %4 : tensor<800xf32>
  %6 = math.sqrt %v1 : tensor<800xf32>
  %8 = arith.divf %m1, %6 : tensor<800xf32>
  %9 = graph.broadcast %rate {dimensions = array<i64>} : (tensor<f32>) -> tensor<800xf32>
  %10 = arith.mulf %8, %9 : tensor<800xf32>
  %11 = arith.subf %p, %10 : tensor<800xf32>
  return %11, %m1, %v1 : tensor<800xf32>, tensor<800xf32>, tensor<800xf32>
}
// CHECK-LABEL: fused_cmpf_select_f32_4:
// CHECK: vcmp{{.*}}%[[REGISTER]]
func.func @relu_backward(%dy: tensor<800xf32>, %y: tensor<800xf32>) -> tensor<800xf32> {
  %zero = arith.constant dense<0.0> : tensor<800xf32>
  %0 = arith.cmpf ogt, %y, %zero : tensor<800xf32>
  %1 = arith.select %0, %dy, %zero : tensor<800xi1>, tensor<800xf32>
  return %1 : tensor<800xf32>
}
// CHECK-LABEL: fused_subf_mulf_f32_5:
// CHECK: vsubps{{.*}}%[[REGISTER]]
func.func @batch_norm(%x: tensor<3x5x10x10xf32>, %mean: tensor<5xf32>, %scale: tensor<5xf32>) -> tensor<3x5x10x10xf32> {
  %0 = graph.broadcast %mean {dimensions = array<i64: 1>} : (tensor<5xf32>) -> tensor<3x5x10x10xf32>
  %1 = graph.broadcast %scale {dimensions = array<i64: 1>} : (tensor<5xf32>) -> tensor<3x5x10x10xf32>
  %2 = arith.subf %x, %0 : tensor<3x5x10x10xf32>
  %3 = arith.mulf %2, %1 : tensor<3x5x10x10xf32>
  return %3 : tensor<3x5x10x10xf32>
}
// Sums of rows: several partial sums to a vector, added up at the end.
// CHECK-LABEL: fused_reduce_f32_6:
// CHECK: vfmadd{{.*}}%[[REGISTER]]
func.func @squares(%x: tensor<8x1000xf32>) -> tensor<8xf32> {
  %0 = arith.mulf %x, %x : tensor<8x1000xf32>
  %1 = graph.reduce %0 {kind = #graph.reduction<sum>, dimensions = array<i64: 1>} : (tensor<8x1000xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
// CHECK: tw_generated_kernels:
