// The Import phase as a table of contents.
#include "passes/Import/Passes.h"

#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace tw::import {

namespace generated {
#define GEN_PASS_REGISTRATION
#include "passes/Import/Passes.h.inc"
} // namespace generated

void buildImportPipeline(OpPassManager &manager, ReadModelPassOptions options) {
  manager.addPass(createReadModelPass(std::move(options)));
  manager.addPass(createVerifyImportPass());
}

namespace {
struct PipelineOptions : PassPipelineOptions<PipelineOptions> {
  Option<std::string> model{*this, "model", llvm::cl::desc("the ONNX file")};
  ListOption<std::string> dims{*this, "dims", llvm::cl::desc("name=size of symbolic dimensions")};
  Option<bool> frozenBatchNorm{*this, "frozen-batch-norm", llvm::cl::desc("normalise by the running statistics"),
                               llvm::cl::init(false)};
};
} // namespace

static void buildFromFlags(OpPassManager &manager, const PipelineOptions &flags) {
  ReadModelPassOptions options;
  options.model = flags.model;
  options.dims.assign(flags.dims.begin(), flags.dims.end());
  options.frozenBatchNorm = flags.frozenBatchNorm;
  buildImportPipeline(manager, std::move(options));
}

void registerImportPasses() {
  generated::registerImportPasses();
  PassPipelineRegistration<PipelineOptions>("tw-import-pipeline", "from an ONNX file to @main", buildFromFlags);
}

} // namespace tw::import
