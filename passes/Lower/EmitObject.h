// Generated kernels as host code.
#ifndef TW_PASSES_LOWER_EMIT_OBJECT_H
#define TW_PASSES_LOWER_EMIT_OBJECT_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"

#include <string>

namespace tw::lower {

struct EmitOptions {
  std::string cpu = "native"; // LLVM's name of the CPU, such as "haswell" or "znver4", or "native"
};

/// The CPU that `options` names: LLVM's name, and the features that code for it may use ("+avx2,+fma,...").
struct HostCpu {
  std::string name;
  std::string features;
};
/// Fails when LLVM does not know the name; `message` says what to do.
mlir::FailureOr<HostCpu> resolveCpu(llvm::StringRef cpu, std::string &message);

/// `kernels` is the module @generated_kernels in the LLVM dialect. The object file defines the kernels and
/// `tw_generated_kernels`, the array of tw_generated_kernel that ends with a null name. Errors are diagnosed at the
/// module.
mlir::FailureOr<llvm::SmallVector<char>> emitHostObject(mlir::ModuleOp kernels, const EmitOptions &options);
/// The same as text.
mlir::FailureOr<std::string> emitHostAssembly(mlir::ModuleOp kernels, const EmitOptions &options);

} // namespace tw::lower
#endif
