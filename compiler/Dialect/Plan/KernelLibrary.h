// How passes ask which kernels exist: an interface that a tool attaches to the plan dialect, since the compiler does
// not link the kernels themselves.
#ifndef TW_COMPILER_DIALECT_PLAN_KERNELLIBRARY_H
#define TW_COMPILER_DIALECT_PLAN_KERNELLIBRARY_H

#include "kernels/abi/kernel.h"
#include "mlir/IR/DialectInterface.h"
#include "mlir/IR/DialectRegistry.h"

namespace tw::plan {

class KernelLibrary : public mlir::DialectInterface::Base<KernelLibrary> {
public:
  using Find = const tw_kernel *(*)(const char *name);
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(KernelLibrary)

  KernelLibrary(mlir::Dialect *dialect, Find find) : Base(dialect), findKernel(find) {}
  /// The kernel of that name, or null.
  const tw_kernel *find(const std::string &name) const { return findKernel(name.c_str()); }
  /// The library attached in this context, or null.
  static const KernelLibrary *get(mlir::MLIRContext *context);

private:
  Find findKernel;
};

/// Makes `find` (normally tw_find_kernel) answer in every context made from `registry`.
void attachKernelLibrary(mlir::DialectRegistry &registry, KernelLibrary::Find find);

} // namespace tw::plan
#endif
