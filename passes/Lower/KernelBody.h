// The linalg.generic of one generated kernel.
#ifndef TW_PASSES_LOWER_KERNEL_BODY_H
#define TW_PASSES_LOWER_KERNEL_BODY_H

#include "compiler/Dialect/Graph/Graph.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tw::lower {

/// A kernel for one graph.fused, and how to call it (see GeneratedCall in kernels/abi/plan.proto).
struct KernelInstance {
  mlir::func::FuncOp function; // not in any module yet; its name is empty
  llvm::SmallVector<int64_t> sizes;
  int64_t extent = 1;
  int64_t grain = 1;
};

/// `device` says that a GPU runs it, which changes its extent (see parallelDimensions). Fails with a diagnostic when
/// the body's broadcasts and reductions cannot be walked together.
mlir::FailureOr<KernelInstance> buildKernel(graph::FusedOp op, bool device);
/// A name that says what the kernel does, without a number.
std::string describeKernel(graph::FusedOp op);

} // namespace tw::lower
#endif
