// tw-lower-emit-assembly: prints the assembly of generated kernels.
#include "passes/Lower/EmitObject.h"
#include "passes/Lower/KernelShape.h"
#include "passes/Lower/Passes.h"

using namespace mlir;

namespace tw::lower {
#define GEN_PASS_DEF_EMITASSEMBLYPASS
#include "passes/Lower/Passes.h.inc"

namespace {

struct EmitAssemblyPass : impl::EmitAssemblyPassBase<EmitAssemblyPass> {
  using EmitAssemblyPassBase::EmitAssemblyPassBase;
  void runOnOperation() override {
    auto kernels = getOperation().lookupSymbol<ModuleOp>(kernelModuleName);
    if (!kernels)
      return;
    auto text = emitHostAssembly(kernels, {cpu});
    if (failed(text))
      return signalPassFailure();
    llvm::outs() << *text;
  }
};

} // namespace
} // namespace tw::lower
