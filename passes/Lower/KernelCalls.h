// From a graph op to the call of its kernel: name, attributes, operands that may be updated in place, workspace.
// kernels/abi/README.md is the rule.
#ifndef TW_PASSES_LOWER_KERNELCALLS_H
#define TW_PASSES_LOWER_KERNELCALLS_H

#include "compiler/Dialect/Plan/KernelLibrary.h"
#include "compiler/Dialect/Plan/Plan.h"
#include "mlir/IR/Builders.h"

namespace tw::lower {

struct KernelTarget {
  std::string name = "host"; // host or cuda
  int threads = 1;           // threads a kernel may use
};

/// The name of the kernel for `op`, whether or not it exists.
std::string kernelName(mlir::Operation *op, llvm::StringRef target);
/// Inherent attributes of `op` in the form that kernels take: integers, lists of integers, floats and strings.
mlir::DictionaryAttr callAttributes(mlir::Operation *op);
/// Pairs (result, operand) that may share a buffer, flattened.
llvm::SmallVector<int64_t> inPlacePairs(mlir::Operation *op);
/// Scratch bytes that the kernel asks for.
int64_t workspaceBytes(const tw_kernel &kernel, mlir::TypeRange inputs, mlir::TypeRange results,
                       mlir::DictionaryAttr attributes, int threads);

/// Creates the call that computes what `op` does, at `builder`; null after a diagnostic when there is no kernel.
plan::KernelOp createKernelCall(mlir::OpBuilder &builder, mlir::Operation *op, mlir::ValueRange inputs,
                                const KernelTarget &target);
/// The call of the strided copy: identity permutation, contiguous result.
plan::KernelOp createCopyCall(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value input,
                              const KernelTarget &target);

/// The number of plan.proto for an element type, 0 for types that no buffer has.
tw_type typeNumber(mlir::Type elementType);
int64_t elementBytes(mlir::Type elementType);

} // namespace tw::lower
#endif
