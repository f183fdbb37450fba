// RUN: tw-opt %s --tw-check-execute --verify-diagnostics -o /dev/null
// Elementwise arithmetic and functions; expected values by NumPy in fp64.

func.func @test_negf() {
  %c1 = arith.constant dense<[-1.75, -0.5, 0.0, 0.25, 0.899999976, 2.5]> : tensor<6xf32>
  %r2 = arith.negf %c1 : tensor<6xf32>
  %c3 = arith.constant dense<[1.75, 0.5, -0.0, -0.25, -0.899999976, -2.5]> : tensor<6xf32>
  check.expect_close %r2, %c3 : tensor<6xf32>
  return
}

func.func @test_absf() {
  %c1 = arith.constant dense<[-1.75, -0.5, 0.0, 0.25, 0.899999976, 2.5]> : tensor<6xf32>
  %r2 = math.absf %c1 : tensor<6xf32>
  %c3 = arith.constant dense<[1.75, 0.5, 0.0, 0.25, 0.899999976, 2.5]> : tensor<6xf32>
  check.expect_close %r2, %c3 : tensor<6xf32>
  return
}

func.func @test_acos() {
  %c1 = arith.constant dense<[-1.0, -0.600000024, 0.0, 0.300000012, 0.699999988, 1.0]> : tensor<6xf32>
  %r2 = math.acos %c1 : tensor<6xf32>
  %c3 = arith.constant dense<[3.14159274, 2.21429753, 1.57079637, 1.26610363, 0.795398831, 0.0]> : tensor<6xf32>
  check.expect_close %r2, %c3 : tensor<6xf32>
  return
}

func.func @test_asin() {
  %c1 = arith.constant dense<[-1.0, -0.600000024, 0.0, 0.300000012, 0.699999988, 1.0]> : tensor<6xf32>
  %r2 = math.asin %c1 : tensor<6xf32>
  %c3 = arith.constant dense<[-1.57079637, -0.643501163, 0.0, 0.304692656, 0.77539748, 1.57079637]> : tensor<6xf32>
  check.expect_close %r2, %c3 : tensor<6xf32>
  return
}

func.func @test_atan() {
  %c1 = arith.constant dense<[-1.75, -0.5, 0.0, 0.25, 0.899999976, 2.5]> : tensor<6xf32>
  %r2 = math.atan %c1 : tensor<6xf32>
  %c3 = arith.constant dense<[-1.05165017, -0.463647604, 0.0, 0.244978666, 0.732815087, 1.19028997]> : tensor<6xf32>
  check.expect_close %r2, %c3 : tensor<6xf32>
  return
}

func.func @test_acosh() {
  %c1 = arith.constant dense<[1.0, 1.5, 2.0, 3.0, 7.0, 10.0]> : tensor<6xf32>
  %r2 = math.acosh %c1 : tensor<6xf32>
  %c3 = arith.constant dense<[0.0, 0.962423623, 1.31695795, 1.76274717, 2.6339159, 2.99322295]> : tensor<6xf32>
  check.expect_close %r2, %c3 : tensor<6xf32>
  return
}

func.func @test_asinh() {
  %c1 = arith.constant dense<[-1.75, -0.5, 0.0, 0.25, 0.899999976, 2.5]> : tensor<6xf32>
  %r2 = math.asinh %c1 : tensor<6xf32>
  %c3 = arith.constant dense<[-1.32589781, -0.481211811, 0.0, 0.24746646, 0.808866918, 1.6472311]> : tensor<6xf32>
  check.expect_close %r2, %c3 : tensor<6xf32>
  return
}

func.func @test_atanh() {
  %c1 = arith.constant dense<[-0.899999976, -0.5, 0.0, 0.100000001, 0.5, 0.899999976]> : tensor<6xf32>
  %r2 = math.atanh %c1 : tensor<6xf32>
  %c3 = arith.constant dense<[-1.47221935, -0.549306154, 0.0, 0.100335352, 0.549306154, 1.47221935]> : tensor<6xf32>
  check.expect_close %r2, %c3 : tensor<6xf32>
  return
}

func.func @test_cbrt() {
  %c1 = arith.constant dense<[-1.75, -0.5, 0.0, 0.25, 0.899999976, 2.5]> : tensor<6xf32>
  %r2 = math.cbrt %c1 : tensor<6xf32>
  %c3 = arith.constant dense<[-1.20507109, -0.793700516, 0.0, 0.629960537, 0.965489388, 1.35720885]> : tensor<6xf32>
  check.expect_close %r2, %c3 : tensor<6xf32>
  return
}

