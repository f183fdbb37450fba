// RUN: tw-opt %s --tw-check-execute --verify-diagnostics -o /dev/null
// Moving elements, indexing and reductions; expected values by NumPy.

func.func @test_reshape() {
  %c1 = arith.constant dense<[[[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0], [8.0, 9.0, 10.0, 11.0]], [[12.0, 13.0, 14.0, 15.0], [16.0, 17.0, 18.0, 19.0], [20.0, 21.0, 22.0, 23.0]]]> : tensor<2x3x4xf32>
  %r2 = graph.reshape %c1 : (tensor<2x3x4xf32>) -> tensor<4x6xf32>
  %c3 = arith.constant dense<[[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], [6.0, 7.0, 8.0, 9.0, 10.0, 11.0], [12.0, 13.0, 14.0, 15.0, 16.0, 17.0], [18.0, 19.0, 20.0, 21.0, 22.0, 23.0]]> : tensor<4x6xf32>
  check.expect_equal %r2, %c3 : tensor<4x6xf32>
  return
}

func.func @test_transpose() {
  %c1 = arith.constant dense<[[[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0], [8.0, 9.0, 10.0, 11.0]], [[12.0, 13.0, 14.0, 15.0], [16.0, 17.0, 18.0, 19.0], [20.0, 21.0, 22.0, 23.0]]]> : tensor<2x3x4xf32>
  %r2 = graph.transpose %c1 {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %c3 = arith.constant dense<[[[0.0, 4.0, 8.0], [12.0, 16.0, 20.0]], [[1.0, 5.0, 9.0], [13.0, 17.0, 21.0]], [[2.0, 6.0, 10.0], [14.0, 18.0, 22.0]], [[3.0, 7.0, 11.0], [15.0, 19.0, 23.0]]]> : tensor<4x2x3xf32>
  check.expect_equal %r2, %c3 : tensor<4x2x3xf32>
  return
}

func.func @test_broadcast() {
  %c1 = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %r2 = graph.broadcast %c1 {dimensions = array<i64: 1>} : (tensor<3xf32>) -> tensor<2x3x2xf32>
  %c3 = arith.constant dense<[[[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]], [[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]]> : tensor<2x3x2xf32>
  check.expect_equal %r2, %c3 : tensor<2x3x2xf32>
  %c4 = arith.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %r5 = graph.broadcast %c4 {dimensions = array<i64: 0, 1>} : (tensor<2x1xf32>) -> tensor<2x3xf32>
  %c6 = arith.constant dense<[[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]]> : tensor<2x3xf32>
  check.expect_equal %r5, %c6 : tensor<2x3xf32>
  %c7 = arith.constant dense<5.0> : tensor<f32>
  %r8 = graph.broadcast %c7 {dimensions = array<i64>} : (tensor<f32>) -> tensor<2x2xf32>
  %c9 = arith.constant dense<[[5.0, 5.0], [5.0, 5.0]]> : tensor<2x2xf32>
  check.expect_equal %r8, %c9 : tensor<2x2xf32>
  return
}

func.func @test_slice() {
  %c1 = arith.constant dense<[[[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0], [8.0, 9.0, 10.0, 11.0]], [[12.0, 13.0, 14.0, 15.0], [16.0, 17.0, 18.0, 19.0], [20.0, 21.0, 22.0, 23.0]]]> : tensor<2x3x4xf32>
  %r2 = graph.slice %c1 {starts = array<i64: 1, 0, 3>, strides = array<i64: 1, 2, -1>} : (tensor<2x3x4xf32>) -> tensor<1x2x3xf32>
  %c3 = arith.constant dense<[[[15.0, 14.0, 13.0], [23.0, 22.0, 21.0]]]> : tensor<1x2x3xf32>
  check.expect_equal %r2, %c3 : tensor<1x2x3xf32>
  return
}

func.func @test_pad() {
  %c1 = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %r2 = graph.pad %c1 {low = array<i64: 1, 0>, high = array<i64: 1, 2>, interior = array<i64: 0, 1>, value = 9.0 : f64} : (tensor<2x2xf32>) -> tensor<4x5xf32>
  %c3 = arith.constant dense<[[9.0, 9.0, 9.0, 9.0, 9.0], [1.0, 9.0, 2.0, 9.0, 9.0], [3.0, 9.0, 4.0, 9.0, 9.0], [9.0, 9.0, 9.0, 9.0, 9.0]]> : tensor<4x5xf32>
  check.expect_equal %r2, %c3 : tensor<4x5xf32>
  return
}

func.func @test_concat() {
  %c1 = arith.constant dense<[[[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0], [8.0, 9.0, 10.0, 11.0]], [[12.0, 13.0, 14.0, 15.0], [16.0, 17.0, 18.0, 19.0], [20.0, 21.0, 22.0, 23.0]]]> : tensor<2x3x4xf32>
  %c2 = arith.constant dense<[[[0.0, 1.0, 2.0, 3.0]], [[12.0, 13.0, 14.0, 15.0]]]> : tensor<2x1x4xf32>
  %r3 = graph.concat %c1, %c2 {axis = 1 : i64} : (tensor<2x3x4xf32>, tensor<2x1x4xf32>) -> tensor<2x4x4xf32>
  %c4 = arith.constant dense<[[[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0], [8.0, 9.0, 10.0, 11.0], [0.0, 1.0, 2.0, 3.0]], [[12.0, 13.0, 14.0, 15.0], [16.0, 17.0, 18.0, 19.0], [20.0, 21.0, 22.0, 23.0], [12.0, 13.0, 14.0, 15.0]]]> : tensor<2x4x4xf32>
  check.expect_equal %r3, %c4 : tensor<2x4x4xf32>
  return
}

func.func @test_gather() {
  %c1 = arith.constant dense<[[[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0], [8.0, 9.0, 10.0, 11.0]], [[12.0, 13.0, 14.0, 15.0], [16.0, 17.0, 18.0, 19.0], [20.0, 21.0, 22.0, 23.0]]]> : tensor<2x3x4xf32>
  %c2 = arith.constant dense<[[2, -3], [0, 1]]> : tensor<2x2xi64>
  %r3 = graph.gather %c1, %c2 {axis = 1 : i64} : (tensor<2x3x4xf32>, tensor<2x2xi64>) -> tensor<2x2x2x4xf32>
  %c4 = arith.constant dense<[[[[8.0, 9.0, 10.0, 11.0], [0.0, 1.0, 2.0, 3.0]], [[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0]]], [[[20.0, 21.0, 22.0, 23.0], [12.0, 13.0, 14.0, 15.0]], [[12.0, 13.0, 14.0, 15.0], [16.0, 17.0, 18.0, 19.0]]]]> : tensor<2x2x2x4xf32>
  check.expect_equal %r3, %c4 : tensor<2x2x2x4xf32>
  return
}

func.func @test_scatter_add() {
  %c1 = arith.constant dense<[[[[0.0, 1.0], [2.0, 3.0]], [[4.0, 5.0], [6.0, 7.0]]], [[[8.0, 9.0], [10.0, 11.0]], [[12.0, 13.0], [14.0, 15.0]]]]> : tensor<2x2x2x2xf32>
  %c2 = arith.constant dense<[[2, -3], [0, 1]]> : tensor<2x2xi64>
  %r3 = graph.scatter_add %c1, %c2 {axis = 1 : i64} : (tensor<2x2x2x2xf32>, tensor<2x2xi64>) -> tensor<2x3x2xf32>
  %c4 = arith.constant dense<[[[6.0, 8.0], [6.0, 7.0], [0.0, 1.0]], [[22.0, 24.0], [14.0, 15.0], [8.0, 9.0]]]> : tensor<2x3x2xf32>
  check.expect_equal %r3, %c4 : tensor<2x3x2xf32>
  return
}

func.func @test_reduce_sum() {
  %c1 = arith.constant dense<[[[0.0, 0.300000012, -0.270000011, -0.889999986], [-0.449999988, -0.99000001, 0.0599999987, 1.34000003], [-0.49000001, -0.620000005, 0.49000001, 0.360000014]], [[0.109999999, -0.930000007, -0.0299999993, 0.699999988], [-1.34000003, -0.460000008, -1.89999998, -1.28999996], [-1.84000003, -0.239999995, -1.26999998, 0.270000011]]]> : tensor<2x3x4xf32>
  %r2 = graph.reduce %c1 {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 2>} : (tensor<2x3x4xf32>) -> tensor<3xf32>
  %c3 = arith.constant dense<[-1.00999999, -5.02999973, -3.33999991]> : tensor<3xf32>
  check.expect_close %r2, %c3 : tensor<3xf32>
  %r4 = graph.reduce %c1 {kind = #graph.reduction<sum>, dimensions = array<i64: 0, 1, 2>} : (tensor<2x3x4xf32>) -> tensor<f32>
  %c5 = arith.constant dense<-9.38000011> : tensor<f32>
  check.expect_close %r4, %c5 : tensor<f32>
  %c6 = arith.constant dense<[[3, -4], [5, 2]]> : tensor<2x2xi32>
  %r7 = graph.reduce %c6 {kind = #graph.reduction<sum>, dimensions = array<i64: 1>} : (tensor<2x2xi32>) -> tensor<2xi32>
  %c8 = arith.constant dense<[-1, 7]> : tensor<2xi32>
  check.expect_equal %r7, %c8 : tensor<2xi32>
  return
}

func.func @test_reduce_max() {
  %c1 = arith.constant dense<[[[0.0, 0.300000012, -0.270000011, -0.889999986], [-0.449999988, -0.99000001, 0.0599999987, 1.34000003], [-0.49000001, -0.620000005, 0.49000001, 0.360000014]], [[0.109999999, -0.930000007, -0.0299999993, 0.699999988], [-1.34000003, -0.460000008, -1.89999998, -1.28999996], [-1.84000003, -0.239999995, -1.26999998, 0.270000011]]]> : tensor<2x3x4xf32>
  %r2 = graph.reduce %c1 {kind = #graph.reduction<max>, dimensions = array<i64: 0, 2>} : (tensor<2x3x4xf32>) -> tensor<3xf32>
  %c3 = arith.constant dense<[0.699999988, 1.34000003, 0.49000001]> : tensor<3xf32>
  check.expect_close %r2, %c3 : tensor<3xf32>
  %r4 = graph.reduce %c1 {kind = #graph.reduction<max>, dimensions = array<i64: 0, 1, 2>} : (tensor<2x3x4xf32>) -> tensor<f32>
  %c5 = arith.constant dense<1.34000003> : tensor<f32>
  check.expect_close %r4, %c5 : tensor<f32>
  %c6 = arith.constant dense<[[3, -4], [5, 2]]> : tensor<2x2xi32>
  %r7 = graph.reduce %c6 {kind = #graph.reduction<max>, dimensions = array<i64: 1>} : (tensor<2x2xi32>) -> tensor<2xi32>
  %c8 = arith.constant dense<[3, 5]> : tensor<2xi32>
  check.expect_equal %r7, %c8 : tensor<2xi32>
  return
}

func.func @test_reduce_min() {
  %c1 = arith.constant dense<[[[0.0, 0.300000012, -0.270000011, -0.889999986], [-0.449999988, -0.99000001, 0.0599999987, 1.34000003], [-0.49000001, -0.620000005, 0.49000001, 0.360000014]], [[0.109999999, -0.930000007, -0.0299999993, 0.699999988], [-1.34000003, -0.460000008, -1.89999998, -1.28999996], [-1.84000003, -0.239999995, -1.26999998, 0.270000011]]]> : tensor<2x3x4xf32>
  %r2 = graph.reduce %c1 {kind = #graph.reduction<min>, dimensions = array<i64: 0, 2>} : (tensor<2x3x4xf32>) -> tensor<3xf32>
  %c3 = arith.constant dense<[-0.930000007, -1.89999998, -1.84000003]> : tensor<3xf32>
  check.expect_close %r2, %c3 : tensor<3xf32>
  %r4 = graph.reduce %c1 {kind = #graph.reduction<min>, dimensions = array<i64: 0, 1, 2>} : (tensor<2x3x4xf32>) -> tensor<f32>
  %c5 = arith.constant dense<-1.89999998> : tensor<f32>
  check.expect_close %r4, %c5 : tensor<f32>
  %c6 = arith.constant dense<[[3, -4], [5, 2]]> : tensor<2x2xi32>
  %r7 = graph.reduce %c6 {kind = #graph.reduction<min>, dimensions = array<i64: 1>} : (tensor<2x2xi32>) -> tensor<2xi32>
  %c8 = arith.constant dense<[-4, 2]> : tensor<2xi32>
  check.expect_equal %r7, %c8 : tensor<2xi32>
  return
}

func.func @test_reduce_prod() {
  %c1 = arith.constant dense<[[[0.0, 0.300000012, -0.270000011, -0.889999986], [-0.449999988, -0.99000001, 0.0599999987, 1.34000003], [-0.49000001, -0.620000005, 0.49000001, 0.360000014]], [[0.109999999, -0.930000007, -0.0299999993, 0.699999988], [-1.34000003, -0.460000008, -1.89999998, -1.28999996], [-1.84000003, -0.239999995, -1.26999998, 0.270000011]]]> : tensor<2x3x4xf32>
  %r2 = graph.reduce %c1 {kind = #graph.reduction<prod>, dimensions = array<i64: 0, 2>} : (tensor<2x3x4xf32>) -> tensor<3xf32>
  %c3 = arith.constant dense<[0.0, 0.0541140065, -0.00811489578]> : tensor<3xf32>
  check.expect_close %r2, %c3 : tensor<3xf32>
  %r4 = graph.reduce %c1 {kind = #graph.reduction<prod>, dimensions = array<i64: 0, 1, 2>} : (tensor<2x3x4xf32>) -> tensor<f32>
  %c5 = arith.constant dense<-0.0> : tensor<f32>
  check.expect_close %r4, %c5 : tensor<f32>
  %c6 = arith.constant dense<[[3, -4], [5, 2]]> : tensor<2x2xi32>
  %r7 = graph.reduce %c6 {kind = #graph.reduction<prod>, dimensions = array<i64: 1>} : (tensor<2x2xi32>) -> tensor<2xi32>
  %c8 = arith.constant dense<[-12, 10]> : tensor<2xi32>
  check.expect_equal %r7, %c8 : tensor<2xi32>
  return
}

func.func @test_reduce_nothing() {
  %e = arith.constant dense<> : tensor<0x2xf32>
  %r1 = graph.reduce %e {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<0x2xf32>) -> tensor<2xf32>
  %c2 = arith.constant dense<[0.0, 0.0]> : tensor<2xf32>
  check.expect_equal %r1, %c2 : tensor<2xf32>
  %r3 = graph.reduce %e {kind = #graph.reduction<max>, dimensions = array<i64: 0>} : (tensor<0x2xf32>) -> tensor<2xf32>
  %c4 = arith.constant dense<[0xFF800000, 0xFF800000]> : tensor<2xf32>
  check.expect_equal %r3, %c4 : tensor<2xf32>
  %r5 = graph.reduce %e {kind = #graph.reduction<min>, dimensions = array<i64: 0>} : (tensor<0x2xf32>) -> tensor<2xf32>
  %c6 = arith.constant dense<[0x7F800000, 0x7F800000]> : tensor<2xf32>
  check.expect_equal %r5, %c6 : tensor<2xf32>
  %r7 = graph.reduce %e {kind = #graph.reduction<prod>, dimensions = array<i64: 0>} : (tensor<0x2xf32>) -> tensor<2xf32>
  %c8 = arith.constant dense<[1.0, 1.0]> : tensor<2xf32>
  check.expect_equal %r7, %c8 : tensor<2xf32>
  return
}
