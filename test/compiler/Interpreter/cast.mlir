// RUN: tw-opt %s --tw-check-execute --verify-diagnostics -o /dev/null
// Constants, selection and conversion; expected values by NumPy, and by hand where arith leaves them undefined.

func.func @test_select() {
  %c1 = arith.constant dense<[true, false, true]> : tensor<3xi1>
  %c2 = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %c3 = arith.constant dense<[4.0, 5.0, 6.0]> : tensor<3xf32>
  %r4 = arith.select %c1, %c2, %c3 : tensor<3xi1>, tensor<3xf32>
  %c5 = arith.constant dense<[1.0, 5.0, 3.0]> : tensor<3xf32>
  check.expect_equal %r4, %c5 : tensor<3xf32>
  return
}

func.func @test_select_scalar_condition() {
  %c = arith.constant false
  %c1 = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %c2 = arith.constant dense<[4.0, 5.0, 6.0]> : tensor<3xf32>
  %r3 = arith.select %c, %c1, %c2 : tensor<3xf32>
  %c4 = arith.constant dense<[4.0, 5.0, 6.0]> : tensor<3xf32>
  check.expect_equal %r3, %c4 : tensor<3xf32>
  return
}

func.func @test_extf() {
  %c1 = arith.constant dense<[0.100000001, -2.5]> : tensor<2xf32>
  %r2 = arith.extf %c1 : tensor<2xf32> to tensor<2xf64>
  %c3 = arith.constant dense<[0.10000000149011612, -2.5]> : tensor<2xf64>
  check.expect_equal %r2, %c3 : tensor<2xf64>
  return
}

func.func @test_truncf() {
  %c1 = arith.constant dense<[0.1, 1.0e+300, 1.0000000596046448]> : tensor<3xf64>
  %r2 = arith.truncf %c1 : tensor<3xf64> to tensor<3xf32>
  %c3 = arith.constant dense<[0.100000001, 0x7F800000, 1.0]> : tensor<3xf32>
  check.expect_equal %r2, %c3 : tensor<3xf32>
  return
}

func.func @test_truncf_to_bf16() {
  %c1 = arith.constant dense<[1.00390625, 3.0, 1.01171875]> : tensor<3xf32>
  %r2 = arith.truncf %c1 : tensor<3xf32> to tensor<3xbf16>
  %c3 = arith.constant dense<[1.0, 3.0, 1.015625]> : tensor<3xbf16>
  check.expect_equal %r2, %c3 : tensor<3xbf16>
  return
}

func.func @test_truncf_to_f16() {
  %c1 = arith.constant dense<[2049.0, 2051.0, 0.5]> : tensor<3xf32>
  %r2 = arith.truncf %c1 : tensor<3xf32> to tensor<3xf16>
  %c3 = arith.constant dense<[2048.0, 2052.0, 0.5]> : tensor<3xf16>
  check.expect_equal %r2, %c3 : tensor<3xf16>
  return
}

func.func @test_extsi() {
  %c1 = arith.constant dense<[-5, 127]> : tensor<2xi8>
  %r2 = arith.extsi %c1 : tensor<2xi8> to tensor<2xi32>
  %c3 = arith.constant dense<[-5, 127]> : tensor<2xi32>
  check.expect_equal %r2, %c3 : tensor<2xi32>
  return
}

func.func @test_extui() {
  %c1 = arith.constant dense<[-5, 127]> : tensor<2xi8>
  %r2 = arith.extui %c1 : tensor<2xi8> to tensor<2xi32>
  %c3 = arith.constant dense<[251, 127]> : tensor<2xi32>
  check.expect_equal %r2, %c3 : tensor<2xi32>
  return
}

func.func @test_extsi_boolean() {
  %c1 = arith.constant dense<[true, false]> : tensor<2xi1>
  %r2 = arith.extsi %c1 : tensor<2xi1> to tensor<2xi32>
  %c3 = arith.constant dense<[-1, 0]> : tensor<2xi32>
  check.expect_equal %r2, %c3 : tensor<2xi32>
  return
}

func.func @test_extui_boolean() {
  %c1 = arith.constant dense<[true, false]> : tensor<2xi1>
  %r2 = arith.extui %c1 : tensor<2xi1> to tensor<2xi32>
  %c3 = arith.constant dense<[1, 0]> : tensor<2xi32>
  check.expect_equal %r2, %c3 : tensor<2xi32>
  return
}

func.func @test_trunci() {
  %c1 = arith.constant dense<[300, -129]> : tensor<2xi32>
  %r2 = arith.trunci %c1 : tensor<2xi32> to tensor<2xi8>
  %c3 = arith.constant dense<[44, 127]> : tensor<2xi8>
  check.expect_equal %r2, %c3 : tensor<2xi8>
  return
}