func.func @test_ceil() {
  %c1 = arith.constant dense<[-1.75, -0.5, 0.0, 0.25, 0.899999976, 2.5]> : tensor<6xf32>
  %r2 = math.ceil %c1 : tensor<6xf32>
  %c3 = arith.constant dense<[-1.0, -0.0, 0.0, 1.0, 1.0, 3.0]> : tensor<6xf32>
  check.expect_close %r2, %c3 : tensor<6xf32>
  return
}

func.func @test_cos() {
  %c1 = arith.constant dense<[-1.75, -0.5, 0.0, 0.25, 0.899999976, 2.5]> : tensor<6xf32>
  %r2 = math.cos %c1 : tensor<6xf32>
  %c3 = arith.constant dense<[-0.178246051, 0.87758255, 1.0, 0.968912423, 0.621609986, -0.801143587]> : tensor<6xf32>
  check.expect_close %r2, %c3 : tensor<6xf32>
  return
}

func.func @test_cosh() {
  %c1 = arith.constant dense<[-1.75, -0.5, 0.0, 0.25, 0.899999976, 2.5]> : tensor<6xf32>
  %r2 = math.cosh %c1 : tensor<6xf32>
  %c3 = arith.constant dense<[2.96418834, 1.12762594, 1.0, 1.03141308, 1.4330864, 6.13228941]> : tensor<6xf32>
  check.expect_close %r2, %c3 : tensor<6xf32>
  return
}

func.func @test_erf() {
  %c1 = arith.constant dense<[-1.75, -0.5, 0.0, 0.25, 0.899999976, 2.5]> : tensor<6xf32>
  %r2 = math.erf %c1 : tensor<6xf32>
  %c3 = arith.constant dense<[-0.986671686, -0.520499885, 0.0, 0.276326388, 0.7969082, 0.999593019]> : tensor<6xf32>
  check.expect_close %r2, %c3 : tensor<6xf32>
  return
}

func.func @test_erfc() {
  %c1 = arith.constant dense<[-1.75, -0.5, 0.0, 0.25, 0.899999976, 2.5]> : tensor<6xf32>
  %r2 = math.erfc %c1 : tensor<6xf32>
  %c3 = arith.constant dense<[1.98667169, 1.52049983, 1.0, 0.723673582, 0.2030918, 0.000406952022]> : tensor<6xf32>
  check.expect_close %r2, %c3 : tensor<6xf32>
  return
}

func.func @test_exp() {
  %c1 = arith.constant dense<[-1.75, -0.5, 0.0, 0.25, 0.899999976, 2.5]> : tensor<6xf32>
  %r2 = math.exp %c1 : tensor<6xf32>
  %c3 = arith.constant dense<[0.173773944, 0.606530666, 1.0, 1.28402543, 2.45960307, 12.1824942]> : tensor<6xf32>
  check.expect_close %r2, %c3 : tensor<6xf32>
  return
}

func.func @test_exp2() {
  %c1 = arith.constant dense<[-1.75, -0.5, 0.0, 0.25, 0.899999976, 2.5]> : tensor<6xf32>
  %r2 = math.exp2 %c1 : tensor<6xf32>
  %c3 = arith.constant dense<[0.297301769, 0.707106769, 1.0, 1.18920708, 1.86606598, 5.65685415]> : tensor<6xf32>
  check.expect_close %r2, %c3 : tensor<6xf32>
  return
}

func.func @test_expm1() {
  %c1 = arith.constant dense<[-1.75, -0.5, 0.0, 0.25, 0.899999976, 2.5]> : tensor<6xf32>
  %r2 = math.expm1 %c1 : tensor<6xf32>
  %c3 = arith.constant dense<[-0.826226056, -0.393469334, 0.0, 0.284025431, 1.45960307, 11.1824942]> : tensor<6xf32>
  check.expect_close %r2, %c3 : tensor<6xf32>
  return
}

func.func @test_floor() {
  %c1 = arith.constant dense<[-1.75, -0.5, 0.0, 0.25, 0.899999976, 2.5]> : tensor<6xf32>
  %r2 = math.floor %c1 : tensor<6xf32>
  %c3 = arith.constant dense<[-2.0, -1.0, 0.0, 0.0, 0.0, 2.0]> : tensor<6xf32>
  check.expect_close %r2, %c3 : tensor<6xf32>
  return
}

