// RUN: printf '\000\000\200\077\000\000\000\300\000\000\100\100\000\000\200\100' > %t.bin
// RUN: sed 's|FILE|%t.bin|' %s > %t.mlir
// RUN: tw-opt %t.mlir --tw-check-execute -o /dev/null
// Parameters, loads and stores, calls and the micro-batch loop.

graph.parameter @value : tensor<2xf32> {role = #graph.role<trainable>, value = dense<[1.0, 2.0]> : tensor<2xf32>}
graph.parameter @copy : tensor<2xf32> {role = #graph.role<buffer>, copy_of = @value}
graph.parameter @step : tensor<i64> {role = #graph.role<counter>, fill = 3.0 : f64}
graph.parameter @from_file : tensor<2xf32> {role = #graph.role<frozen>, file = "FILE", offset = 4 : i64, length = 8 : i64}

func.func @test_first_values() {
  %one_two = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %value = graph.load @value : tensor<2xf32>
  check.expect_equal %value, %one_two : tensor<2xf32>
  %copy = graph.load @copy : tensor<2xf32>
  check.expect_equal %copy, %one_two : tensor<2xf32>
  %step = graph.load @step : tensor<i64>
  %three = arith.constant dense<3> : tensor<i64>
  check.expect_equal %step, %three : tensor<i64>
  %from_file = graph.load @from_file : tensor<2xf32>
  %expected = arith.constant dense<[-2.0, 3.0]> : tensor<2xf32>
  check.expect_equal %from_file, %expected : tensor<2xf32>
  return
}

// A load after a store, also in another function of the same step, still gives the first value.
func.func private @load_value() -> tensor<2xf32> {
  %value = graph.load @value : tensor<2xf32>
  return %value : tensor<2xf32>
}
func.func @test_stores_take_effect_at_the_end() {
  %zero = arith.constant dense<0.0> : tensor<2xf32>
  graph.store %zero, @value : tensor<2xf32>
  %value = func.call @load_value() : () -> tensor<2xf32>
  %one_two = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  check.expect_equal %value, %one_two : tensor<2xf32>
  return
}

func.func @test_accumulate() {
  %x = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %one = arith.constant dense<1.0> : tensor<2xf32>
  %ten = arith.constant dense<10.0> : tensor<2xf32>
  %sum, %counts, %last, %products = graph.accumulate micro_batches 3 slices(%x) carries(%one) {
  ^bb0(%i: tensor<i64>, %xi: tensor<2xf32>, %carried: tensor<2xf32>):
    %next = arith.mulf %carried, %xi : tensor<2xf32>
    %scaled = arith.mulf %xi, %ten : tensor<2xf32>
    graph.yield sums(%xi, %i) carries(%next) stacks(%scaled) : (tensor<2xf32>, tensor<i64>) (tensor<2xf32>) (tensor<2xf32>)
  } : (tensor<3x2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<i64>, tensor<2xf32>, tensor<3x2xf32>)
  %expected_sum = arith.constant dense<[9.0, 12.0]> : tensor<2xf32>
  check.expect_equal %sum, %expected_sum : tensor<2xf32>
  %three = arith.constant dense<3> : tensor<i64>
  check.expect_equal %counts, %three : tensor<i64>
  %expected_last = arith.constant dense<[15.0, 48.0]> : tensor<2xf32>
  check.expect_equal %last, %expected_last : tensor<2xf32>
  %expected_products = arith.constant dense<[[10.0, 20.0], [30.0, 40.0], [50.0, 60.0]]> : tensor<3x2xf32>
  check.expect_equal %products, %expected_products : tensor<3x2xf32>
  return
}

func.func @test_fused() {
  %x = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %b = arith.constant dense<[10.0, 20.0]> : tensor<2xf32>
  %y = graph.fused ins(%x, %b) {
  ^bb0(%x0: tensor<2x2xf32>, %b0: tensor<2xf32>):
    %0 = graph.broadcast %b0 {dimensions = array<i64: 1>} : (tensor<2xf32>) -> tensor<2x2xf32>
    %1 = arith.addf %x0, %0 : tensor<2x2xf32>
    graph.fused_yield %1 : tensor<2x2xf32>
  } : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  %expected = arith.constant dense<[[11.0, 22.0], [13.0, 24.0]]> : tensor<2x2xf32>
  check.expect_equal %y, %expected : tensor<2x2xf32>
  return
}
