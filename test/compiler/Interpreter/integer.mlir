// RUN: tw-opt %s --tw-check-execute --verify-diagnostics -o /dev/null
// Integer arithmetic; expected values by NumPy.

func.func @test_addi() {
  %c1 = arith.constant dense<[7, -7, 100, -2147483648, 5]> : tensor<5xi32>
  %c2 = arith.constant dense<[2, 2, -7, 3, 5]> : tensor<5xi32>
  %r3 = arith.addi %c1, %c2 : tensor<5xi32>
  %c4 = arith.constant dense<[9, -5, 93, -2147483645, 10]> : tensor<5xi32>
  check.expect_equal %r3, %c4 : tensor<5xi32>
  return
}

func.func @test_subi() {
  %c1 = arith.constant dense<[7, -7, 100, -2147483648, 5]> : tensor<5xi32>
  %c2 = arith.constant dense<[2, 2, -7, 3, 5]> : tensor<5xi32>
  %r3 = arith.subi %c1, %c2 : tensor<5xi32>
  %c4 = arith.constant dense<[5, -9, 107, 2147483645, 0]> : tensor<5xi32>
  check.expect_equal %r3, %c4 : tensor<5xi32>
  return
}

func.func @test_muli() {
  %c1 = arith.constant dense<[7, -7, 100, -2147483648, 5]> : tensor<5xi32>
  %c2 = arith.constant dense<[2, 2, -7, 3, 5]> : tensor<5xi32>
  %r3 = arith.muli %c1, %c2 : tensor<5xi32>
  %c4 = arith.constant dense<[14, -14, -700, -2147483648, 25]> : tensor<5xi32>
  check.expect_equal %r3, %c4 : tensor<5xi32>
  return
}

func.func @test_divsi() {
  %c1 = arith.constant dense<[7, -7, 100, -2147483648, 5]> : tensor<5xi32>
  %c2 = arith.constant dense<[2, 2, -7, 3, 5]> : tensor<5xi32>
  %r3 = arith.divsi %c1, %c2 : tensor<5xi32>
  %c4 = arith.constant dense<[3, -3, -14, -715827882, 1]> : tensor<5xi32>
  check.expect_equal %r3, %c4 : tensor<5xi32>
  return
}

func.func @test_remsi() {
  %c1 = arith.constant dense<[7, -7, 100, -2147483648, 5]> : tensor<5xi32>
  %c2 = arith.constant dense<[2, 2, -7, 3, 5]> : tensor<5xi32>
  %r3 = arith.remsi %c1, %c2 : tensor<5xi32>
  %c4 = arith.constant dense<[1, -1, 2, -2, 0]> : tensor<5xi32>
  check.expect_equal %r3, %c4 : tensor<5xi32>
  return
}

func.func @test_floordivsi() {
  %c1 = arith.constant dense<[7, -7, 100, -2147483648, 5]> : tensor<5xi32>
  %c2 = arith.constant dense<[2, 2, -7, 3, 5]> : tensor<5xi32>
  %r3 = arith.floordivsi %c1, %c2 : tensor<5xi32>
  %c4 = arith.constant dense<[3, -4, -15, -715827883, 1]> : tensor<5xi32>
  check.expect_equal %r3, %c4 : tensor<5xi32>
  return
}

func.func @test_ceildivsi() {
  %c1 = arith.constant dense<[7, -7, 100, -2147483648, 5]> : tensor<5xi32>
  %c2 = arith.constant dense<[2, 2, -7, 3, 5]> : tensor<5xi32>
  %r3 = arith.ceildivsi %c1, %c2 : tensor<5xi32>
  %c4 = arith.constant dense<[4, -3, -14, -715827882, 1]> : tensor<5xi32>
  check.expect_equal %r3, %c4 : tensor<5xi32>
  return
}

func.func @test_divui() {
  %c1 = arith.constant dense<[7, -7, 100, -2147483648, 5]> : tensor<5xi32>
  %c2 = arith.constant dense<[2, 2, -7, 3, 5]> : tensor<5xi32>
  %r3 = arith.divui %c1, %c2 : tensor<5xi32>
  %c4 = arith.constant dense<[3, 2147483644, 0, 715827882, 1]> : tensor<5xi32>
  check.expect_equal %r3, %c4 : tensor<5xi32>
  return
}