func.func @test_log() {
  %c1 = arith.constant dense<[0.100000001, 0.5, 1.0, 2.0, 3.5, 10.0]> : tensor<6xf32>
  %r2 = math.log %c1 : tensor<6xf32>
  %c3 = arith.constant dense<[-2.30258512, -0.693147182, 0.0, 0.693147182, 1.25276291, 2.30258512]> : tensor<6xf32>
  check.expect_close %r2, %c3 : tensor<6xf32>
  return
}

func.func @test_log10() {
  %c1 = arith.constant dense<[0.100000001, 0.5, 1.0, 2.0, 3.5, 10.0]> : tensor<6xf32>
  %r2 = math.log10 %c1 : tensor<6xf32>
  %c3 = arith.constant dense<[-1.0, -0.30103001, 0.0, 0.30103001, 0.544068038, 1.0]> : tensor<6xf32>
  check.expect_close %r2, %c3 : tensor<6xf32>
  return
}

func.func @test_log1p() {
  %c1 = arith.constant dense<[0.100000001, 0.5, 1.0, 2.0, 3.5, 10.0]> : tensor<6xf32>
  %r2 = math.log1p %c1 : tensor<6xf32>
  %c3 = arith.constant dense<[0.0953101814, 0.405465096, 0.693147182, 1.09861231, 1.50407743, 2.39789534]> : tensor<6xf32>
  check.expect_close %r2, %c3 : tensor<6xf32>
  return
}

func.func @test_log2() {
  %c1 = arith.constant dense<[0.100000001, 0.5, 1.0, 2.0, 3.5, 10.0]> : tensor<6xf32>
  %r2 = math.log2 %c1 : tensor<6xf32>
  %c3 = arith.constant dense<[-3.32192802, -1.0, 0.0, 1.0, 1.80735493, 3.32192802]> : tensor<6xf32>
  check.expect_close %r2, %c3 : tensor<6xf32>
  return
}

func.func @test_round() {
  %c1 = arith.constant dense<[-2.5, -1.5, -0.5, 0.5, 1.5, 2.4000001]> : tensor<6xf32>
  %r2 = math.round %c1 : tensor<6xf32>
  %c3 = arith.constant dense<[-3.0, -2.0, -1.0, 1.0, 2.0, 2.0]> : tensor<6xf32>
  check.expect_close %r2, %c3 : tensor<6xf32>
  return
}

func.func @test_roundeven() {
  %c1 = arith.constant dense<[-2.5, -1.5, -0.5, 0.5, 1.5, 2.4000001]> : tensor<6xf32>
  %r2 = math.roundeven %c1 : tensor<6xf32>
  %c3 = arith.constant dense<[-2.0, -2.0, -0.0, 0.0, 2.0, 2.0]> : tensor<6xf32>
  check.expect_close %r2, %c3 : tensor<6xf32>
  return
}

func.func @test_rsqrt() {
  %c1 = arith.constant dense<[0.100000001, 0.5, 1.0, 2.0, 3.5, 10.0]> : tensor<6xf32>
  %r2 = math.rsqrt %c1 : tensor<6xf32>
  %c3 = arith.constant dense<[3.1622777, 1.41421354, 1.0, 0.707106769, 0.534522474, 0.316227764]> : tensor<6xf32>
  check.expect_close %r2, %c3 : tensor<6xf32>
  return
}

func.func @test_sin() {
  %c1 = arith.constant dense<[-1.75, -0.5, 0.0, 0.25, 0.899999976, 2.5]> : tensor<6xf32>
  %r2 = math.sin %c1 : tensor<6xf32>
  %c3 = arith.constant dense<[-0.98398596, -0.47942555, 0.0, 0.247403964, 0.783326924, 0.598472118]> : tensor<6xf32>
  check.expect_close %r2, %c3 : tensor<6xf32>
  return
}

func.func @test_sinh() {
  %c1 = arith.constant dense<[-1.75, -0.5, 0.0, 0.25, 0.899999976, 2.5]> : tensor<6xf32>
  %r2 = math.sinh %c1 : tensor<6xf32>
  %c3 = arith.constant dense<[-2.79041433, -0.521095276, 0.0, 0.252612323, 1.02651668, 6.05020428]> : tensor<6xf32>
  check.expect_close %r2, %c3 : tensor<6xf32>
  return
}

