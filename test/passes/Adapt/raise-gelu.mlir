// RUN: tw-opt %s --tw-adapt-raise-gelu --split-input-file | FileCheck %s

// x * (0.5 * (1 + erf(x / sqrt 2))), the order that one exporter writes.
// CHECK-LABEL: func.func @erf
// CHECK: %[[Y:.*]] = graph.gelu %arg0 : (tensor<4xf32>) -> tensor<4xf32>
// CHECK: return %[[Y]]
func.func @erf(%x: tensor<4xf32>) -> tensor<4xf32> {
  %root = arith.constant dense<1.41421354> : tensor<4xf32>
  %one = arith.constant dense<1.0> : tensor<4xf32>
  %half = arith.constant dense<0.5> : tensor<4xf32>
  %0 = arith.divf %x, %root : tensor<4xf32>
  %1 = math.erf %0 : tensor<4xf32>
  %2 = arith.addf %1, %one : tensor<4xf32>
  %3 = arith.mulf %half, %2 : tensor<4xf32>
  %4 = arith.mulf %x, %3 : tensor<4xf32>
  return %4 : tensor<4xf32>
}

// -----

// (x * (1 + erf(x * 0.7071))) * 0.5, x being a product itself: factors of x are not factors of the gate.
// CHECK-LABEL: func.func @product
// CHECK: %[[X:.*]] = arith.mulf %arg0, %arg1
// CHECK: graph.gelu %[[X]]
// CHECK-NOT: math.erf
func.func @product(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %root = arith.constant dense<0.707106769> : tensor<4xf32>
  %one = arith.constant dense<1.0> : tensor<4xf32>
  %half = arith.constant dense<0.5> : tensor<4xf32>
  %x = arith.mulf %a, %b : tensor<4xf32>
  %0 = arith.mulf %x, %root : tensor<4xf32>
  %1 = math.erf %0 : tensor<4xf32>
  %2 = arith.addf %one, %1 : tensor<4xf32>
  %3 = arith.mulf %x, %2 : tensor<4xf32>
  %4 = arith.mulf %3, %half : tensor<4xf32>
  return %4 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @tanh
// CHECK: graph.gelu %arg0 {tanh}
// CHECK-NOT: math.tanh
func.func @tanh(%x: tensor<4xf32>) -> tensor<4xf32> {
  %half = arith.constant dense<0.5> : tensor<4xf32>
  %one = arith.constant dense<1.0> : tensor<4xf32>
  %cubic = arith.constant dense<4.471500e-02> : tensor<4xf32>
  %root = arith.constant dense<0.797884583> : tensor<4xf32>
  %0 = arith.mulf %x, %half : tensor<4xf32>
  %1 = arith.mulf %x, %x : tensor<4xf32>
  %2 = arith.mulf %1, %x : tensor<4xf32>
  %3 = arith.mulf %2, %cubic : tensor<4xf32>
  %4 = arith.addf %x, %3 : tensor<4xf32>
  %5 = arith.mulf %4, %root : tensor<4xf32>
  %6 = math.tanh %5 : tensor<4xf32>
  %7 = arith.addf %6, %one : tensor<4xf32>
  %8 = arith.mulf %0, %7 : tensor<4xf32>
  return %8 : tensor<4xf32>
}

// -----

// Another slope is another function.
// CHECK-LABEL: func.func @other
// CHECK-NOT: graph.gelu
func.func @other(%x: tensor<4xf32>) -> tensor<4xf32> {
  %root = arith.constant dense<1.5> : tensor<4xf32>
  %one = arith.constant dense<1.0> : tensor<4xf32>
  %half = arith.constant dense<0.5> : tensor<4xf32>
  %0 = arith.divf %x, %root : tensor<4xf32>
  %1 = math.erf %0 : tensor<4xf32>
  %2 = arith.addf %1, %one : tensor<4xf32>
  %3 = arith.mulf %half, %2 : tensor<4xf32>
  %4 = arith.mulf %x, %3 : tensor<4xf32>
  return %4 : tensor<4xf32>
}
