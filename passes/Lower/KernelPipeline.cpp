#include "passes/Lower/KernelPipeline.h"

#include "passes/Lower/KernelShape.h"
#include "passes/Lower/Passes.h"

using namespace mlir;

namespace tw::lower {

void buildFusionPipeline(OpPassManager &pipeline) {
  pipeline.addPass(createDecomposeElementwisePass());
  pipeline.addPass(createFuseElementwisePass());
  pipeline.addPass(createGenerateKernelsPass());
}

void buildKernelCodePipeline(OpPassManager &pipeline) {
  pipeline.addPass(createKernelLoopsPass());
  pipeline.addPass(createExpandMathPass());
  pipeline.addPass(createKernelsToLLVMPass());
}

FailureOr<SmallVector<char>> compileGeneratedKernels(ModuleOp program, const EmitOptions &options) {
  OwningOpRef<ModuleOp> holder(ModuleOp::create(program.getLoc()));
  auto kernels = program.lookupSymbol<ModuleOp>(kernelModuleName);
  Operation *copy = kernels ? kernels->clone() : ModuleOp::create(program.getLoc(), kernelModuleName).getOperation();
  holder->push_back(copy);
  PassManager passes(program.getContext());
  buildKernelCodePipeline(passes);
  if (failed(passes.run(*holder)))
    return failure();
  return emitHostObject(cast<ModuleOp>(copy), options);
}

} // namespace tw::lower