func.func @test_sqrt() {
  %c1 = arith.constant dense<[0.100000001, 0.5, 1.0, 2.0, 3.5, 10.0]> : tensor<6xf32>
  %r2 = math.sqrt %c1 : tensor<6xf32>
  %c3 = arith.constant dense<[0.316227764, 0.707106769, 1.0, 1.41421354, 1.87082875, 3.1622777]> : tensor<6xf32>
  check.expect_close %r2, %c3 : tensor<6xf32>
  return
}

func.func @test_tan() {
  %c1 = arith.constant dense<[-1.75, -0.5, 0.0, 0.25, 0.899999976, 2.5]> : tensor<6xf32>
  %r2 = math.tan %c1 : tensor<6xf32>
  %c3 = arith.constant dense<[5.52038002, -0.546302497, 0.0, 0.255341917, 1.26015818, -0.747022271]> : tensor<6xf32>
  check.expect_close %r2, %c3 : tensor<6xf32>
  return
}

func.func @test_tanh() {
  %c1 = arith.constant dense<[-1.75, -0.5, 0.0, 0.25, 0.899999976, 2.5]> : tensor<6xf32>
  %r2 = math.tanh %c1 : tensor<6xf32>
  %c3 = arith.constant dense<[-0.941375554, -0.462117165, 0.0, 0.244918659, 0.716297865, 0.986614287]> : tensor<6xf32>
  check.expect_close %r2, %c3 : tensor<6xf32>
  return
}

func.func @test_trunc() {
  %c1 = arith.constant dense<[-1.75, -0.5, 0.0, 0.25, 0.899999976, 2.5]> : tensor<6xf32>
  %r2 = math.trunc %c1 : tensor<6xf32>
  %c3 = arith.constant dense<[-1.0, -0.0, 0.0, 0.0, 0.0, 2.0]> : tensor<6xf32>
  check.expect_close %r2, %c3 : tensor<6xf32>
  return
}

func.func @test_addf() {
  %c1 = arith.constant dense<[-1.75, -0.5, 0.0, 0.25, 0.899999976, 2.5]> : tensor<6xf32>
  %c2 = arith.constant dense<[0.5, -2.0, 3.0, 0.75, -0.899999976, 1.5]> : tensor<6xf32>
  %r3 = arith.addf %c1, %c2 : tensor<6xf32>
  %c4 = arith.constant dense<[-1.25, -2.5, 3.0, 1.0, 0.0, 4.0]> : tensor<6xf32>
  check.expect_close %r3, %c4 : tensor<6xf32>
  return
}

func.func @test_subf() {
  %c1 = arith.constant dense<[-1.75, -0.5, 0.0, 0.25, 0.899999976, 2.5]> : tensor<6xf32>
  %c2 = arith.constant dense<[0.5, -2.0, 3.0, 0.75, -0.899999976, 1.5]> : tensor<6xf32>
  %r3 = arith.subf %c1, %c2 : tensor<6xf32>
  %c4 = arith.constant dense<[-2.25, 1.5, -3.0, -0.5, 1.79999995, 1.0]> : tensor<6xf32>
  check.expect_close %r3, %c4 : tensor<6xf32>
  return
}

func.func @test_mulf() {
  %c1 = arith.constant dense<[-1.75, -0.5, 0.0, 0.25, 0.899999976, 2.5]> : tensor<6xf32>
  %c2 = arith.constant dense<[0.5, -2.0, 3.0, 0.75, -0.899999976, 1.5]> : tensor<6xf32>
  %r3 = arith.mulf %c1, %c2 : tensor<6xf32>
  %c4 = arith.constant dense<[-0.875, 1.0, 0.0, 0.1875, -0.809999943, 3.75]> : tensor<6xf32>
  check.expect_close %r3, %c4 : tensor<6xf32>
  return
}

func.func @test_divf() {
  %c1 = arith.constant dense<[-1.75, -0.5, 0.0, 0.25, 0.899999976, 2.5]> : tensor<6xf32>
  %c2 = arith.constant dense<[0.5, -2.0, 3.0, 0.75, -0.899999976, 1.5]> : tensor<6xf32>
  %r3 = arith.divf %c1, %c2 : tensor<6xf32>
  %c4 = arith.constant dense<[-3.5, 0.25, 0.0, 0.333333343, -1.0, 1.66666663]> : tensor<6xf32>
  check.expect_close %r3, %c4 : tensor<6xf32>
  return
}

