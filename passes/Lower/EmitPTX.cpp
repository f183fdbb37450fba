// tw-lower-emit-ptx: prints the PTX of generated kernels.
#include "passes/Lower/EmitDeviceCode.h"
#include "passes/Lower/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace tw::lower {
#define GEN_PASS_DEF_EMITPTXPASS
#include "passes/Lower/Passes.h.inc"

namespace {

struct EmitPTXPass : impl::EmitPTXPassBase<EmitPTXPass> {
  using EmitPTXPassBase::EmitPTXPassBase;

  void runOnOperation() override {
    DeviceOptions options;
    options.chip = chip;
    options.assembly = true;
    auto text = emitDeviceCode(getOperation(), options);
    if (failed(text))
      return signalPassFailure();
    llvm::outs() << StringRef(text->data(), text->size());
  }
};

} // namespace
} // namespace tw::lower