func.func @test_trunci_to_boolean() {
  %c1 = arith.constant dense<[2, 3]> : tensor<2xi32>
  %r2 = arith.trunci %c1 : tensor<2xi32> to tensor<2xi1>
  %c3 = arith.constant dense<[false, true]> : tensor<2xi1>
  check.expect_equal %r2, %c3 : tensor<2xi1>
  return
}

func.func @test_sitofp() {
  %c1 = arith.constant dense<[-3, 16777217]> : tensor<2xi32>
  %r2 = arith.sitofp %c1 : tensor<2xi32> to tensor<2xf32>
  %c3 = arith.constant dense<[-3.0, 16777216.0]> : tensor<2xf32>
  check.expect_equal %r2, %c3 : tensor<2xf32>
  return
}

func.func @test_uitofp() {
  %c1 = arith.constant dense<[-1, 3]> : tensor<2xi32>
  %r2 = arith.uitofp %c1 : tensor<2xi32> to tensor<2xf32>
  %c3 = arith.constant dense<[4.2949673e+09, 3.0]> : tensor<2xf32>
  check.expect_equal %r2, %c3 : tensor<2xf32>
  return
}

func.func @test_uitofp_boolean() {
  %c1 = arith.constant dense<[true, false]> : tensor<2xi1>
  %r2 = arith.uitofp %c1 : tensor<2xi1> to tensor<2xf32>
  %c3 = arith.constant dense<[1.0, 0.0]> : tensor<2xf32>
  check.expect_equal %r2, %c3 : tensor<2xf32>
  return
}

func.func @test_sitofp_boolean() {
  %c1 = arith.constant dense<[true, false]> : tensor<2xi1>
  %r2 = arith.sitofp %c1 : tensor<2xi1> to tensor<2xf32>
  %c3 = arith.constant dense<[-1.0, 0.0]> : tensor<2xf32>
  check.expect_equal %r2, %c3 : tensor<2xf32>
  return
}

func.func @test_fptosi() {
  %c1 = arith.constant dense<[2.9000001, -2.9000001, 3.0e+09, 0x7FC00000]> : tensor<4xf32>
  %r2 = arith.fptosi %c1 : tensor<4xf32> to tensor<4xi32>
  %c3 = arith.constant dense<[2, -2, 2147483647, 0]> : tensor<4xi32>
  check.expect_equal %r2, %c3 : tensor<4xi32>
  return
}

func.func @test_fptoui() {
  %c1 = arith.constant dense<[2.9000001, 3.0e+09, -1.0]> : tensor<3xf32>
  %r2 = arith.fptoui %c1 : tensor<3xf32> to tensor<3xi32>
  %c3 = arith.constant dense<[2, -1294967296, 0]> : tensor<3xi32>
  check.expect_equal %r2, %c3 : tensor<3xi32>
  return
}

func.func @test_bitcast() {
  %c1 = arith.constant dense<[1.0, -2.0]> : tensor<2xf32>
  %r2 = arith.bitcast %c1 : tensor<2xf32> to tensor<2xi32>
  %c3 = arith.constant dense<[1065353216, -1073741824]> : tensor<2xi32>
  check.expect_equal %r2, %c3 : tensor<2xi32>
  return
}

func.func @test_index_cast() {
  %c1 = arith.constant dense<[-3, 7]> : tensor<2xi32>
  %r2 = arith.index_cast %c1 : tensor<2xi32> to tensor<2xindex>
  %r3 = arith.index_cast %r2 : tensor<2xindex> to tensor<2xi64>
  %c4 = arith.constant dense<[-3, 7]> : tensor<2xi64>
  check.expect_equal %r3, %c4 : tensor<2xi64>
  %r5 = arith.index_castui %c1 : tensor<2xi32> to tensor<2xindex>
  %c6 = arith.constant dense<[4294967293, 7]> : tensor<2xindex>
  check.expect_equal %r5, %c6 : tensor<2xindex>
  return
}

func.func @test_splat_and_scalars() {
  %s = arith.constant dense<2.5> : tensor<2x2xf32>
  %f = arith.constant 2.5 : f32
  %t = tensor.splat %f : tensor<2x2xf32>
  check.expect_equal %s, %t : tensor<2x2xf32>
  %i = arith.constant 1 : index
  %j = arith.constant 0 : index
  %e = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %x = tensor.extract %e[%i, %j] : tensor<2x2xf32>
  %y = tensor.from_elements %x, %f : tensor<2xf32>
  %c1 = arith.constant dense<[3.0, 2.5]> : tensor<2xf32>
  check.expect_equal %y, %c1 : tensor<2xf32>
  return
}

func.func @test_resource() {
  %r = arith.constant dense_resource<numbers> : tensor<3xf32>
  %c1 = arith.constant dense<[1.0, -2.0, 0.5]> : tensor<3xf32>
  check.expect_equal %r, %c1 : tensor<3xf32>
  return
}

{-#
  dialect_resources: {
    builtin: {
      numbers: "0x040000000000803F000000C00000003F"
    }
  }
#-}
