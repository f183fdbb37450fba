// The Lower phase: from a train step over tensors to an executable plan.
//
//   keep-programs          functions that no program comes from disappear
//   unroll-micro-batches   graph.accumulate becomes straight-line code
//   collectives            shard.all_reduces of one group become one plan.all_reduce
//   decompose-elementwise  elementwise graph ops become arith and math
//   fuse-elementwise       chains of elementwise ops and row reductions become graph.fused
//   fold-matmul-bias       additions after a matmul become its initial value
//   select-kernels         every other graph op becomes plan.kernel
//   eliminate-copies       reshapes, slices, transposes and concats become plan.view and plan.assemble
//   generate-kernels       bodies of graph.fused become functions for an object file
//   schedule               a linear order that lowers the peak
//   plan-memory            functions become plan.programs: every value gets its place in the arena
#ifndef TW_PASSES_LOWER
#define TW_PASSES_LOWER
include "mlir/Pass/PassBase.td"
include "passes/Lower/KernelPasses.td"

def KeepProgramsPass : Pass<"tw-lower-keep-programs", "mlir::ModuleOp"> {
  let summary = "drop the functions that no program comes from";
  let description = [{ Programs are `@train`, `@dump` and `@evaluate`, or what `programs` names. }];
  let options = [ListOption<"programs", "programs", "std::string", "functions that become programs">];
}

def UnrollMicroBatchesPass : Pass<"tw-lower-unroll-micro-batches", "mlir::func::FuncOp"> {
  let summary = "turn graph.accumulate into straight-line code";
  let description = [{
    The body is copied once a micro-batch. Slices of the stacked operands become `graph.slice`s, sums become additions
    in iteration order, stacked results a `graph.concat`.
  }];
  let dependentDialects = ["::tw::graph::GraphDialect", "mlir::arith::ArithDialect"];
}

def LowerCollectivesPass : Pass<"tw-lower-collectives", "mlir::ModuleOp"> {
  let summary = "turn shard.all_reduces and rank indices into plan ops";
  let description = [{
    Neighbouring all_reduces with the same `group` number become one `plan.all_reduce`. A number computed from the rank's
    place in the grid becomes a `plan.rank`. The grid disappears.
  }];
  let dependentDialects = ["::tw::plan::PlanDialect", "mlir::arith::ArithDialect"];
}

def FoldMatMulBiasPass : Pass<"tw-lower-fold-matmul-bias", "mlir::func::FuncOp"> {
  let summary = "turn additions after a matmul into its initial value";
  let description = [{
    `matmul(a, b) + broadcast(bias)` becomes `matmul(a, b, bias)`, and `acc + matmul(a, b)` becomes
    `matmul(a, b, acc)`, when the product has no other use: one pass over the result less, and no temporary. A bias
    along rows is such an `acc`, broadcast into the result's memory: alone that is up to a fifth faster than adding it
    afterwards (the less the longer the inner dimension), before another elementwise op as fast, in equal memory.
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

def EliminateCopiesPass : Pass<"tw-lower-eliminate-copies", "mlir::ModuleOp"> {
  let summary = "turn reshapes, slices, transposes, broadcasts and concats into views of memory";
  let description = [{
    A result that a concat or a transpose reads is written straight to where it is wanted, when its kernel takes
    strides; what is left becomes `plan.view`. Where a user needs row-major elements and they are not, one strided copy
    serves all its users.
  }];
  let options = [Option<"target", "target", "std::string", "\"host\"", "host or cuda">];
  let dependentDialects = ["::tw::graph::GraphDialect", "::tw::plan::PlanDialect"];
}

def SchedulePass : Pass<"tw-lower-schedule", "mlir::func::FuncOp"> {
  let summary = "a linear order that lowers the peak";
  let description = [{
    Program order, except that an op which only feeds stores (an optimizer update) runs as soon as its operands are
    final and nothing will read the parameters that it overwrites, and that an op whose operands are parameters,
    constants or inputs runs just before its first user.
  }];
  let dependentDialects = ["::tw::graph::GraphDialect", "::tw::plan::PlanDialect"];
}

def PlanMemoryPass : Pass<"tw-lower-plan-memory", "mlir::ModuleOp"> {
  let summary = "give every value its place in the arena: functions become plan.programs";
  let description = [{
    Parameters lie at the bottom, at the same offsets in every program (`plan.offset` on each graph.parameter), then
    constants. All other memory is placed by lifetime. A result takes the place of an operand that dies when the op
    allows it, and a stored value the place of its parameter.
  }];
  let options = [Option<"target", "target", "std::string", "\"host\"", "host or cuda">];
  let dependentDialects = ["::tw::graph::GraphDialect", "::tw::plan::PlanDialect"];
}
#endif