func.func @test_remf() {
  %c1 = arith.constant dense<[-1.75, -0.5, 0.0, 0.25, 0.899999976, 2.5]> : tensor<6xf32>
  %c2 = arith.constant dense<[0.5, -2.0, 3.0, 0.75, -0.899999976, 1.5]> : tensor<6xf32>
  %r3 = arith.remf %c1, %c2 : tensor<6xf32>
  %c4 = arith.constant dense<[-0.25, -0.5, 0.0, 0.25, 0.0, 1.0]> : tensor<6xf32>
  check.expect_close %r3, %c4 : tensor<6xf32>
  return
}

func.func @test_maximumf() {
  %c1 = arith.constant dense<[-1.75, -0.5, 0.0, 0.25, 0.899999976, 2.5]> : tensor<6xf32>
  %c2 = arith.constant dense<[0.5, -2.0, 3.0, 0.75, -0.899999976, 1.5]> : tensor<6xf32>
  %r3 = arith.maximumf %c1, %c2 : tensor<6xf32>
  %c4 = arith.constant dense<[0.5, -0.5, 3.0, 0.75, 0.899999976, 2.5]> : tensor<6xf32>
  check.expect_close %r3, %c4 : tensor<6xf32>
  return
}

func.func @test_minimumf() {
  %c1 = arith.constant dense<[-1.75, -0.5, 0.0, 0.25, 0.899999976, 2.5]> : tensor<6xf32>
  %c2 = arith.constant dense<[0.5, -2.0, 3.0, 0.75, -0.899999976, 1.5]> : tensor<6xf32>
  %r3 = arith.minimumf %c1, %c2 : tensor<6xf32>
  %c4 = arith.constant dense<[-1.75, -2.0, 0.0, 0.25, -0.899999976, 1.5]> : tensor<6xf32>
  check.expect_close %r3, %c4 : tensor<6xf32>
  return
}

func.func @test_maxnumf() {
  %c1 = arith.constant dense<[-1.75, -0.5, 0.0, 0.25, 0.899999976, 2.5]> : tensor<6xf32>
  %c2 = arith.constant dense<[0.5, -2.0, 3.0, 0.75, -0.899999976, 1.5]> : tensor<6xf32>
  %r3 = arith.maxnumf %c1, %c2 : tensor<6xf32>
  %c4 = arith.constant dense<[0.5, -0.5, 3.0, 0.75, 0.899999976, 2.5]> : tensor<6xf32>
  check.expect_close %r3, %c4 : tensor<6xf32>
  return
}

func.func @test_minnumf() {
  %c1 = arith.constant dense<[-1.75, -0.5, 0.0, 0.25, 0.899999976, 2.5]> : tensor<6xf32>
  %c2 = arith.constant dense<[0.5, -2.0, 3.0, 0.75, -0.899999976, 1.5]> : tensor<6xf32>
  %r3 = arith.minnumf %c1, %c2 : tensor<6xf32>
  %c4 = arith.constant dense<[-1.75, -2.0, 0.0, 0.25, -0.899999976, 1.5]> : tensor<6xf32>
  check.expect_close %r3, %c4 : tensor<6xf32>
  return
}

func.func @test_atan2() {
  %c1 = arith.constant dense<[-1.75, -0.5, 0.0, 0.25, 0.899999976, 2.5]> : tensor<6xf32>
  %c2 = arith.constant dense<[0.5, -2.0, 3.0, 0.75, -0.899999976, 1.5]> : tensor<6xf32>
  %r3 = math.atan2 %c1, %c2 : tensor<6xf32>
  %c4 = arith.constant dense<[-1.29249668, -2.89661407, 0.0, 0.321750551, 2.3561945, 1.03037679]> : tensor<6xf32>
  check.expect_close %r3, %c4 : tensor<6xf32>
  return
}

func.func @test_copysign() {
  %c1 = arith.constant dense<[-1.75, -0.5, 0.0, 0.25, 0.899999976, 2.5]> : tensor<6xf32>
  %c2 = arith.constant dense<[0.5, -2.0, 3.0, 0.75, -0.899999976, 1.5]> : tensor<6xf32>
  %r3 = math.copysign %c1, %c2 : tensor<6xf32>
  %c4 = arith.constant dense<[1.75, -0.5, 0.0, 0.25, -0.899999976, 2.5]> : tensor<6xf32>
  check.expect_close %r3, %c4 : tensor<6xf32>
  return
}