func.func @test_remui() {
  %c1 = arith.constant dense<[7, -7, 100, -2147483648, 5]> : tensor<5xi32>
  %c2 = arith.constant dense<[2, 2, -7, 3, 5]> : tensor<5xi32>
  %r3 = arith.remui %c1, %c2 : tensor<5xi32>
  %c4 = arith.constant dense<[1, 1, 100, 2, 0]> : tensor<5xi32>
  check.expect_equal %r3, %c4 : tensor<5xi32>
  return
}

func.func @test_ceildivui() {
  %c1 = arith.constant dense<[7, -7, 100, -2147483648, 5]> : tensor<5xi32>
  %c2 = arith.constant dense<[2, 2, -7, 3, 5]> : tensor<5xi32>
  %r3 = arith.ceildivui %c1, %c2 : tensor<5xi32>
  %c4 = arith.constant dense<[4, 2147483645, 1, 715827883, 1]> : tensor<5xi32>
  check.expect_equal %r3, %c4 : tensor<5xi32>
  return
}

func.func @test_andi() {
  %c1 = arith.constant dense<[7, -7, 100, -2147483648, 5]> : tensor<5xi32>
  %c2 = arith.constant dense<[2, 2, -7, 3, 5]> : tensor<5xi32>
  %r3 = arith.andi %c1, %c2 : tensor<5xi32>
  %c4 = arith.constant dense<[2, 0, 96, 0, 5]> : tensor<5xi32>
  check.expect_equal %r3, %c4 : tensor<5xi32>
  return
}

func.func @test_ori() {
  %c1 = arith.constant dense<[7, -7, 100, -2147483648, 5]> : tensor<5xi32>
  %c2 = arith.constant dense<[2, 2, -7, 3, 5]> : tensor<5xi32>
  %r3 = arith.ori %c1, %c2 : tensor<5xi32>
  %c4 = arith.constant dense<[7, -5, -3, -2147483645, 5]> : tensor<5xi32>
  check.expect_equal %r3, %c4 : tensor<5xi32>
  return
}

func.func @test_xori() {
  %c1 = arith.constant dense<[7, -7, 100, -2147483648, 5]> : tensor<5xi32>
  %c2 = arith.constant dense<[2, 2, -7, 3, 5]> : tensor<5xi32>
  %r3 = arith.xori %c1, %c2 : tensor<5xi32>
  %c4 = arith.constant dense<[5, -5, -99, -2147483645, 0]> : tensor<5xi32>
  check.expect_equal %r3, %c4 : tensor<5xi32>
  return
}

func.func @test_maxsi() {
  %c1 = arith.constant dense<[7, -7, 100, -2147483648, 5]> : tensor<5xi32>
  %c2 = arith.constant dense<[2, 2, -7, 3, 5]> : tensor<5xi32>
  %r3 = arith.maxsi %c1, %c2 : tensor<5xi32>
  %c4 = arith.constant dense<[7, 2, 100, 3, 5]> : tensor<5xi32>
  check.expect_equal %r3, %c4 : tensor<5xi32>
  return
}

func.func @test_minsi() {
  %c1 = arith.constant dense<[7, -7, 100, -2147483648, 5]> : tensor<5xi32>
  %c2 = arith.constant dense<[2, 2, -7, 3, 5]> : tensor<5xi32>
  %r3 = arith.minsi %c1, %c2 : tensor<5xi32>
  %c4 = arith.constant dense<[2, -7, -7, -2147483648, 5]> : tensor<5xi32>
  check.expect_equal %r3, %c4 : tensor<5xi32>
  return
}

func.func @test_maxui() {
  %c1 = arith.constant dense<[7, -7, 100, -2147483648, 5]> : tensor<5xi32>
  %c2 = arith.constant dense<[2, 2, -7, 3, 5]> : tensor<5xi32>
  %r3 = arith.maxui %c1, %c2 : tensor<5xi32>
  %c4 = arith.constant dense<[7, -7, -7, -2147483648, 5]> : tensor<5xi32>
  check.expect_equal %r3, %c4 : tensor<5xi32>
  return
}

