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
    std::string message;
    FailureOr<unsigned> architecture = parseArchitecture(chip, message);
    if (failed(architecture)) {
      getOperation().emitError() << message;
      return signalPassFailure();
    }
    DeviceOptions options;
    options.architectures = {*architecture};
    FailureOr<std::string> text = emitPTX(getOperation(), options);
    if (failed(text))
      return signalPassFailure();
    llvm::outs() << *text;
  }
};

} // namespace
} // namespace tw::lower