func.func @test_powf() {
  %c1 = arith.constant dense<[0.100000001, 0.5, 1.0, 2.0, 3.5, 10.0]> : tensor<6xf32>
  %c2 = arith.constant dense<[0.5, -2.0, 3.0, 0.75, -0.899999976, 1.5]> : tensor<6xf32>
  %r3 = math.powf %c1, %c2 : tensor<6xf32>
  %c4 = arith.constant dense<[0.316227764, 4.0, 1.0, 1.68179286, 0.323846161, 31.622776]> : tensor<6xf32>
  check.expect_close %r3, %c4 : tensor<6xf32>
  return
}

func.func @test_fma() {
  %c1 = arith.constant dense<[-1.75, -0.5, 0.0, 0.25, 0.899999976, 2.5]> : tensor<6xf32>
  %c2 = arith.constant dense<[0.5, -2.0, 3.0, 0.75, -0.899999976, 1.5]> : tensor<6xf32>
  %c3 = arith.constant dense<[0.100000001, 0.5, 1.0, 2.0, 3.5, 10.0]> : tensor<6xf32>
  %r4 = math.fma %c1, %c2, %c3 : tensor<6xf32>
  %c5 = arith.constant dense<[-0.774999976, 1.5, 1.0, 2.1875, 2.69000006, 13.75]> : tensor<6xf32>
  check.expect_close %r4, %c5 : tensor<6xf32>
  return
}

func.func @test_clampf() {
  %c1 = arith.constant dense<[-1.75, -0.5, 0.0, 0.25, 0.899999976, 2.5]> : tensor<6xf32>
  %c2 = arith.constant dense<[-1.0, -1.0, -1.0, -1.0, -1.0, -1.0]> : tensor<6xf32>
  %c3 = arith.constant dense<[1.0, 1.0, 1.0, 1.0, 1.0, 1.0]> : tensor<6xf32>
  %r4 = math.clampf %c1 to [%c2, %c3] : tensor<6xf32>
  %c5 = arith.constant dense<[-1.0, -0.5, 0.0, 0.25, 0.899999976, 1.0]> : tensor<6xf32>
  check.expect_close %r4, %c5 : tensor<6xf32>
  return
}

func.func @test_fpowi() {
  %c1 = arith.constant dense<[-1.75, -0.5, 0.0, 0.25, 0.899999976, 2.5]> : tensor<6xf32>
  %c2 = arith.constant dense<[2, -1, 3, 0, 5, 1]> : tensor<6xi32>
  %r3 = math.fpowi %c1, %c2 : tensor<6xf32>, tensor<6xi32>
  %c4 = arith.constant dense<[3.0625, -2.0, 0.0, 1.0, 0.590489924, 2.5]> : tensor<6xf32>
  check.expect_close %r3, %c4 : tensor<6xf32>
  return
}

func.func @test_sincos() {
  %c1 = arith.constant dense<[-1.75, -0.5, 0.0, 0.25, 0.899999976, 2.5]> : tensor<6xf32>
  %r2:2 = math.sincos %c1 : tensor<6xf32>
  %c3 = arith.constant dense<[-0.98398596, -0.47942555, 0.0, 0.247403964, 0.783326924, 0.598472118]> : tensor<6xf32>
  check.expect_close %r2#0, %c3 : tensor<6xf32>
  %c4 = arith.constant dense<[-0.178246051, 0.87758255, 1.0, 0.968912423, 0.621609986, -0.801143587]> : tensor<6xf32>
  check.expect_close %r2#1, %c4 : tensor<6xf32>
  return
}

func.func @test_isfinite() {
  %c1 = arith.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, 0.0, 1.0, -3.0]> : tensor<6xf32>
  %r2 = math.isfinite %c1 : tensor<6xf32>
  %c3 = arith.constant dense<[false, false, false, true, true, true]> : tensor<6xi1>
  check.expect_equal %r2, %c3 : tensor<6xi1>
  return
}

func.func @test_isinf() {
  %c1 = arith.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, 0.0, 1.0, -3.0]> : tensor<6xf32>
  %r2 = math.isinf %c1 : tensor<6xf32>
  %c3 = arith.constant dense<[false, true, true, false, false, false]> : tensor<6xi1>
  check.expect_equal %r2, %c3 : tensor<6xi1>
  return
}