func.func @test_minui() {
  %c1 = arith.constant dense<[7, -7, 100, -2147483648, 5]> : tensor<5xi32>
  %c2 = arith.constant dense<[2, 2, -7, 3, 5]> : tensor<5xi32>
  %r3 = arith.minui %c1, %c2 : tensor<5xi32>
  %c4 = arith.constant dense<[2, 2, 100, 3, 5]> : tensor<5xi32>
  check.expect_equal %r3, %c4 : tensor<5xi32>
  return
}

func.func @test_shli() {
  %c1 = arith.constant dense<[7, -7, 100, -2147483648, 5]> : tensor<5xi32>
  %c2 = arith.constant dense<[1, 2, 3, 31, 0]> : tensor<5xi32>
  %r3 = arith.shli %c1, %c2 : tensor<5xi32>
  %c4 = arith.constant dense<[14, -28, 800, 0, 5]> : tensor<5xi32>
  check.expect_equal %r3, %c4 : tensor<5xi32>
  return
}

func.func @test_shrsi() {
  %c1 = arith.constant dense<[7, -7, 100, -2147483648, 5]> : tensor<5xi32>
  %c2 = arith.constant dense<[1, 2, 3, 31, 0]> : tensor<5xi32>
  %r3 = arith.shrsi %c1, %c2 : tensor<5xi32>
  %c4 = arith.constant dense<[3, -2, 12, -1, 5]> : tensor<5xi32>
  check.expect_equal %r3, %c4 : tensor<5xi32>
  return
}

func.func @test_shrui() {
  %c1 = arith.constant dense<[7, -7, 100, -2147483648, 5]> : tensor<5xi32>
  %c2 = arith.constant dense<[1, 2, 3, 31, 0]> : tensor<5xi32>
  %r3 = arith.shrui %c1, %c2 : tensor<5xi32>
  %c4 = arith.constant dense<[3, 1073741822, 12, 1, 5]> : tensor<5xi32>
  check.expect_equal %r3, %c4 : tensor<5xi32>
  return
}

func.func @test_cmpi() {
  %c1 = arith.constant dense<[7, -7, 100, -2147483648, 5]> : tensor<5xi32>
  %c2 = arith.constant dense<[2, 2, -7, 3, 5]> : tensor<5xi32>
  %r3 = arith.cmpi eq, %c1, %c2 : tensor<5xi32>
  %c4 = arith.constant dense<[false, false, false, false, true]> : tensor<5xi1>
  check.expect_equal %r3, %c4 : tensor<5xi1>
  %r5 = arith.cmpi ne, %c1, %c2 : tensor<5xi32>
  %c6 = arith.constant dense<[true, true, true, true, false]> : tensor<5xi1>
  check.expect_equal %r5, %c6 : tensor<5xi1>
  %r7 = arith.cmpi slt, %c1, %c2 : tensor<5xi32>
  %c8 = arith.constant dense<[false, true, false, true, false]> : tensor<5xi1>
  check.expect_equal %r7, %c8 : tensor<5xi1>
  %r9 = arith.cmpi sle, %c1, %c2 : tensor<5xi32>
  %c10 = arith.constant dense<[false, true, false, true, true]> : tensor<5xi1>
  check.expect_equal %r9, %c10 : tensor<5xi1>
  %r11 = arith.cmpi sgt, %c1, %c2 : tensor<5xi32>
  %c12 = arith.constant dense<[true, false, true, false, false]> : tensor<5xi1>
  check.expect_equal %r11, %c12 : tensor<5xi1>
  %r13 = arith.cmpi sge, %c1, %c2 : tensor<5xi32>
  %c14 = arith.constant dense<[true, false, true, false, true]> : tensor<5xi1>
  check.expect_equal %r13, %c14 : tensor<5xi1>
  %r15 = arith.cmpi ult, %c1, %c2 : tensor<5xi32>
  %c16 = arith.constant dense<[false, false, true, false, false]> : tensor<5xi1>
  check.expect_equal %r15, %c16 : tensor<5xi1>
  %r17 = arith.cmpi ule, %c1, %c2 : tensor<5xi32>
  %c18 = arith.constant dense<[false, false, true, false, true]> : tensor<5xi1>
  check.expect_equal %r17, %c18 : tensor<5xi1>
  %r19 = arith.cmpi ugt, %c1, %c2 : tensor<5xi32>
  %c20 = arith.constant dense<[true, true, false, true, false]> : tensor<5xi1>
  check.expect_equal %r19, %c20 : tensor<5xi1>
  %r21 = arith.cmpi uge, %c1, %c2 : tensor<5xi32>
  %c22 = arith.constant dense<[true, true, false, true, true]> : tensor<5xi1>
  check.expect_equal %r21, %c22 : tensor<5xi1>
  return
}

