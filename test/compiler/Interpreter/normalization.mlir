// RUN: tw-opt %s --tw-check-execute --verify-diagnostics -o /dev/null
// Batch, layer and root-mean-square normalisation; expected values by NumPy in fp64.

func.func @test_batch_norm_training() {
  %c1 = arith.constant dense<[[[0.159999996, 0.0500000007], [1.90999997, -1.03999996]], [[-1.55999994, -1.00999999], [-1.33000004, 0.75]], [[0.819999993, -0.959999979], [-1.38999999, -0.349999994]]]> : tensor<3x2x2xf32>
  %c2 = arith.constant dense<[1.38999999, -2.81999993]> : tensor<2xf32>
  %c3 = arith.constant dense<[0.529999971, -1.08000004]> : tensor<2xf32>
  %r4:3 = graph.batch_norm_training %c1, %c2, %c3 {epsilon = 0.001 : f64} : (tensor<3x2x2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<3x2x2xf32>, tensor<2xf32>, tensor<2xf32>)
  %c5 = arith.constant dense<[[[1.5068264, 1.32049537], [-6.09843302, 0.78199017]], [[-1.40671372, -0.475058496], [1.45837104, -3.39291072]], [[2.62481284, -0.390362561], [1.59831166, -0.827329159]]]> : tensor<3x2x2xf32>
  check.expect_close %r4#0, %c5 : tensor<3x2x2xf32>
  %c6 = arith.constant dense<[-0.416666657, -0.241666675]> : tensor<2xf32>
  check.expect_close %r4#1, %c6 : tensor<2xf32>
  %c7 = arith.constant dense<[0.672355533, 1.46088052]> : tensor<2xf32>
  check.expect_close %r4#2, %c7 : tensor<2xf32>
  return
}

