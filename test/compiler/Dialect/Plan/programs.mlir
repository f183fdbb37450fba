// RUN: tw-opt %s | tw-opt | FileCheck %s

// Every op on buffers prints what it reads.
graph.parameter @w : tensor<4xf32> {role = #graph.role<trainable>, fill = 1.0 : f64}
// CHECK: plan.program @train arena 512 parameters 64 lower_bound 448
plan.program @train arena 512 parameters 64 lower_bound 448 {
  // CHECK: %[[W:.*]] = plan.buffer "w" at 0 weight of @w : memref<4xf32>
  %w = plan.buffer "w" at 0 weight of @w : memref<4xf32>
  %x = plan.buffer "x" at 64 input node "/x" : memref<2x4xf32>
  // CHECK: plan.buffer "x" at 68 input view_of %{{.*}} : memref<2x4xf32> : memref<2x2xf32, strided<[4, 1]>>
  %v = plan.buffer "x" at 68 input view_of %x : memref<2x4xf32> : memref<2x2xf32, strided<[4, 1]>>
  // CHECK: plan.buffer "y" at 128 activation holds 32 from 0 to 4 node "/y" : memref<2x4xf32>
  %y = plan.buffer "y" at 128 activation holds 32 from 0 to 4 node "/y" : memref<2x4xf32>
  // CHECK: plan.buffer "z" at 192 input holds 32 from -1 to 2 : memref<2x4xf32>
  %z = plan.buffer "z" at 192 input holds 32 from -1 to 2 : memref<2x4xf32>
  %n = plan.buffer "n" at 192 constant : memref<i64>
  // CHECK: plan.input "x" %{{.*}} in{{ ?}}[0, 10) or -100
  plan.input "x" %x in [0, 10) or -100 : memref<2x4xf32>
  // CHECK: plan.constant %{{.*}} = dense<[0, 1]> : tensor<2xi64> per_rank
  plan.constant %n = dense<[0, 1]> : tensor<2xi64> per_rank : memref<i64>
  // CHECK: plan.call "k"(%{{.*}}, %{{.*}}) -> (%{{.*}}) {axis = 1 : i64} workspace 100 at 256
  plan.call "k"(%x, %w) -> (%y) {axis = 1 : i64} workspace 100 at 256 : (memref<2x4xf32>, memref<4xf32>) -> (memref<2x4xf32>)
  // CHECK: plan.generated "g"(%{{.*}}, %{{.*}}) written [1] sizes [8] extent 8 grain 4
  plan.generated "g"(%x, %y) written [1] sizes [8] extent 8 grain 4 : memref<2x4xf32>, memref<2x4xf32>
  // CHECK: plan.collective "all_reduce" "sum"(%{{.*}}) groups [array<i64: 0, 1>]
  plan.collective "all_reduce" "sum"(%y) groups [array<i64: 0, 1>] : memref<2x4xf32>
  // CHECK: plan.copy %{{.*}} to %{{.*}}
  plan.copy %x to %y : memref<2x4xf32> to memref<2x4xf32>
  // CHECK: plan.fill %{{.*}} with 0.000000e+00
  plan.fill %y with 0.0 : memref<2x4xf32>
  // CHECK: plan.output "y"
  plan.output "y" %y : memref<2x4xf32>
}
