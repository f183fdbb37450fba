// RUN: tw-opt %s -split-input-file -verify-diagnostics

// expected-error@+1 {{(C1) type is 'tensor<?xf32>', expected a ranked tensor of static shape}}
graph.parameter @p : tensor<?xf32> {role = #graph.role<trainable>}

// -----

// expected-error@+1 {{(C1) type is 'f32', expected a ranked tensor}}
graph.parameter @p : f32 {role = #graph.role<trainable>}

// -----

// expected-error@+1 {{(C2) has 2 sources, expected at most one of file, value, fill and copy_of}}
graph.parameter @p : tensor<2xf32> {role = #graph.role<trainable>, fill = 0.0 : f64, value = dense<1.0> : tensor<2xf32>}

// -----

// expected-error@+1 {{(C2) file, offset and length come together}}
graph.parameter @p : tensor<2xf32> {role = #graph.role<trainable>, file = "m.onnx", length = 8 : i64}

// -----

// expected-error@+1 {{(C2) file, offset and length come together}}
graph.parameter @p : tensor<2xf32> {role = #graph.role<trainable>, offset = 8 : i64}

// -----

// expected-error@+1 {{(C2) offset is -1, expected 0 or more}}
graph.parameter @p : tensor<2xf32> {role = #graph.role<trainable>, file = "m.onnx", offset = -1 : i64, length = 8 : i64}

// -----

// expected-error@+1 {{(C2) length is 4, expected 8, the size of 'tensor<2xf32>'}}
graph.parameter @p : tensor<2xf32> {role = #graph.role<trainable>, file = "m.onnx", offset = 0 : i64, length = 4 : i64}

// -----

// expected-error@+1 {{(C3) value has type 'tensor<3xf32>', expected 'tensor<2xf32>'}}
graph.parameter @p : tensor<2xf32> {role = #graph.role<trainable>, value = dense<1.0> : tensor<3xf32>}

// -----

// expected-error@+1 {{(C3) copy_of 'q' does not name a graph.parameter}}
graph.parameter @p : tensor<2xf32> {role = #graph.role<trainable>, copy_of = @q}

// -----

graph.parameter @q : tensor<3xf32> {role = #graph.role<trainable>}
// expected-error@+1 {{(C3) copy_of 'q' has type 'tensor<3xf32>', expected 'tensor<2xf32>'}}
graph.parameter @p : tensor<2xf32> {role = #graph.role<trainable>, copy_of = @q}

// -----

graph.parameter @o : tensor<2xf32> {role = #graph.role<trainable>}
graph.parameter @q : tensor<2xf32> {role = #graph.role<trainable>, copy_of = @o}
// expected-error@+1 {{(C3) copy_of 'q' does not name a graph.parameter that is no copy itself}}
graph.parameter @p : tensor<2xf32> {role = #graph.role<trainable>, copy_of = @q}

// -----

graph.parameter @p : tensor<2xf32> {role = #graph.role<trainable>}
func.func @f(%x: tensor<2xf32>, %y: tensor<3xf32>) {
  // expected-error@+1 {{(C1) 'q' does not name a graph.parameter}}
  %0 = graph.load @q : tensor<2xf32>
  return
}

// -----

graph.parameter @p : tensor<2xf32> {role = #graph.role<trainable>}
func.func @f(%x: tensor<2xf32>, %y: tensor<3xf32>) {
  // expected-error@+1 {{(C1) parameter 'p' has type 'tensor<2xf32>', but this op has 'tensor<3xf32>'}}
  %0 = graph.load @p : tensor<3xf32>
  return
}

// -----

graph.parameter @p : tensor<2xf32> {role = #graph.role<trainable>}
func.func @f(%x: tensor<2xf32>, %y: tensor<3xf32>) {
  // expected-error@+1 {{(C1) parameter 'p' has type 'tensor<2xf32>', but this op has 'tensor<3xf32>'}}
  graph.store %y, @p : tensor<3xf32>
  return
}

// -----

graph.parameter @p : tensor<2xf32> {role = #graph.role<trainable>}
func.func @f(%x: tensor<2xf32>, %y: tensor<3xf32>) {
  graph.store %x, @p : tensor<2xf32>
  // expected-error@+1 {{(C2) stores to 'p' a second time}}
  graph.store %x, @p : tensor<2xf32>
  return
}

// -----

graph.parameter @p : tensor<2xf32> {role = #graph.role<trainable>}
func.func @f(%x: tensor<2xf32>, %y: tensor<3xf32>) {
  %r = graph.accumulate micro_batches 1 slices() carries(%x) {
  ^bb0(%i: tensor<i64>, %a: tensor<2xf32>):
    // expected-error@+1 {{(C2) must stand directly in a function, not in a region of another op}}
    graph.store %a, @p : tensor<2xf32>
    graph.yield sums() carries(%a) stacks() : () (tensor<2xf32>) ()
  } : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %m: tensor<3xf32>) {
  // expected-error@+1 {{(C1) micro_batches is 0, expected at least 1}}
  %r:3 = graph.accumulate micro_batches 0 slices(%x) carries(%m) {
  ^bb0(%i: tensor<i64>, %a: tensor<3xf32>, %b: tensor<3xf32>):
    graph.yield sums(%a) carries(%b) stacks(%a) : (tensor<3xf32>) (tensor<3xf32>) (tensor<3xf32>)
  } : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>)
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %m: tensor<3xf32>) {
  // expected-error@+1 {{(C1) a sliced operand has shape [2, 3], expected 3 as dimension 0}}
  %r:3 = graph.accumulate micro_batches 3 slices(%x) carries(%m) {
  ^bb0(%i: tensor<i64>, %a: tensor<3xf32>, %b: tensor<3xf32>):
    graph.yield sums(%a) carries(%b) stacks(%a) : (tensor<3xf32>) (tensor<3xf32>) (tensor<3xf32>)
  } : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>)
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %m: tensor<3xf32>) {
  // expected-error@+1 {{(C2) block arguments have types ('tensor<i64>', 'tensor<2x3xf32>', 'tensor<3xf32>'), expected ('tensor<i64>', 'tensor<3xf32>', 'tensor<3xf32>')}}
  %r:3 = graph.accumulate micro_batches 2 slices(%x) carries(%m) {
  ^bb0(%i: tensor<i64>, %a: tensor<2x3xf32>, %b: tensor<3xf32>):
    graph.yield sums(%b) carries(%b) stacks(%b) : (tensor<3xf32>) (tensor<3xf32>) (tensor<3xf32>)
  } : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>)
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %m: tensor<3xf32>) {
  // expected-error@+1 {{(C2) yielded sums have types ('tensor<3xf32>'), expected ('tensor<2xf32>')}}
  %r:3 = graph.accumulate micro_batches 2 slices(%x) carries(%m) {
  ^bb0(%i: tensor<i64>, %a: tensor<3xf32>, %b: tensor<3xf32>):
    graph.yield sums(%a) carries(%b) stacks(%a) : (tensor<3xf32>) (tensor<3xf32>) (tensor<3xf32>)
  } : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2xf32>, tensor<3xf32>, tensor<2x3xf32>)
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %m: tensor<3xf32>) {
  // expected-error@+1 {{(C2) yielded carried values have types ('tensor<3xf32>'), expected ('tensor<2xf32>')}}
  %r:3 = graph.accumulate micro_batches 2 slices(%x) carries(%m) {
  ^bb0(%i: tensor<i64>, %a: tensor<3xf32>, %b: tensor<3xf32>):
    graph.yield sums(%a) carries(%b) stacks(%a) : (tensor<3xf32>) (tensor<3xf32>) (tensor<3xf32>)
  } : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<2xf32>, tensor<2x3xf32>)
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %m: tensor<3xf32>) {
  // expected-error@+1 {{(C2) a stacked result has type 'tensor<3x3xf32>', expected 2 as dimension 0}}
  %r:3 = graph.accumulate micro_batches 2 slices(%x) carries(%m) {
  ^bb0(%i: tensor<i64>, %a: tensor<3xf32>, %b: tensor<3xf32>):
    graph.yield sums(%a) carries(%b) stacks(%a) : (tensor<3xf32>) (tensor<3xf32>) (tensor<3xf32>)
  } : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3x3xf32>)
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %m: tensor<3xf32>) {
  // expected-error@+1 {{(C2) yielded stacked values have types ('tensor<3xf32>'), expected ('tensor<2xf32>')}}
  %r:3 = graph.accumulate micro_batches 2 slices(%x) carries(%m) {
  ^bb0(%i: tensor<i64>, %a: tensor<3xf32>, %b: tensor<3xf32>):
    graph.yield sums(%a) carries(%b) stacks(%a) : (tensor<3xf32>) (tensor<3xf32>) (tensor<3xf32>)
  } : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<2x2xf32>)
  return
}