func.func @test_batch_norm() {
  %c1 = arith.constant dense<[[[0.159999996, 0.0500000007], [1.90999997, -1.03999996]], [[-1.55999994, -1.00999999], [-1.33000004, 0.75]], [[0.819999993, -0.959999979], [-1.38999999, -0.349999994]]]> : tensor<3x2x2xf32>
  %c2 = arith.constant dense<[1.38999999, -2.81999993]> : tensor<2xf32>
  %c3 = arith.constant dense<[0.529999971, -1.08000004]> : tensor<2xf32>
  %c4 = arith.constant dense<[1.03999996, -1.08000004]> : tensor<2xf32>
  %c5 = arith.constant dense<[0.289999992, 1.50999999]> : tensor<2xf32>
  %r6 = graph.batch_norm %c1, %c2, %c3, %c4, %c5 {epsilon = 0.001 : f64} : (tensor<3x2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<3x2x2xf32>
  %c7 = arith.constant dense<[[[-1.73751915, -2.02095914], [-7.93943071, -1.17176521]], [[-6.16948843, -4.75228882], [-0.506469071, -5.27824688]], [[-0.0368797556, -4.62345266], [-0.36882177, -2.75471067]]]> : tensor<3x2x2xf32>
  check.expect_close %r6, %c7 : tensor<3x2x2xf32>
  return
}

func.func @test_centered_square_sum() {
  %c1 = arith.constant dense<[[[0.159999996, 0.0500000007], [1.90999997, -1.03999996]], [[-1.55999994, -1.00999999], [-1.33000004, 0.75]], [[0.819999993, -0.959999979], [-1.38999999, -0.349999994]]]> : tensor<3x2x2xf32>
  %c2 = arith.constant dense<[1.03999996, -1.08000004]> : tensor<2xf32>
  %r3 = graph.centered_square_sum %c1, %c2 : (tensor<3x2x2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %c4 = arith.constant dense<[16.765398, 12.9821005]> : tensor<2xf32>
  check.expect_close %r3, %c4 : tensor<2xf32>
  return
}

func.func @test_batch_norm_backward() {
  %c1 = arith.constant dense<[[[-0.980000019, 1.38999999], [0.819999993, -0.400000006]], [[-0.870000005, -1.88999999], [-0.389999986, -0.0299999993]], [[-0.0799999982, -0.0900000036], [-1.12, -0.0700000003]]]> : tensor<3x2x2xf32>
  %c2 = arith.constant dense<[[[0.159999996, 0.0500000007], [1.90999997, -1.03999996]], [[-1.55999994, -1.00999999], [-1.33000004, 0.75]], [[0.819999993, -0.959999979], [-1.38999999, -0.349999994]]]> : tensor<3x2x2xf32>
  %c3 = arith.constant dense<[1.38999999, -2.81999993]> : tensor<2xf32>
  %c4 = arith.constant dense<[-0.416666657, -0.241666675]> : tensor<2xf32>
  %c5 = arith.constant dense<[0.672355533, 1.46088052]> : tensor<2xf32>
  %r6:3 = graph.batch_norm_backward %c1, %c2, %c3, %c4, %c5 {epsilon = 0.001 : f64} : (tensor<3x2x2xf32>, tensor<3x2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<3x2x2xf32>, tensor<2xf32>, tensor<2xf32>)
  %c7 = arith.constant dense<[[[-1.46832645, 2.64540076], [-0.216914415, -0.330397815]], [[0.268187642, -1.95530748], [-0.644600928, 0.602062464]], [[-0.538637221, 1.04868281], [0.99783051, -0.407979727]]]> : tensor<3x2x2xf32>
  check.expect_close %r6#0, %c7 : tensor<3x2x2xf32>
  %c8 = arith.constant dense<[2.61960268, 3.11981726]> : tensor<2xf32>
  check.expect_close %r6#1, %c8 : tensor<2xf32>
  %c9 = arith.constant dense<[-2.51999998, -1.19000006]> : tensor<2xf32>
  check.expect_close %r6#2, %c9 : tensor<2xf32>
  %c10 = arith.constant dense<[[[-0.980000019, 1.38999999], [0.819999993, -0.400000006]], [[-0.870000005, -1.88999999], [-0.389999986, -0.0299999993]], [[-0.0799999982, -0.0900000036], [-1.12, -0.0700000003]]]> : tensor<3x2x2xf32>
  %c11 = arith.constant dense<[[[0.159999996, 0.0500000007], [1.90999997, -1.03999996]], [[-1.55999994, -1.00999999], [-1.33000004, 0.75]], [[0.819999993, -0.959999979], [-1.38999999, -0.349999994]]]> : tensor<3x2x2xf32>
  %c12 = arith.constant dense<[-0.416666657, -0.241666675]> : tensor<2xf32>
  %c13 = arith.constant dense<[0.672355533, 1.46088052]> : tensor<2xf32>
  %r14:2 = graph.batch_norm_backward_reduce %c10, %c11, %c12, %c13 {epsilon = 0.001 : f64} : (tensor<3x2x2xf32>, tensor<3x2x2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %c15 = arith.constant dense<[2.61960268, 3.11981726]> : tensor<2xf32>
  check.expect_close %r14#0, %c15 : tensor<2xf32>
  %c16 = arith.constant dense<[-2.51999998, -1.19000006]> : tensor<2xf32>
  check.expect_close %r14#1, %c16 : tensor<2xf32>
  %c17 = arith.constant dense<[[[-0.980000019, 1.38999999], [0.819999993, -0.400000006]], [[-0.870000005, -1.88999999], [-0.389999986, -0.0299999993]], [[-0.0799999982, -0.0900000036], [-1.12, -0.0700000003]]]> : tensor<3x2x2xf32>
  %c18 = arith.constant dense<[[[0.159999996, 0.0500000007], [1.90999997, -1.03999996]], [[-1.55999994, -1.00999999], [-1.33000004, 0.75]], [[0.819999993, -0.959999979], [-1.38999999, -0.349999994]]]> : tensor<3x2x2xf32>
  %c19 = arith.constant dense<[1.38999999, -2.81999993]> : tensor<2xf32>
  %c20 = arith.constant dense<[-0.416666657, -0.241666675]> : tensor<2xf32>
  %c21 = arith.constant dense<[0.672355533, 1.46088052]> : tensor<2xf32>
  %c22 = arith.constant dense<[2.61960268, 3.11981726]> : tensor<2xf32>
  %c23 = arith.constant dense<[-2.51999998, -1.19000006]> : tensor<2xf32>
  %r24 = graph.batch_norm_backward_apply %c17, %c18, %c19, %c20, %c21, %c22, %c23 {epsilon = 0.001 : f64, count = 6 : i64} : (tensor<3x2x2xf32>, tensor<3x2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<3x2x2xf32>
  %c25 = arith.constant dense<[[[-1.46832645, 2.64540076], [-0.216914415, -0.330397815]], [[0.268187642, -1.95530748], [-0.644600928, 0.602062464]], [[-0.538637221, 1.04868281], [0.99783051, -0.407979727]]]> : tensor<3x2x2xf32>
  check.expect_close %r24, %c25 : tensor<3x2x2xf32>
  return
}

func.func @test_layer_norm() {
  %c1 = arith.constant dense<[[[-0.0399999991, 1.28999996, 1.87], [-0.140000001, -0.769999981, -0.0599999987]], [[-0.610000014, -0.74000001, -0.0599999987], [-1.03999996, 0.610000014, -0.100000001]]]> : tensor<2x2x3xf32>
  %c2 = arith.constant dense<[[0.25, -0.180000007, -0.730000019], [-0.949999988, -0.239999995, -0.550000012]]> : tensor<2x3xf32>
  %c3 = arith.constant dense<[[0.230000004, -0.0, -1.36000001], [0.0700000003, -1.34000003, -0.620000005]]> : tensor<2x3xf32>
  %r4:3 = graph.layer_norm %c1, %c2, %c3 {axis = 1 : i64, epsilon = 0.001 : f64} : (tensor<2x2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x2x3xf32>, tensor<2xf32>, tensor<2xf32>)
  %c5 = arith.constant dense<[[[0.121067412, -0.183444321, -2.56711912], [0.58786279, -1.04377627, -0.368315578]], [[0.0978916436, 0.138252944, -1.71435761], [1.32502925, -1.75291538, -0.84642756]]]> : tensor<2x2x3xf32>
  check.expect_close %r4#0, %c5 : tensor<2x2x3xf32>
  %c6 = arith.constant dense<[0.358333319, -0.323333323]> : tensor<2xf32>
  check.expect_close %r4#1, %c6 : tensor<2xf32>
  %c7 = arith.constant dense<[1.09388375, 1.84337234]> : tensor<2xf32>
  check.expect_close %r4#2, %c7 : tensor<2xf32>
  %r8:3 = graph.layer_norm %c1, %c2 {axis = 1 : i64, epsilon = 0.001 : f64} : (tensor<2x2x3xf32>, tensor<2x3xf32>) -> (tensor<2x2x3xf32>, tensor<2xf32>, tensor<2xf32>)
  %c9 = arith.constant dense<[[[-0.108932592, -0.183444321, -1.20711911], [0.517862797, 0.29622373, 0.251684427]], [[-0.132108361, 0.138252944, -0.35435763], [1.25502932, -0.412915409, -0.22642757]]]> : tensor<2x2x3xf32>
  check.expect_close %r8#0, %c9 : tensor<2x2x3xf32>
  return
}

func.func @test_layer_norm_backward() {
  %c1 = arith.constant dense<[[[-0.289999992, -2.07999992, 0.0900000036], [0.150000006, -0.159999996, -0.419999987]], [[-0.370000005, -0.980000019, -0.270000011], [-0.550000012, 0.0900000036, -1.20000005]]]> : tensor<2x2x3xf32>
  %c2 = arith.constant dense<[[[-0.0399999991, 1.28999996, 1.87], [-0.140000001, -0.769999981, -0.0599999987]], [[-0.610000014, -0.74000001, -0.0599999987], [-1.03999996, 0.610000014, -0.100000001]]]> : tensor<2x2x3xf32>
  %c3 = arith.constant dense<[[0.25, -0.180000007, -0.730000019], [-0.949999988, -0.239999995, -0.550000012]]> : tensor<2x3xf32>
  %c4 = arith.constant dense<[0.358333319, -0.323333323]> : tensor<2xf32>
  %c5 = arith.constant dense<[1.09388375, 1.84337234]> : tensor<2xf32>
  %r6:3 = graph.layer_norm_backward %c1, %c2, %c3, %c4, %c5 {axis = 1 : i64} : (tensor<2x2x3xf32>, tensor<2x2x3xf32>, tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2x2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>)
  %c7 = arith.constant dense<[[[-0.12730591, 0.300786376, -0.207130626], [-0.199309036, 0.0273576584, 0.205601543]], [[-0.686018109, -0.223219097, -0.0130535839], [0.338886321, -0.24672097, 0.830125451]]]> : tensor<2x2x3xf32>
  check.expect_close %r6#0, %c7 : tensor<2x2x3xf32>
  %c8 = arith.constant dense<[[0.321882188, -1.36709034, 0.0177591182], [0.644828081, 0.352325767, -0.301828414]]> : tensor<2x3xf32>
  check.expect_close %r6#1, %c8 : tensor<2x3xf32>
  %c9 = arith.constant dense<[[-0.659999967, -3.05999994, -0.180000007], [-0.400000006, -0.0699999928, -1.62]]> : tensor<2x3xf32>
  check.expect_close %r6#2, %c9 : tensor<2x3xf32>
  return
}

func.func @test_rms_norm() {
  %c1 = arith.constant dense<[[[-0.0399999991, 1.28999996, 1.87], [-0.140000001, -0.769999981, -0.0599999987]], [[-0.610000014, -0.74000001, -0.0599999987], [-1.03999996, 0.610000014, -0.100000001]]]> : tensor<2x2x3xf32>
  %c2 = arith.constant dense<[[0.25, -0.180000007, -0.730000019], [-0.949999988, -0.239999995, -0.550000012]]> : tensor<2x3xf32>
  %r3:2 = graph.rms_norm %c1, %c2 {axis = 1 : i64, epsilon = 0.001 : f64} : (tensor<2x2x3xf32>, tensor<2x3xf32>) -> (tensor<2x2x3xf32>, tensor<2xf32>)
  %c4 = arith.constant dense<[[[-0.0101843942, -0.236481637, -1.39027166], [0.135452449, 0.188207597, 0.0336084999]], [[-0.241476089, 0.210915521, 0.0693551004], [1.56444824, -0.231817037, 0.0870897397]]]> : tensor<2x2x3xf32>
  check.expect_close %r3#0, %c4 : tensor<2x2x3xf32>
  %c5 = arith.constant dense<[1.01843941, 1.58344972]> : tensor<2xf32>
  check.expect_close %r3#1, %c5 : tensor<2xf32>
  return
}

func.func @test_rms_norm_backward() {
  %c1 = arith.constant dense<[[[-0.289999992, -2.07999992, 0.0900000036], [0.150000006, -0.159999996, -0.419999987]], [[-0.370000005, -0.980000019, -0.270000011], [-0.550000012, 0.0900000036, -1.20000005]]]> : tensor<2x2x3xf32>
  %c2 = arith.constant dense<[[[-0.0399999991, 1.28999996, 1.87], [-0.140000001, -0.769999981, -0.0599999987]], [[-0.610000014, -0.74000001, -0.0599999987], [-1.03999996, 0.610000014, -0.100000001]]]> : tensor<2x2x3xf32>
  %c3 = arith.constant dense<[[0.25, -0.180000007, -0.730000019], [-0.949999988, -0.239999995, -0.550000012]]> : tensor<2x3xf32>
  %c4 = arith.constant dense<[1.01843941, 1.58344972]> : tensor<2xf32>
  %r5:2 = graph.rms_norm_backward %c1, %c2, %c3, %c4 {axis = 1 : i64} : (tensor<2x2x3xf32>, tensor<2x2x3xf32>, tensor<2x3xf32>, tensor<2xf32>) -> (tensor<2x2x3xf32>, tensor<2x3xf32>)
  %c6 = arith.constant dense<[[[-0.0714457184, 0.304189622, -0.178697005], [-0.136758655, 0.0851374045, 0.238846198]], [[-0.432451457, -0.0676088706, 0.283968538], [0.339776039, 0.251779854, 0.998194516]]]> : tensor<2x2x3xf32>
  check.expect_close %r5#0, %c6 : tensor<2x2x3xf32>
  %c7 = arith.constant dense<[[0.369198501, -1.58435869, 0.19705525], [0.884346008, 0.212403119, 0.215678647]]> : tensor<2x3xf32>
  check.expect_close %r5#1, %c7 : tensor<2x3xf32>
  return
}
