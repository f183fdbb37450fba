// RUN: tw-opt %s --tw-check-execute --verify-diagnostics -o /dev/null
// Dropout; expected values by an independent Philox4x32-10 in Python that was checked against its known vectors.

func.func @test_dropout() {
  %c1 = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0], [10.0, 11.0, 12.0]]> : tensor<4x3xf32>
  %c2 = arith.constant dense<1234567890123> : tensor<i64>
  %c3 = arith.constant dense<7> : tensor<i64>
  %c4 = arith.constant dense<0> : tensor<i64>
  %r5 = graph.dropout %c1, %c2, %c3, %c4 {ratio = 0.4 : f64, id = 3 : i64} : (tensor<4x3xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<4x3xf32>
  %c6 = arith.constant dense<[[0.0, 3.33333325, 0.0], [0.0, 8.33333302, 0.0], [0.0, 0.0, 0.0], [0.0, 18.3333321, 0.0]]> : tensor<4x3xf32>
  check.expect_close %r5, %c6 : tensor<4x3xf32>
  return
}

func.func @test_dropout_rows_of_a_split_batch() {
  %c1 = arith.constant dense<[[7.0, 8.0, 9.0], [10.0, 11.0, 12.0]]> : tensor<2x3xf32>
  %c2 = arith.constant dense<1234567890123> : tensor<i64>
  %c3 = arith.constant dense<7> : tensor<i64>
  %c4 = arith.constant dense<2> : tensor<i64>
  %r5 = graph.dropout %c1, %c2, %c3, %c4 {ratio = 0.4 : f64, id = 3 : i64} : (tensor<2x3xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<2x3xf32>
  %c6 = arith.constant dense<[[0.0, 0.0, 0.0], [0.0, 18.3333321, 0.0]]> : tensor<2x3xf32>
  check.expect_close %r5, %c6 : tensor<2x3xf32>
  return
}

func.func @test_dropout_far_into_a_batch() {
  %c1 = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0], [10.0, 11.0, 12.0]]> : tensor<4x3xf32>
  %c2 = arith.constant dense<5> : tensor<i64>
  %c3 = arith.constant dense<1> : tensor<i64>
  %c4 = arith.constant dense<3000000000> : tensor<i64>
  %r5 = graph.dropout %c1, %c2, %c3, %c4 {ratio = 0.5 : f64, id = 1 : i64} : (tensor<4x3xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<4x3xf32>
  %c6 = arith.constant dense<[[2.0, 0.0, 0.0], [8.0, 10.0, 12.0], [14.0, 0.0, 18.0], [20.0, 0.0, 24.0]]> : tensor<4x3xf32>
  check.expect_close %r5, %c6 : tensor<4x3xf32>
  return
}

func.func @test_dropout_of_nothing() {
  %c1 = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0], [10.0, 11.0, 12.0]]> : tensor<4x3xf32>
  %c2 = arith.constant dense<5> : tensor<i64>
  %c3 = arith.constant dense<1> : tensor<i64>
  %c4 = arith.constant dense<0> : tensor<i64>
  %r5 = graph.dropout %c1, %c2, %c3, %c4 {ratio = 0.0 : f64, id = 1 : i64} : (tensor<4x3xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<4x3xf32>
  %c6 = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0], [10.0, 11.0, 12.0]]> : tensor<4x3xf32>
  check.expect_close %r5, %c6 : tensor<4x3xf32>
  return
}
