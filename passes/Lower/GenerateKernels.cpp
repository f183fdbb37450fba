// tw-lower-generate-kernels: a kernel for each graph.fused, shared by those of equal structure.
#include "passes/Lower/KernelBody.h"
#include "passes/Lower/KernelShape.h"
#include "passes/Lower/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace tw::lower {
#define GEN_PASS_DEF_GENERATEKERNELSPASS
#include "passes/Lower/Passes.h.inc"

namespace {

struct GenerateKernelsPass : impl::GenerateKernelsPassBase<GenerateKernelsPass> {
  using GenerateKernelsPassBase::GenerateKernelsPassBase;

  void runOnOperation() override {
    OpBuilder builder(&getContext());
    builder.setInsertionPointToEnd(getOperation().getBody());
    auto kernels = ModuleOp::create(builder, getOperation().getLoc(), kernelModuleName);
    llvm::StringMap<std::string> names; // of the kernel with that text
    WalkResult result = getOperation()->walk([&](graph::FusedOp op) {
      auto instance = buildKernel(op, target == "cuda");
      if (failed(instance))
        return WalkResult::interrupt();
      describeCall(op, *instance, place(*instance, describeKernel(op), kernels, names));
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  /// The name of the kernel in the module, which is another's when the code is the same.
  std::string place(KernelInstance &instance, StringRef description, ModuleOp kernels,
                    llvm::StringMap<std::string> &names) {
    std::string text;
    llvm::raw_string_ostream(text) << instance.function;
    auto [known, isNew] = names.try_emplace(text);
    if (!isNew) {
      instance.function.erase();
      return known->second;
    }
    known->second = (description + "_" + Twine(names.size() - 1)).str();
    instance.function.setName(known->second);
    kernels.push_back(instance.function);
    return known->second;
  }

  static void describeCall(graph::FusedOp op, const KernelInstance &instance, StringRef name) {
    op.setKernel(name);
    op.setSizes(instance.sizes);
    op.setExtent(instance.extent);
    op.setGrain(instance.grain);
  }
};

} // namespace
} // namespace tw::lower
