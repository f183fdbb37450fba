// The accuracy of vectorised functions (relative to the value, 2e-6), for arguments of every size, and what they make
// of infinities, NaN and subnormal numbers.
// RUN: tw-opt %s --tw-lower-execute-kernels="scale=0.01" -o /dev/null | FileCheck %s
// RUN: tw-opt %s --tw-lower-execute-kernels="scale=1" -o /dev/null | FileCheck %s
// RUN: tw-opt %s --tw-lower-execute-kernels="scale=30" -o /dev/null | FileCheck %s
// RUN: tw-opt %s --tw-lower-execute-kernels="special=true" -o /dev/null | FileCheck %s
// CHECK-NOT: DIFFERS

// CHECK: exp: agrees
func.func @exp(%x: tensor<4001xf32>) -> tensor<4001xf32> {
  %0 = math.exp %x : tensor<4001xf32>
  return %0 : tensor<4001xf32>
}
// CHECK: log: agrees
func.func @log(%x: tensor<4001xf32>) -> tensor<4001xf32> {
  %0 = math.absf %x : tensor<4001xf32>
  %1 = math.log %0 : tensor<4001xf32>
  return %1 : tensor<4001xf32>
}
// CHECK: tanh: agrees
func.func @tanh(%x: tensor<4001xf32>) -> tensor<4001xf32> {
  %0 = math.tanh %x : tensor<4001xf32>
  return %0 : tensor<4001xf32>
}
// CHECK: erf: agrees
func.func @erf(%x: tensor<4001xf32>) -> tensor<4001xf32> {
  %0 = math.erf %x : tensor<4001xf32>
  return %0 : tensor<4001xf32>
}
// CHECK: sigmoid: agrees
func.func @sigmoid(%x: tensor<4001xf32>) -> tensor<4001xf32> {
  %0 = graph.sigmoid %x : (tensor<4001xf32>) -> tensor<4001xf32>
  return %0 : tensor<4001xf32>
}
// CHECK: relu: agrees
func.func @relu(%x: tensor<4001xf32>, %y: tensor<4001xf32>) -> (tensor<4001xf32>, tensor<4001xf32>) {
  %zero = arith.constant dense<0.0> : tensor<4001xf32>
  %0 = arith.maximumf %x, %zero : tensor<4001xf32>
  %1 = arith.maximumf %x, %y : tensor<4001xf32>
  return %0, %1 : tensor<4001xf32>, tensor<4001xf32>
}
