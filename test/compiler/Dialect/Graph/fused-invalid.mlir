// RUN: tw-opt %s --split-input-file --verify-diagnostics

func.func @argument_types(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{(C1) the types of the block arguments differ from those of the inputs}}
  %0 = graph.fused ins(%x) {
  ^bb0(%x0: tensor<5xf32>):
    graph.fused_yield %x0 : tensor<5xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----
func.func @result_types(%x: tensor<4xf32>) -> tensor<5xf32> {
  // expected-error@+1 {{(C1) the types of the yielded values differ from those of the results}}
  %0 = graph.fused ins(%x) {
  ^bb0(%x0: tensor<4xf32>):
    graph.fused_yield %x0 : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----
func.func @no_results(%x: tensor<4xf32>) {
  // expected-error@+1 {{(C1) needs at least one result}}
  graph.fused ins(%x) {
  ^bb0(%x0: tensor<4xf32>):
    graph.fused_yield
  } : (tensor<4xf32>) -> ()
  return
}

// -----
func.func @foreign_op(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = graph.fused ins(%x) {
  ^bb0(%x0: tensor<4x4xf32>):
    // expected-error@+1 {{(C2) cannot stand in graph.fused}}
    %1 = graph.matmul %x0, %x0 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    graph.fused_yield %1 : tensor<4x4xf32>
  } : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----
func.func @reduction_used_inside(%x: tensor<4x1xf32>) -> tensor<4xf32> {
  %0 = graph.fused ins(%x) {
  ^bb0(%x0: tensor<4x1xf32>):
    // expected-error@+1 {{(C2) the result of a reduction can only be yielded}}
    %1 = graph.reduce %x0 {kind = #graph.reduction<sum>, dimensions = array<i64: 1>} : (tensor<4x1xf32>) -> tensor<4xf32>
    %2 = arith.negf %1 : tensor<4xf32>
    graph.fused_yield %2 : tensor<4xf32>
  } : (tensor<4x1xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----
func.func @other_domain(%x: tensor<4xf32>, %y: tensor<5xf32>) -> tensor<4xf32> {
  %0 = graph.fused ins(%x, %y) {
  ^bb0(%x0: tensor<4xf32>, %y0: tensor<5xf32>):
    // expected-error@+1 {{(C3) has 5 elements, but the domain has 4}}
    %1 = arith.negf %y0 : tensor<5xf32>
    %2 = arith.negf %x0 : tensor<4xf32>
    graph.fused_yield %2 : tensor<4xf32>
  } : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----
func.func @other_reduction(%x: tensor<4x5xf32>) -> (tensor<4xf32>, tensor<5xf32>) {
  %0:2 = graph.fused ins(%x) {
  ^bb0(%x0: tensor<4x5xf32>):
    %1 = graph.reduce %x0 {kind = #graph.reduction<sum>, dimensions = array<i64: 1>} : (tensor<4x5xf32>) -> tensor<4xf32>
    // expected-error@+1 {{(C4) reduces other dimensions than an earlier reduction}}
    %2 = graph.reduce %x0 {kind = #graph.reduction<sum>, dimensions = array<i64: 0>} : (tensor<4x5xf32>) -> tensor<5xf32>
    graph.fused_yield %1, %2 : tensor<4xf32>, tensor<5xf32>
  } : (tensor<4x5xf32>) -> (tensor<4xf32>, tensor<5xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<5xf32>
}

// -----
func.func @half_a_call(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{(C5) kernel, sizes, extent and grain come together}}
  %0 = graph.fused ins(%x) attributes {kernel = "fused_negf_f32_0"} {
  ^bb0(%x0: tensor<4xf32>):
    %1 = arith.negf %x0 : tensor<4xf32>
    graph.fused_yield %1 : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
