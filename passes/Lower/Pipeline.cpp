// The Lower phase as a table of contents.
#include "passes/Lower/Pipeline.h"

#include "passes/Lower/Passes.h"

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace tw::lower {

namespace generated {
#define GEN_PASS_REGISTRATION
#include "passes/Lower/Passes.h.inc"
} // namespace generated

void buildLowerPipeline(OpPassManager &manager, const LowerOptions &options) {
  // Straight-line programs.
  manager.addPass(createKeepProgramsPass());
  manager.addNestedPass<func::FuncOp>(createUnrollMicroBatchesPass());
  manager.addPass(createLowerCollectivesPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());

  // Kernels.
  manager.addPass(createDecomposeElementwisePass({options.target}));
  manager.addNestedPass<func::FuncOp>(createFoldMatMulBiasPass());
  manager.addPass(createFuseElementwisePass());
  manager.addPass(createSelectKernelsPass({options.target, options.threads}));
  manager.addPass(createEliminateCopiesPass({options.target}));
  manager.addPass(createGenerateKernelsPass({options.target}));

  // Order and memory.
  manager.addNestedPass<func::FuncOp>(createSchedulePass());
  manager.addPass(createPlanMemoryPass({options.target}));

  // Code of the generated kernels; for CUDA emitDeviceCode makes it.
  if (options.target != "host")
    return;
  manager.addPass(createKernelLoopsPass());
  manager.addPass(createExpandMathPass());
  manager.addPass(createKernelsToLLVMPass());
}

namespace {
struct PipelineOptions : PassPipelineOptions<PipelineOptions> {
  Option<std::string> target{*this, "target", llvm::cl::desc("host or cuda"), llvm::cl::init("host")};
  Option<int64_t> threads{*this, "threads", llvm::cl::desc("threads a kernel may use (0: all cores)"),
                          llvm::cl::init(0)};
};
} // namespace

void registerLowerPasses() {
  generated::registerLowerPasses();
  PassPipelineRegistration<PipelineOptions>("tw-lower-pipeline", "from the program of one rank to a plan",
                                            [](OpPassManager &manager, const PipelineOptions &flags) {
                                              buildLowerPipeline(manager, {flags.target, flags.threads});
                                            });
}

} // namespace tw::lower
