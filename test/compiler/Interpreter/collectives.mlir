// RUN: tw-opt %s --tw-check-execute -o /dev/null
// Four ranks in lockstep on a 2 x 2 grid; rank r is the device with linear index r.

shard.grid @mesh(shape = 2x2)

// [10 r, 10 r + 1] on rank r.
func.func private @rank_values() -> tensor<2xf32> {
  %rank = shard.process_linear_index on @mesh : index
  %scalar = tensor.from_elements %rank : tensor<1xindex>
  %integer = arith.index_cast %scalar : tensor<1xindex> to tensor<1xi64>
  %number = arith.sitofp %integer : tensor<1xi64> to tensor<1xf32>
  %pair = graph.broadcast %number {dimensions = array<i64: 0>} : (tensor<1xf32>) -> tensor<2xf32>
  %ten = arith.constant dense<10.0> : tensor<2xf32>
  %tens = arith.mulf %pair, %ten : tensor<2xf32>
  %ramp = arith.constant dense<[0.0, 1.0]> : tensor<2xf32>
  %values = arith.addf %tens, %ramp : tensor<2xf32>
  return %values : tensor<2xf32>
}

// Row r of a table, so that each rank can state what it expects.
func.func private @row_of_rank(%table: tensor<4x2xf32>) -> tensor<2xf32> {
  %rank = shard.process_linear_index on @mesh : index
  %scalar = tensor.from_elements %rank : tensor<1xindex>
  %integer = arith.index_cast %scalar : tensor<1xindex> to tensor<1xi64>
  %row = graph.gather %table, %integer {axis = 0 : i64} : (tensor<4x2xf32>, tensor<1xi64>) -> tensor<1x2xf32>
  %flat = graph.reshape %row : (tensor<1x2xf32>) -> tensor<2xf32>
  return %flat : tensor<2xf32>
}

func.func @test_indices() {
  %i, %j = shard.process_multi_index on @mesh : index, index
  %j_alone = shard.process_multi_index on @mesh axes = [1] : index
  %found = tensor.from_elements %i, %j, %j_alone : tensor<3xindex>
  %rank = shard.process_linear_index on @mesh : index
  %two = arith.constant 2 : index
  %row = arith.divsi %rank, %two : index
  %column = arith.remsi %rank, %two : index
  %expected = tensor.from_elements %row, %column, %column : tensor<3xindex>
  check.expect_equal %found, %expected : tensor<3xindex>
  return
}

func.func @test_all_reduce_over_all() {
  %x = func.call @rank_values() : () -> tensor<2xf32>
  %sum = shard.all_reduce %x on @mesh grid_axes = [0, 1] : tensor<2xf32> -> tensor<2xf32>
  %expected_sum = arith.constant dense<[60.0, 64.0]> : tensor<2xf32>
  check.expect_equal %sum, %expected_sum : tensor<2xf32>
  %max = shard.all_reduce %x on @mesh grid_axes = [0, 1] reduction = max : tensor<2xf32> -> tensor<2xf32>
  %expected_max = arith.constant dense<[30.0, 31.0]> : tensor<2xf32>
  check.expect_equal %max, %expected_max : tensor<2xf32>
  return
}

// Ranks 0 and 1 make a group, 2 and 3 the other.
func.func @test_all_reduce_over_one_axis() {
  %x = func.call @rank_values() : () -> tensor<2xf32>
  %sum = shard.all_reduce %x on @mesh grid_axes = [1] : tensor<2xf32> -> tensor<2xf32>
  %table = arith.constant dense<[[10.0, 12.0], [10.0, 12.0], [50.0, 52.0], [50.0, 52.0]]> : tensor<4x2xf32>
  %expected = func.call @row_of_rank(%table) : (tensor<4x2xf32>) -> tensor<2xf32>
  check.expect_equal %sum, %expected : tensor<2xf32>
  return
}

