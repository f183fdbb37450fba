// CUDA kernels: a parameter for each buffer and size, then the extent; consecutive threads touch consecutive elements.
// RUN: tw-opt %s --pass-pipeline="builtin.module(tw-lower-decompose-elementwise,tw-lower-fuse-elementwise,tw-lower-generate-kernels{target=cuda})" | FileCheck %s --check-prefix=CALL
// RUN: tw-opt %s -o /dev/null --pass-pipeline="builtin.module(tw-lower-decompose-elementwise,tw-lower-fuse-elementwise,tw-lower-generate-kernels{target=cuda},tw-lower-emit-ptx{chip=sm_80})" | FileCheck %s

// A thread for each element of the result: 800, where the host has 8 rows.
// CALL-LABEL: func.func @bias_gelu
// CALL: extent = 800 : i64
// CHECK: .target sm_80
// CHECK-LABEL: .visible .entry fused_erf_f32_0(
// CHECK: fused_erf_f32_0_param_4
// CHECK-NOT: fused_erf_f32_0_param_5
// CHECK-DAG: %ctaid.x
// CHECK-DAG: %tid.x
// CHECK-DAG: %nctaid.x
// CHECK: fma.rn.f32
// CHECK: st.global
func.func @bias_gelu(%x: tensor<8x100xf32>, %b: tensor<100xf32>) -> tensor<8x100xf32> {
  %0 = graph.broadcast %b {dimensions = array<i64: 1>} : (tensor<100xf32>) -> tensor<8x100xf32>
  %1 = arith.addf %x, %0 : tensor<8x100xf32>
  %2 = graph.gelu %1 : (tensor<8x100xf32>) -> tensor<8x100xf32>
  return %2 : tensor<8x100xf32>
}

// A thread for each column.
// CALL-LABEL: func.func @column_sum
// CALL: extent = 7 : i64
// CHECK-LABEL: .visible .entry fused_reduce_f32_1(
// CHECK: add.{{.*}}f32
func.func @column_sum(%x: tensor<9x7xf32>) -> tensor<7xf32> {
  %0 = graph.reduce %x {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<9x7xf32>) -> tensor<7xf32>
  return %0 : tensor<7xf32>
}