func.func @test_isnan() {
  %c1 = arith.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, 0.0, 1.0, -3.0]> : tensor<6xf32>
  %r2 = math.isnan %c1 : tensor<6xf32>
  %c3 = arith.constant dense<[true, false, false, false, false, false]> : tensor<6xi1>
  check.expect_equal %r2, %c3 : tensor<6xi1>
  return
}

func.func @test_maximumf_of_nan() {
  %c1 = arith.constant dense<[0x7FC00000, 1.0, 0x7FC00000, 2.0]> : tensor<4xf32>
  %c2 = arith.constant dense<[1.0, 0x7FC00000, 0x7FC00000, 3.0]> : tensor<4xf32>
  %r3 = arith.maximumf %c1, %c2 : tensor<4xf32>
  %c4 = arith.constant dense<[0x7FC00000, 0x7FC00000, 0x7FC00000, 3.0]> : tensor<4xf32>
  check.expect_equal %r3, %c4 : tensor<4xf32>
  return
}

func.func @test_minimumf_of_nan() {
  %c1 = arith.constant dense<[0x7FC00000, 1.0, 0x7FC00000, 2.0]> : tensor<4xf32>
  %c2 = arith.constant dense<[1.0, 0x7FC00000, 0x7FC00000, 3.0]> : tensor<4xf32>
  %r3 = arith.minimumf %c1, %c2 : tensor<4xf32>
  %c4 = arith.constant dense<[0x7FC00000, 0x7FC00000, 0x7FC00000, 2.0]> : tensor<4xf32>
  check.expect_equal %r3, %c4 : tensor<4xf32>
  return
}

func.func @test_maxnumf_of_nan() {
  %c1 = arith.constant dense<[0x7FC00000, 1.0, 0x7FC00000, 2.0]> : tensor<4xf32>
  %c2 = arith.constant dense<[1.0, 0x7FC00000, 0x7FC00000, 3.0]> : tensor<4xf32>
  %r3 = arith.maxnumf %c1, %c2 : tensor<4xf32>
  %c4 = arith.constant dense<[1.0, 1.0, 0x7FC00000, 3.0]> : tensor<4xf32>
  check.expect_equal %r3, %c4 : tensor<4xf32>
  return
}

func.func @test_minnumf_of_nan() {
  %c1 = arith.constant dense<[0x7FC00000, 1.0, 0x7FC00000, 2.0]> : tensor<4xf32>
  %c2 = arith.constant dense<[1.0, 0x7FC00000, 0x7FC00000, 3.0]> : tensor<4xf32>
  %r3 = arith.minnumf %c1, %c2 : tensor<4xf32>
  %c4 = arith.constant dense<[1.0, 1.0, 0x7FC00000, 2.0]> : tensor<4xf32>
  check.expect_equal %r3, %c4 : tensor<4xf32>
  return
}

