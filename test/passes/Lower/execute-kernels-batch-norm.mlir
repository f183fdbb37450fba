// Batch normalisation as generated kernels.
// RUN: tw-opt %s --tw-lower-execute-kernels="floor=1 tolerance=4e-6" -o /dev/null | FileCheck %s
// RUN: tw-opt %s --tw-lower-execute-kernels="target=cuda floor=1 tolerance=4e-6" -o /dev/null | FileCheck %s
// CHECK-NOT: DIFFERS

// CHECK: forward: agrees
func.func @forward(%x: tensor<4x5x7x3xf32>, %scale: tensor<5xf32>, %bias: tensor<5xf32>, %mean: tensor<5xf32>, %v: tensor<5xf32>)
    -> (tensor<4x5x7x3xf32>, tensor<5xf32>) {
  %one = arith.constant dense<1.0> : tensor<5xf32>
  %0 = math.absf %v : tensor<5xf32>
  %variance = arith.addf %0, %one : tensor<5xf32>
  %1 = graph.batch_norm %x, %scale, %bias, %mean, %variance {epsilon = 1.0e-5 : f64} : (tensor<4x5x7x3xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> tensor<4x5x7x3xf32>
  %zero = arith.constant dense<0.0> : tensor<4x5x7x3xf32>
  %2 = arith.maximumf %1, %zero : tensor<4x5x7x3xf32>
  %3 = graph.centered_square_sum %x, %mean : (tensor<4x5x7x3xf32>, tensor<5xf32>) -> tensor<5xf32>
  return %2, %3 : tensor<4x5x7x3xf32>, tensor<5xf32>
}
// CHECK: backward: agrees
func.func @backward(%dy: tensor<4x5x7x3xf32>, %x: tensor<4x5x7x3xf32>, %scale: tensor<5xf32>, %mean: tensor<5xf32>, %v: tensor<5xf32>)
    -> (tensor<4x5x7x3xf32>, tensor<5xf32>, tensor<5xf32>) {
  %one = arith.constant dense<1.0> : tensor<5xf32>
  %0 = math.absf %v : tensor<5xf32>
  %variance = arith.addf %0, %one : tensor<5xf32>
  %ds, %db = graph.batch_norm_backward_reduce %dy, %x, %mean, %variance {epsilon = 1.0e-5 : f64} : (tensor<4x5x7x3xf32>, tensor<4x5x7x3xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>)
  %dx = graph.batch_norm_backward_apply %dy, %x, %scale, %mean, %variance, %ds, %db {count = 84 : i64, epsilon = 1.0e-5 : f64} : (tensor<4x5x7x3xf32>, tensor<4x5x7x3xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> tensor<4x5x7x3xf32>
  return %dx, %ds, %db : tensor<4x5x7x3xf32>, tensor<5xf32>, tensor<5xf32>
}
// CHECK: matrix: agrees
func.func @matrix(%x: tensor<9x5xf32>, %mean: tensor<5xf32>) -> tensor<5xf32> {
  %3 = graph.centered_square_sum %x, %mean : (tensor<9x5xf32>, tensor<5xf32>) -> tensor<5xf32>
  return %3 : tensor<5xf32>
}
