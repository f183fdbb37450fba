// The Lower phase: from a train step over tensors to an executable plan.
//
//   unroll-micro-batches   graph.accumulate becomes straight-line code
//   decompose-elementwise  elementwise graph ops become arith and math
//   fuse-elementwise       chains of elementwise ops and row reductions become plan.fused
//   merge-all-reduces      all_reduces of one group become one
//   fold-matmul-bias       additions after a matmul become its initial value
//   select-kernels         every other graph op becomes plan.kernel
//   eliminate-copies       reshapes, slices, transposes and concats become plan.view and plan.assemble
//   generate-kernels       bodies of plan.fused become functions for an object file
//   schedule               a linear order that lowers the peak
//   plan-memory            functions become plan.programs: every value gets its place in the arena
#ifndef TW_PASSES_LOWER
#define TW_PASSES_LOWER
include "mlir/Pass/PassBase.td"

def UnrollMicroBatchesPass : Pass<"tw-lower-unroll-micro-batches", "mlir::func::FuncOp"> {
  let summary = "turn graph.accumulate into straight-line code";
  let description = [{
    The body is copied once a micro-batch. Slices of the stacked operands become `graph.slice`s, sums become additions
    in iteration order, stacked results a `graph.concat`.
  }];
  let dependentDialects = ["::tw::graph::GraphDialect", "mlir::arith::ArithDialect"];
}

def FoldMatMulBiasPass : Pass<"tw-lower-fold-matmul-bias", "mlir::func::FuncOp"> {
  let summary = "turn additions after a matmul into its initial value";
  let description = [{
    `matmul(a, b) + broadcast(bias)` becomes `matmul(a, b, bias)`, and `acc + matmul(a, b)` becomes
    `matmul(a, b, acc)`, when the product has no other use: one pass over the result less, and no temporary.
  }];
  let dependentDialects = ["::tw::graph::GraphDialect", "mlir::arith::ArithDialect"];
}

def SelectKernelsPass : Pass<"tw-lower-select-kernels", "mlir::ModuleOp"> {
  let summary = "turn graph ops into calls of kernels";
  let description = [{
    The kernel's name follows from the op, its types and the target (kernels/abi/README.md). An op without kernel is an
    error that names the ONNX node. Reshapes stay: they become views.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"host\"", "host or cuda">,
    Option<"threads", "threads", "int64_t", "0", "threads a kernel may use (0: all cores); decides workspace">,
  ];
  let dependentDialects = ["::tw::graph::GraphDialect", "::tw::plan::PlanDialect"];
}
#endif