func.func @test_wraps_to_8_bits() {
  %c1 = arith.constant dense<[127, -128]> : tensor<2xi8>
  %c2 = arith.constant dense<[1, -1]> : tensor<2xi8>
  %r3 = arith.addi %c1, %c2 : tensor<2xi8>
  %c4 = arith.constant dense<[-128, 127]> : tensor<2xi8>
  check.expect_equal %r3, %c4 : tensor<2xi8>
  return
}

func.func @test_booleans() {
  %c1 = arith.constant dense<[true, true, false, false]> : tensor<4xi1>
  %c2 = arith.constant dense<[true, false, true, false]> : tensor<4xi1>
  %r3 = arith.andi %c1, %c2 : tensor<4xi1>
  %c4 = arith.constant dense<[true, false, false, false]> : tensor<4xi1>
  check.expect_equal %r3, %c4 : tensor<4xi1>
  %r5 = arith.ori %c1, %c2 : tensor<4xi1>
  %c6 = arith.constant dense<[true, true, true, false]> : tensor<4xi1>
  check.expect_equal %r5, %c6 : tensor<4xi1>
  %r7 = arith.xori %c1, %c2 : tensor<4xi1>
  %c8 = arith.constant dense<[false, true, true, false]> : tensor<4xi1>
  check.expect_equal %r7, %c8 : tensor<4xi1>
  %r9 = arith.addi %c1, %c2 : tensor<4xi1>
  %c10 = arith.constant dense<[false, true, true, false]> : tensor<4xi1>
  check.expect_equal %r9, %c10 : tensor<4xi1>
  %r11 = arith.cmpi ult, %c1, %c2 : tensor<4xi1>
  %c12 = arith.constant dense<[false, false, true, false]> : tensor<4xi1>
  check.expect_equal %r11, %c12 : tensor<4xi1>
  %r13 = arith.cmpi slt, %c1, %c2 : tensor<4xi1>
  %c14 = arith.constant dense<[false, true, false, false]> : tensor<4xi1>
  check.expect_equal %r13, %c14 : tensor<4xi1>
  return
}

func.func @test_bits() {
  %c1 = arith.constant dense<[-5, 0, 1, 255, -1]> : tensor<5xi32>
  %r2 = math.absi %c1 : tensor<5xi32>
  %c3 = arith.constant dense<[5, 0, 1, 255, 1]> : tensor<5xi32>
  check.expect_equal %r2, %c3 : tensor<5xi32>
  %r4 = math.ctpop %c1 : tensor<5xi32>
  %c5 = arith.constant dense<[31, 0, 1, 8, 32]> : tensor<5xi32>
  check.expect_equal %r4, %c5 : tensor<5xi32>
  %r6 = math.ctlz %c1 : tensor<5xi32>
  %c7 = arith.constant dense<[0, 32, 31, 24, 0]> : tensor<5xi32>
  check.expect_equal %r6, %c7 : tensor<5xi32>
  %r8 = math.cttz %c1 : tensor<5xi32>
  %c9 = arith.constant dense<[0, 32, 0, 0, 0]> : tensor<5xi32>
  check.expect_equal %r8, %c9 : tensor<5xi32>
  return
}

func.func @test_ipowi() {
  %c1 = arith.constant dense<[2, -3, 5, -1, 7]> : tensor<5xi32>
  %c2 = arith.constant dense<[10, 3, 0, -3, -2]> : tensor<5xi32>
  %r3 = math.ipowi %c1, %c2 : tensor<5xi32>
  %c4 = arith.constant dense<[1024, -27, 1, -1, 0]> : tensor<5xi32>
  check.expect_equal %r3, %c4 : tensor<5xi32>
  return
}
