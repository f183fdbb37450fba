// The passes that turn elementwise ops into generated kernels.
#ifndef TW_PASSES_LOWER_KERNELS
#define TW_PASSES_LOWER_KERNELS
include "mlir/Pass/PassBase.td"

def DecomposeElementwisePass : Pass<"tw-lower-decompose-elementwise"> {
  let summary = "turn elementwise graph ops into arith and math";
  let description = [{
    `graph.gelu`, `graph.gelu_backward` and `graph.sigmoid` are written out so that no finite or infinite input gives
    NaN. Common subexpressions must not be eliminated between this pass and fusion: a forward op and its backward op
    would share intermediate results, which would then have to be kept in memory. Batch normalisation by given
    statistics and its backward op are written out too, so that they share a walk over memory with the rectifier or
    the addition beside them; on CUDA their reductions stay ops, as generated ones are slow there.
  }];
  let options = [Option<"target", "target", "std::string", "\"host\"", "host or cuda">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def FuseElementwisePass : Pass<"tw-lower-fuse-elementwise"> {
  let summary = "gather elementwise ops and reductions into graph.fused";
  let description = [{
    Ops over the same number of elements join when one uses the other's result or both read the same tensor, unless
    that would make the program cyclic. Nothing is computed twice but broadcasts and constants. Rank-0 arithmetic
    becomes as few ops as its dependences allow. A reduction ends a cluster: its result is read from memory. A
    reduction of a large tensor to a scalar goes through partial sums, so that several threads can share it; the
    grouping depends on the shape alone.
  }];
  let dependentDialects = ["::tw::graph::GraphDialect", "::mlir::arith::ArithDialect"];
}

def GenerateKernelsPass : Pass<"tw-lower-generate-kernels", "mlir::ModuleOp"> {
  let summary = "make a kernel for each graph.fused, shared by those of equal structure";
  let description = [{
    Kernels are functions over memrefs in the nested module `@generated_kernels`, a `linalg.generic` each. Neighbouring
    dimensions that all operands treat alike are collapsed, so that the same arithmetic on tensors of different shapes
    is the same kernel. Sets `kernel`, `sizes`, `extent` and `grain` of the op.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"host\"", "host or cuda: decides what the parallel loop covers">,
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect",
      "::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::func::FuncDialect"];
}

def KernelLoopsPass : Pass<"tw-lower-kernel-loops", "mlir::ModuleOp"> {
  let summary = "turn generated kernels into loops with the ABI of tw_generated_run";
  let description = [{
    Each kernel of `@generated_kernels` becomes `(buffers, sizes, begin, end)` with scf loops. Values that do not change
    in a loop are loaded before it, reductions along the innermost dimension stay in registers, and innermost loops are
    marked parallel, so that LLVM vectorises them without asking whether buffers overlap (a result may share memory
    with an input, element for element). For CUDA each becomes a gpu.func `(buffers..., sizes..., extent)` of
    grid-stride loops in a gpu.module of the same name.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"host\"",
        "host, cuda, or cuda-on-host: CUDA's loops with the host's ABI, so that tests can run them without a GPU">,
  ];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::LLVM::LLVMDialect", "::mlir::gpu::GPUDialect", "::mlir::arith::ArithDialect",
      "::mlir::math::MathDialect"];
}

def ExpandMathPass : Pass<"tw-lower-expand-math", "mlir::ModuleOp"> {
  let summary = "write f32 exp, log, tanh and erf in generated kernels as polynomials";
  let description = [{
    Straight-line code that the loop vectoriser can widen; the largest relative error is below 2e-6. f64 stays for libm.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def KernelsToLLVMPass : Pass<"tw-lower-kernels-to-llvm", "mlir::ModuleOp"> {
  let summary = "lower the loops of generated kernels to the LLVM dialect";
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::cf::ControlFlowDialect"];
}

def EmitAssemblyPass : Pass<"tw-lower-emit-assembly", "mlir::ModuleOp"> {
  let summary = "print the assembly of generated kernels";
  let description = [{ For tests and for reading. The module itself is printed after it, so send that to /dev/null. }];
  let options = [
    Option<"cpu", "cpu", "std::string", "\"native\"", "LLVM's name of the CPU, or native">,
  ];
}

def EmitPTXPass : Pass<"tw-lower-emit-ptx", "mlir::ModuleOp"> {
  let summary = "print the PTX of generated kernels";
  let description = [{ The kernels must be those that tw-lower-generate-kernels makes for target=cuda. }];
  let options = [Option<"chip", "chip", "std::string", "\"sm_80\"", "NVIDIA's name of the architecture">];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::NVVM::NVVMDialect"];
}

def ExecuteKernelsPass : Pass<"tw-lower-execute-kernels", "mlir::ModuleOp"> {
  let summary = "compile the elementwise ops of every function and compare them with the reference interpreter";
  let description = [{
    Decomposes, fuses, generates and compiles, then calls each function on random arguments: its fused ops by their
    kernels in three pieces, once with results in memory of their own and once over inputs where that is allowed.
    Prints a line for each function. For tests.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"host\"", "host, or cuda: the kernels made for it, run on the host">,
    Option<"cpu", "cpu", "std::string", "\"native\"", "LLVM's name of the CPU, or native">,
    Option<"seed", "seed", "uint64_t", "1", "of the random arguments">,
    Option<"rounds", "rounds", "int64_t", "4", "sets of arguments">,
    Option<"special", "special", "bool", "false", "half of the arguments are zeros, infinities, NaN, tiny or huge">,
    Option<"scale", "scale", "double", "1.0", "standard deviation of the arguments">,
    Option<"tolerance", "tolerance", "double", "2e-6", "largest error that agrees, relative to the expected value">,
    Option<"floor", "floor", "double", "1e-30", "smallest number that errors are relative to">,
  ];
}
#endif
