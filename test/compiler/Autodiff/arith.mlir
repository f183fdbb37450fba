// Gradient rules of arith: structure, and numbers against central differences.
// RUN: tw-opt %s --tw-differentiate-define-gradients | FileCheck %s
// RUN: tw-opt %s --tw-differentiate-define-gradients --tw-check-execute -o /dev/null

// CHECK-LABEL: func.func private @addf_gradient
// CHECK: return %[[DY:[a-z0-9_]*]], %[[DY]] :
func.func @addf(%a: tensor<6xf64>, %b: tensor<6xf64>) -> tensor<f64> {
  %y = arith.addf %a, %b : tensor<6xf64>
  %square = arith.mulf %y, %y : tensor<6xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<6xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @addf_gradient(tensor<6xf64>, tensor<6xf64>) -> (tensor<6xf64>, tensor<6xf64>)
func.func @test_addf() {
  %a = arith.constant dense<[0.857, 1.316, 1.055, 1.406, 1.439, 0.598]> : tensor<6xf64>
  %b = arith.constant dense<[0.520, 1.756, 0.889, 0.851, 1.993, 1.205]> : tensor<6xf64>
  check.expect_finite_differences(%a, %b) {function = @addf, gradient = @addf_gradient}
    : tensor<6xf64>, tensor<6xf64>
  return
}

// CHECK-LABEL: func.func private @subf_gradient
// CHECK: %[[NEG:.*]] = arith.negf
// CHECK: return %{{.*}}, %[[NEG]]
func.func @subf(%a: tensor<6xf64>, %b: tensor<6xf64>) -> tensor<f64> {
  %y = arith.subf %a, %b : tensor<6xf64>
  %square = arith.mulf %y, %y : tensor<6xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<6xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @subf_gradient(tensor<6xf64>, tensor<6xf64>) -> (tensor<6xf64>, tensor<6xf64>)
func.func @test_subf() {
  %a = arith.constant dense<[1.755, 1.215, 1.459, 0.726, 1.452, 1.802]> : tensor<6xf64>
  %b = arith.constant dense<[1.285, 1.612, 1.507, 0.596, 1.637, 1.387]> : tensor<6xf64>
  check.expect_finite_differences(%a, %b) {function = @subf, gradient = @subf_gradient}
    : tensor<6xf64>, tensor<6xf64>
  return
}

// CHECK-LABEL: func.func private @mulf_gradient
func.func @mulf(%a: tensor<6xf64>, %b: tensor<6xf64>) -> tensor<f64> {
  %y = arith.mulf %a, %b : tensor<6xf64>
  %square = arith.mulf %y, %y : tensor<6xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<6xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @mulf_gradient(tensor<6xf64>, tensor<6xf64>) -> (tensor<6xf64>, tensor<6xf64>)
func.func @test_mulf() {
  %a = arith.constant dense<[0.952, 0.547, 1.798, 1.209, 1.578, 1.818]> : tensor<6xf64>
  %b = arith.constant dense<[1.571, 1.882, 1.092, 1.701, 1.167, 1.903]> : tensor<6xf64>
  check.expect_finite_differences(%a, %b) {function = @mulf, gradient = @mulf_gradient}
    : tensor<6xf64>, tensor<6xf64>
  return
}

// CHECK-LABEL: func.func private @divf_gradient
// CHECK: %[[Y:.*]] = arith.divf %[[A:.*]], %[[B:.*]] :
// CHECK: %[[DA:.*]] = arith.divf %{{.*}}, %[[B]]
// CHECK: arith.mulf %[[DA]], %[[Y]]
func.func @divf(%a: tensor<6xf64>, %b: tensor<6xf64>) -> tensor<f64> {
  %y = arith.divf %a, %b : tensor<6xf64>
  %square = arith.mulf %y, %y : tensor<6xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<6xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @divf_gradient(tensor<6xf64>, tensor<6xf64>) -> (tensor<6xf64>, tensor<6xf64>)
func.func @test_divf() {
  %a = arith.constant dense<[1.818, 0.646, 0.704, 0.825, 1.948, 1.154]> : tensor<6xf64>
  %b = arith.constant dense<[1.440, 0.952, 1.261, 1.079, 1.026, 1.378]> : tensor<6xf64>
  check.expect_finite_differences(%a, %b) {function = @divf, gradient = @divf_gradient}
    : tensor<6xf64>, tensor<6xf64>
  return
}

// CHECK-LABEL: func.func private @negf_gradient
func.func @negf(%a: tensor<6xf64>) -> tensor<f64> {
  %y = arith.negf %a : tensor<6xf64>
  %square = arith.mulf %y, %y : tensor<6xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<6xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @negf_gradient(tensor<6xf64>) -> tensor<6xf64>
func.func @test_negf() {
  %a = arith.constant dense<[0.337, 1.617, 0.728, 1.716, 1.426, 1.964]> : tensor<6xf64>
  check.expect_finite_differences(%a) {function = @negf, gradient = @negf_gradient}
    : tensor<6xf64>
  return
}

// CHECK-LABEL: func.func private @remf_gradient
func.func @remf(%a: tensor<6xf64>, %b: tensor<6xf64>) -> tensor<f64> {
  %y = arith.remf %a, %b : tensor<6xf64>
  %square = arith.mulf %y, %y : tensor<6xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<6xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @remf_gradient(tensor<6xf64>, tensor<6xf64>) -> (tensor<6xf64>, tensor<6xf64>)
func.func @test_remf() {
  %a = arith.constant dense<[3.637, 3.230, 3.789, 3.872, 3.824, 3.555]> : tensor<6xf64>
  %b = arith.constant dense<[1.386, 1.184, 1.433, 1.329, 1.214, 1.125]> : tensor<6xf64>
  check.expect_finite_differences(%a, %b) {function = @remf, gradient = @remf_gradient}
    : tensor<6xf64>, tensor<6xf64>
  return
}

// CHECK-LABEL: func.func private @maximumf_gradient
func.func @maximumf(%a: tensor<6xf64>, %b: tensor<6xf64>) -> tensor<f64> {
  %y = arith.maximumf %a, %b : tensor<6xf64>
  %square = arith.mulf %y, %y : tensor<6xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<6xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @maximumf_gradient(tensor<6xf64>, tensor<6xf64>) -> (tensor<6xf64>, tensor<6xf64>)
func.func @test_maximumf() {
  %a = arith.constant dense<[1.416, 1.959, -1.646, 1.202, -0.358, -1.397]> : tensor<6xf64>
  %b = arith.constant dense<[-0.824, 1.075, 1.491, -1.823, 0.458, -1.820]> : tensor<6xf64>
  check.expect_finite_differences(%a, %b) {function = @maximumf, gradient = @maximumf_gradient}
    : tensor<6xf64>, tensor<6xf64>
  return
}

// CHECK-LABEL: func.func private @minimumf_gradient
func.func @minimumf(%a: tensor<6xf64>, %b: tensor<6xf64>) -> tensor<f64> {
  %y = arith.minimumf %a, %b : tensor<6xf64>
  %square = arith.mulf %y, %y : tensor<6xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<6xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @minimumf_gradient(tensor<6xf64>, tensor<6xf64>) -> (tensor<6xf64>, tensor<6xf64>)
func.func @test_minimumf() {
  %a = arith.constant dense<[0.874, -0.676, 1.524, 1.923, 0.022, 1.994]> : tensor<6xf64>
  %b = arith.constant dense<[-0.761, -1.692, 0.399, -1.874, -1.210, -0.368]> : tensor<6xf64>
  check.expect_finite_differences(%a, %b) {function = @minimumf, gradient = @minimumf_gradient}
    : tensor<6xf64>, tensor<6xf64>
  return
}

// CHECK-LABEL: func.func private @maxnumf_gradient
func.func @maxnumf(%a: tensor<6xf64>, %b: tensor<6xf64>) -> tensor<f64> {
  %y = arith.maxnumf %a, %b : tensor<6xf64>
  %square = arith.mulf %y, %y : tensor<6xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<6xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @maxnumf_gradient(tensor<6xf64>, tensor<6xf64>) -> (tensor<6xf64>, tensor<6xf64>)
func.func @test_maxnumf() {
  %a = arith.constant dense<[0.442, -1.375, -1.830, 1.471, -0.745, 1.835]> : tensor<6xf64>
  %b = arith.constant dense<[1.587, -0.489, -0.158, 0.080, 0.576, 0.383]> : tensor<6xf64>
  check.expect_finite_differences(%a, %b) {function = @maxnumf, gradient = @maxnumf_gradient}
    : tensor<6xf64>, tensor<6xf64>
  return
}

// CHECK-LABEL: func.func private @minnumf_gradient
func.func @minnumf(%a: tensor<6xf64>, %b: tensor<6xf64>) -> tensor<f64> {
  %y = arith.minnumf %a, %b : tensor<6xf64>
  %square = arith.mulf %y, %y : tensor<6xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<6xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @minnumf_gradient(tensor<6xf64>, tensor<6xf64>) -> (tensor<6xf64>, tensor<6xf64>)
func.func @test_minnumf() {
  %a = arith.constant dense<[0.237, 0.481, 1.762, 0.028, -0.275, 0.881]> : tensor<6xf64>
  %b = arith.constant dense<[-1.049, -0.796, 1.911, 0.085, 0.194, -1.954]> : tensor<6xf64>
  check.expect_finite_differences(%a, %b) {function = @minnumf, gradient = @minnumf_gradient}
    : tensor<6xf64>, tensor<6xf64>
  return
}

// relu: at a tie with a constant nothing flows, and only the result is kept.
// CHECK-LABEL: func.func private @relu_gradient
// CHECK: %[[Y:.*]] = arith.maximumf
// CHECK: %[[WINS:.*]] = arith.cmpf ogt, %[[Y]]
// CHECK: arith.select %[[WINS]]
func.func @relu(%a: tensor<6xf64>) -> tensor<f64> {
  %zero = arith.constant dense<0.0> : tensor<6xf64>
  %y = arith.maximumf %a, %zero : tensor<6xf64>
  %square = arith.mulf %y, %y : tensor<6xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<6xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @relu_gradient(tensor<6xf64>) -> tensor<6xf64>
func.func @test_relu() {
  %a = arith.constant dense<[-0.339, 0.320, -1.920, 0.463, 0.529, -1.760]> : tensor<6xf64>
  check.expect_finite_differences(%a) {function = @relu, gradient = @relu_gradient}
    : tensor<6xf64>
  return
}

// CHECK-LABEL: func.func private @select_gradient
func.func @select(%c: tensor<4xi1>, %a: tensor<4xf64>, %b: tensor<4xf64>) -> tensor<f64> {
  %y = arith.select %c, %a, %b : tensor<4xi1>, tensor<4xf64>
  %square = arith.mulf %y, %y : tensor<4xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<4xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @select_gradient(tensor<4xi1>, tensor<4xf64>, tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>)
func.func @test_select() {
  %c = arith.constant dense<[true, false, true, false]> : tensor<4xi1>
  %a = arith.constant dense<[0.509, -0.135, 0.717, -0.590]> : tensor<4xf64>
  %b = arith.constant dense<[0.828, 0.952, -1.911, -1.758]> : tensor<4xf64>
  check.expect_finite_differences(%c, %a, %b) {function = @select, gradient = @select_gradient}
    : tensor<4xi1>, tensor<4xf64>, tensor<4xf64>
  return
}

// CHECK-LABEL: func.func private @casts_gradient
// CHECK: %[[D:.*]] = arith.truncf %{{.*}} : tensor<4xf64> to tensor<4xf32>
// CHECK: return %[[D]]
func.func @casts(%a: tensor<4xf32>) -> tensor<f64> {
  %w = arith.extf %a : tensor<4xf32> to tensor<4xf64>
  %y = math.sin %w : tensor<4xf64>
  %square = arith.mulf %y, %y : tensor<4xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<4xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @casts_gradient(tensor<4xf32>) -> tensor<4xf32>
func.func @test_casts() {
  %a = arith.constant dense<[0.704, 1.853, -0.996, -0.175]> : tensor<4xf32>
  check.expect_finite_differences(%a) {function = @casts, gradient = @casts_gradient}
    : tensor<4xf32>
  return
}

// CHECK-LABEL: func.func private @narrowing_gradient
func.func @narrowing(%a: tensor<4xf64>) -> tensor<f64> {
  %n = arith.truncf %a : tensor<4xf64> to tensor<4xf32>
  %y = arith.extf %n : tensor<4xf32> to tensor<4xf64>
  %square = arith.mulf %y, %y : tensor<4xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<4xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @narrowing_gradient(tensor<4xf64>) -> tensor<4xf64>
func.func @test_narrowing() {
  %a = arith.constant dense<[0.371, -0.720, -0.544, -0.749]> : tensor<4xf64>
  check.expect_finite_differences(%a) {function = @narrowing, gradient = @narrowing_gradient}
    : tensor<4xf64>
  return
}

// A value that is used twice gets the sum of both cotangents.
// CHECK-LABEL: func.func private @twice_gradient
func.func @twice(%a: tensor<4xf64>) -> tensor<f64> {
  %s = math.sin %a : tensor<4xf64>
  %y = arith.addf %s, %a : tensor<4xf64>
  %square = arith.mulf %y, %y : tensor<4xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<4xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @twice_gradient(tensor<4xf64>) -> tensor<4xf64>
func.func @test_twice() {
  %a = arith.constant dense<[-0.523, 0.382, -0.798, -0.491]> : tensor<4xf64>
  check.expect_finite_differences(%a) {function = @twice, gradient = @twice_gradient}
    : tensor<4xf64>
  return
}

// Integers carry no gradient: what depends on an argument through them only is constant.
// CHECK-LABEL: func.func private @integers_gradient
// CHECK: arith.fptosi
// CHECK-NOT: arith.fptosi
func.func @integers(%a: tensor<4xf64>) -> tensor<f64> {
  %i = arith.fptosi %a : tensor<4xf64> to tensor<4xi64>
  %r = arith.sitofp %i : tensor<4xi64> to tensor<4xf64>
  %y = arith.mulf %r, %a : tensor<4xf64>
  %square = arith.mulf %y, %y : tensor<4xf64>
  %sum = graph.reduce %square {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<4xf64>) -> tensor<f64>
  return %sum : tensor<f64>
}
func.func private @integers_gradient(tensor<4xf64>) -> tensor<4xf64>
func.func @test_integers() {
  %a = arith.constant dense<[3.903, 1.294, 3.192, 3.773]> : tensor<4xf64>
  check.expect_finite_differences(%a) {function = @integers, gradient = @integers_gradient}
    : tensor<4xf64>
  return
}