func.func @test_cmpf() {
  %c1 = arith.constant dense<[1.0, 2.0, 3.0, 0x7FC00000]> : tensor<4xf32>
  %c2 = arith.constant dense<[1.0, 3.0, 2.0, 1.0]> : tensor<4xf32>
  %r3 = arith.cmpf oeq, %c1, %c2 : tensor<4xf32>
  %c4 = arith.constant dense<[true, false, false, false]> : tensor<4xi1>
  check.expect_equal %r3, %c4 : tensor<4xi1>
  %r5 = arith.cmpf ogt, %c1, %c2 : tensor<4xf32>
  %c6 = arith.constant dense<[false, false, true, false]> : tensor<4xi1>
  check.expect_equal %r5, %c6 : tensor<4xi1>
  %r7 = arith.cmpf oge, %c1, %c2 : tensor<4xf32>
  %c8 = arith.constant dense<[true, false, true, false]> : tensor<4xi1>
  check.expect_equal %r7, %c8 : tensor<4xi1>
  %r9 = arith.cmpf olt, %c1, %c2 : tensor<4xf32>
  %c10 = arith.constant dense<[false, true, false, false]> : tensor<4xi1>
  check.expect_equal %r9, %c10 : tensor<4xi1>
  %r11 = arith.cmpf ole, %c1, %c2 : tensor<4xf32>
  %c12 = arith.constant dense<[true, true, false, false]> : tensor<4xi1>
  check.expect_equal %r11, %c12 : tensor<4xi1>
  %r13 = arith.cmpf one, %c1, %c2 : tensor<4xf32>
  %c14 = arith.constant dense<[false, true, true, false]> : tensor<4xi1>
  check.expect_equal %r13, %c14 : tensor<4xi1>
  %r15 = arith.cmpf ord, %c1, %c2 : tensor<4xf32>
  %c16 = arith.constant dense<[true, true, true, false]> : tensor<4xi1>
  check.expect_equal %r15, %c16 : tensor<4xi1>
  %r17 = arith.cmpf ueq, %c1, %c2 : tensor<4xf32>
  %c18 = arith.constant dense<[true, false, false, true]> : tensor<4xi1>
  check.expect_equal %r17, %c18 : tensor<4xi1>
  %r19 = arith.cmpf ugt, %c1, %c2 : tensor<4xf32>
  %c20 = arith.constant dense<[false, false, true, true]> : tensor<4xi1>
  check.expect_equal %r19, %c20 : tensor<4xi1>
  %r21 = arith.cmpf uge, %c1, %c2 : tensor<4xf32>
  %c22 = arith.constant dense<[true, false, true, true]> : tensor<4xi1>
  check.expect_equal %r21, %c22 : tensor<4xi1>
  %r23 = arith.cmpf ult, %c1, %c2 : tensor<4xf32>
  %c24 = arith.constant dense<[false, true, false, true]> : tensor<4xi1>
  check.expect_equal %r23, %c24 : tensor<4xi1>
  %r25 = arith.cmpf ule, %c1, %c2 : tensor<4xf32>
  %c26 = arith.constant dense<[true, true, false, true]> : tensor<4xi1>
  check.expect_equal %r25, %c26 : tensor<4xi1>
  %r27 = arith.cmpf une, %c1, %c2 : tensor<4xf32>
  %c28 = arith.constant dense<[false, true, true, true]> : tensor<4xi1>
  check.expect_equal %r27, %c28 : tensor<4xi1>
  %r29 = arith.cmpf uno, %c1, %c2 : tensor<4xf32>
  %c30 = arith.constant dense<[false, false, false, true]> : tensor<4xi1>
  check.expect_equal %r29, %c30 : tensor<4xi1>
  return
}

func.func @test_rounds_to_f32() {
  %c1 = arith.constant dense<[16777216.0]> : tensor<1xf32>
  %c2 = arith.constant dense<[1.0]> : tensor<1xf32>
  %r3 = arith.addf %c1, %c2 : tensor<1xf32>
  %c4 = arith.constant dense<[16777216.0]> : tensor<1xf32>
  check.expect_equal %r3, %c4 : tensor<1xf32>
  return
}

func.func @test_rounds_to_bf16() {
  %a = arith.constant dense<256.0> : tensor<1xbf16>
  %b = arith.constant dense<1.0> : tensor<1xbf16>
  %sum = arith.addf %a, %b : tensor<1xbf16>
  check.expect_equal %sum, %a : tensor<1xbf16>
  return
}

func.func @test_gelu() {
  %c1 = arith.constant dense<[-1.75, -0.5, 0.0, 0.25, 0.899999976, 2.5]> : tensor<6xf32>
  %r2 = graph.gelu %c1 : (tensor<6xf32>) -> tensor<6xf32>
  %c3 = arith.constant dense<[-0.0701035261, -0.154268771, 0.0, 0.149676576, 0.734345853, 2.48447585]> : tensor<6xf32>
  check.expect_close %r2, %c3 : tensor<6xf32>
  %r4 = graph.gelu %c1 {tanh} : (tensor<6xf32>) -> tensor<6xf32>
  %c5 = arith.constant dense<[-0.0702046156, -0.154285997, 0.0, 0.149675354, 0.734228492, 2.48491573]> : tensor<6xf32>
  check.expect_close %r4, %c5 : tensor<6xf32>
  return
}

func.func @test_sigmoid() {
  %c1 = arith.constant dense<[-1000.0, -2.0, 0.0, 3.0, 1000.0]> : tensor<5xf32>
  %r2 = graph.sigmoid %c1 : (tensor<5xf32>) -> tensor<5xf32>
  %c3 = arith.constant dense<[0.0, 0.119202919, 0.5, 0.952574134, 1.0]> : tensor<5xf32>
  check.expect_close %r2, %c3 : tensor<5xf32>
  return
}
