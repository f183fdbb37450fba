// RUN: tw-opt %s --tw-check-execute -split-input-file -verify-diagnostics -o /dev/null
// What cannot be executed is an error at the op, never a crash.

func.func @test_index() {
  %x = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %i = arith.constant dense<[0, 2]> : tensor<2xi64>
  // expected-error@+1 {{index 2 at position 1 is outside of axis 0, which has size 2}}
  %y = graph.gather %x, %i {axis = 0 : i64} : (tensor<2xf32>, tensor<2xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @test_label() {
  %x = arith.constant dense<0.0> : tensor<2x3xf32>
  %labels = arith.constant dense<[0, 3]> : tensor<2xi64>
  // expected-error@+1 {{label 3 of row 1 is outside of [0, 3) and is not the ignored index -100}}
  %loss, %lse = graph.cross_entropy %x, %labels {ignore_index = -100 : i64, label_smoothing = 0.0 : f64} : (tensor<2x3xf32>, tensor<2xi64>) -> (tensor<f32>, tensor<2xf32>)
  return
}

// -----

func.func @test_division() {
  %a = arith.constant dense<[6, 7]> : tensor<2xi32>
  %b = arith.constant dense<[3, 0]> : tensor<2xi32>
  // expected-error@+1 {{element 1 is undefined: the operands are 7 and 0}}
  %c = arith.divsi %a, %b : tensor<2xi32>
  return
}

// -----

// expected-error@+1 {{parameter 'p' has no value: give it one to execute}}
graph.parameter @p : tensor<2xf32> {role = #graph.role<trainable>}
func.func @test_no_value() {
  %p = graph.load @p : tensor<2xf32>
  return
}

// -----

// expected-error@+1 {{cannot read '/does/not/exist': No such file or directory}}
graph.parameter @p : tensor<2xf32> {role = #graph.role<trainable>, file = "/does/not/exist", offset = 0 : i64, length = 8 : i64}
func.func @test_no_file() {
  %p = graph.load @p : tensor<2xf32>
  return
}

// -----

func.func @test_unknown() {
  %x = arith.constant dense<1.0> : tensor<2xf32>
  // expected-error@+1 {{the interpreter cannot execute 'tensor.cast'}}
  %y = tensor.cast %x : tensor<2xf32> to tensor<?xf32>
  return
}

// -----

func.func @test_dynamic(%unused: tensor<f32>) {
  return
}
func.func @test_deep() {
  func.call @loop() : () -> ()
  return
}
// expected-error@+1 {{calls are nested more than 64 deep}}
func.func @loop() {
  func.call @loop() : () -> ()
  return
}

// -----

shard.grid @mesh(shape = 2)
shard.grid @other(shape = 3)
func.func @test_grid() {
  %x = arith.constant dense<1.0> : tensor<3xf32>
  // expected-error@+1 {{the grid 'other' is not one of the 2 ranks that execute}}
  %y = shard.all_reduce %x on @other grid_axes = [0] : tensor<3xf32> -> tensor<3xf32>
  return
}

// -----

shard.grid @mesh(shape = 2)
func.func @test_collective() {
  %x = arith.constant dense<1.0> : tensor<2xf32>
  // expected-error@+1 {{the interpreter cannot execute 'shard.shift'}}
  %y = shard.shift %x on @mesh grid_axes = [0] shift_axis = 0 offset = 1 : tensor<2xf32> -> tensor<2xf32>
  return
}

// -----

// expected-error@+1 {{no function without arguments has a name that starts with 'test_'}}
module {
  func.func @f() {
    return
  }
}
