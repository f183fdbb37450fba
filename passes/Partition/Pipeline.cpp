// The Partition phase as a table of contents.
#include "passes/Partition/Passes.h"

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace tw::partition {

namespace generated {
#define GEN_PASS_REGISTRATION
#include "passes/Partition/Passes.h.inc"
} // namespace generated

void buildPartitionPipeline(OpPassManager &manager, const PartitionOptions &options) {
  if (options.data * options.tensor * options.pipeline == 1)
    return;
  // Where the values are.
  AnnotatePassOptions annotate{options.data, options.tensor, options.pipeline, {}};
  annotate.wholeArguments.assign(options.wholeArguments.begin(), options.wholeArguments.end());
  manager.addPass(createAnnotatePass(annotate));
  manager.addPass(createPropagatePass());

  // One program for all ranks.
  manager.addPass(createLocalizePass());
  manager.addPass(createCSEPass());
  manager.addPass(createFuseAllReducePass());

  manager.addPass(createVerifyPartitionPass());
}

namespace {
struct PipelineOptions : PassPipelineOptions<PipelineOptions> {
  Option<int64_t> data{*this, "data", llvm::cl::desc("ranks along the data axis"), llvm::cl::init(1)};
  ListOption<std::string> wholeArguments{*this, "whole-arguments",
                                         llvm::cl::desc("names of arguments without a batch dimension")};
};
} // namespace

void registerPartitionPasses() {
  generated::registerPartitionPasses();
  PassPipelineRegistration<PipelineOptions>("tw-partition-pipeline", "from a whole program to one for each rank",
                                            [](OpPassManager &manager, const PipelineOptions &flags) {
                                              PartitionOptions options;
                                              options.data = flags.data;
                                              options.wholeArguments.assign(flags.wholeArguments.begin(),
                                                                            flags.wholeArguments.end());
                                              buildPartitionPipeline(manager, options);
                                            });
}

} // namespace tw::partition