func.func @test_all_gather() {
  %x = func.call @rank_values() : () -> tensor<2xf32>
  %all = shard.all_gather %x on @mesh grid_axes = [0, 1] gather_axis = 0 : tensor<2xf32> -> tensor<8xf32>
  %expected = arith.constant dense<[0.0, 1.0, 10.0, 11.0, 20.0, 21.0, 30.0, 31.0]> : tensor<8xf32>
  check.expect_equal %all, %expected : tensor<8xf32>
  // The first listed axis is the slowest: with [1, 0] the columns of the grid come one after the other.
  %columns = shard.all_gather %x on @mesh grid_axes = [1, 0] gather_axis = 0 : tensor<2xf32> -> tensor<8xf32>
  %expected_columns = arith.constant dense<[0.0, 1.0, 20.0, 21.0, 10.0, 11.0, 30.0, 31.0]> : tensor<8xf32>
  check.expect_equal %columns, %expected_columns : tensor<8xf32>
  return
}

func.func @test_reduce_scatter() {
  %x = func.call @rank_values() : () -> tensor<2xf32>
  %part = shard.reduce_scatter %x on @mesh grid_axes = [0] scatter_axis = 0 : tensor<2xf32> -> tensor<1xf32>
  %both = graph.broadcast %part {dimensions = array<i64: 0>} : (tensor<1xf32>) -> tensor<2xf32>
  // Sums of ranks 0 + 2 and 1 + 3; ranks 0 and 1 keep element 0, ranks 2 and 3 element 1.
  %table = arith.constant dense<[[20.0, 20.0], [40.0, 40.0], [22.0, 22.0], [42.0, 42.0]]> : tensor<4x2xf32>
  %expected = func.call @row_of_rank(%table) : (tensor<4x2xf32>) -> tensor<2xf32>
  check.expect_equal %both, %expected : tensor<2xf32>
  return
}

func.func @test_all_slice() {
  %x = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %part = shard.all_slice %x on @mesh grid_axes = [0, 1] slice_axis = 0 : tensor<4xf32> -> tensor<1xf32>
  %both = graph.broadcast %part {dimensions = array<i64: 0>} : (tensor<1xf32>) -> tensor<2xf32>
  %table = arith.constant dense<[[1.0, 1.0], [2.0, 2.0], [3.0, 3.0], [4.0, 4.0]]> : tensor<4x2xf32>
  %expected = func.call @row_of_rank(%table) : (tensor<4x2xf32>) -> tensor<2xf32>
  check.expect_equal %both, %expected : tensor<2xf32>
  return
}

// The same dropout whether the batch is split over ranks or not.
func.func @test_dropout_of_a_split_batch() {
  %x = arith.constant dense<1.0> : tensor<8x3xf32>
  %seed = arith.constant dense<42> : tensor<i64>
  %step = arith.constant dense<5> : tensor<i64>
  %zero = arith.constant dense<0> : tensor<i64>
  %whole = graph.dropout %x, %seed, %step, %zero {ratio = 0.5 : f64, id = 1 : i64} : (tensor<8x3xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<8x3xf32>
  %part = shard.all_slice %x on @mesh grid_axes = [0, 1] slice_axis = 0 : tensor<8x3xf32> -> tensor<2x3xf32>
  %rank = shard.process_linear_index on @mesh : index
  %two = arith.constant 2 : index
  %first = arith.muli %rank, %two : index
  %scalar = tensor.from_elements %first : tensor<index>
  %row = arith.index_cast %scalar : tensor<index> to tensor<i64>
  %local = graph.dropout %part, %seed, %step, %row {ratio = 0.5 : f64, id = 1 : i64} : (tensor<2x3xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<2x3xf32>
  %gathered = shard.all_gather %local on @mesh grid_axes = [0, 1] gather_axis = 0 : tensor<2x3xf32> -> tensor<8x3xf32>
  check.expect_equal %gathered, %whole : tensor<8x3xf32>
  return
}
