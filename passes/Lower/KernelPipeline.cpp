#include "passes/Lower/KernelPipeline.h"

#include "passes/Lower/Passes.h"

using namespace mlir;

namespace tw::lower {

void buildFusionPipeline(OpPassManager &pipeline, const std::string &target) {
  pipeline.addPass(createDecomposeElementwisePass({target}));
  pipeline.addPass(createFuseElementwisePass());
  pipeline.addPass(createGenerateKernelsPass({target}));
}

void buildKernelCodePipeline(OpPassManager &pipeline, const std::string &target) {
  pipeline.addPass(createKernelLoopsPass({target == "cuda" ? "cuda-on-host" : target}));
  pipeline.addPass(createExpandMathPass());
  pipeline.addPass(createKernelsToLLVMPass());
}

} // namespace tw::lower
