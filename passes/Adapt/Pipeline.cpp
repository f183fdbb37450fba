// The Adapt phase as a table of contents.
#include "passes/Adapt/Passes.h"

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace tw::adapt {

namespace generated {
#define GEN_PASS_REGISTRATION
#include "passes/Adapt/Passes.h.inc"
} // namespace generated

void buildAdaptPipeline(OpPassManager &manager, const AdaptOptions &options) {
  // One op for each value that exporters spell several times.
  manager.addPass(createCSEPass());

  // Exporters' spellings become one op each.
  manager.addPass(createRaiseSoftmaxPass());
  manager.addPass(createRaiseNormalizationPass());
  manager.addPass(createRaiseGeluPass());
  manager.addPass(createFoldTransposesPass());
  manager.addPass(createRaiseAttentionPass());
  manager.addPass(createCSEPass());

  // A loss, and what is trained.
  manager.addPass(createAttachLossPass(options.loss, options.outputs));
  manager.addPass(createSelectTrainablePass(options.trainable, options.frozen));
  manager.addPass(createCheckBatchedParametersPass(options.wholeInputs, options.dataRanks));

  manager.addPass(createVerifyAdaptPass());
}

namespace {
/// The few options that tests and a person at a terminal want; twc fills AdaptOptions from the recipe.
struct PipelineOptions : PassPipelineOptions<PipelineOptions> {
  Option<LossKind> loss{*this, "loss", llvm::cl::desc("loss"), llvm::cl::init(LossKind::CrossEntropy),
                        llvm::cl::values(clEnumValN(LossKind::CrossEntropy, "cross_entropy", ""),
                                         clEnumValN(LossKind::BinaryCrossEntropy, "binary_cross_entropy", ""),
                                         clEnumValN(LossKind::MeanSquaredError, "mse", ""),
                                         clEnumValN(LossKind::MeanAbsoluteError, "l1", ""),
                                         clEnumValN(LossKind::Output, "output", ""))};
  Option<std::string> output{*this, "output", llvm::cl::desc("output that the loss is about"), llvm::cl::init("")};
  Option<std::string> labels{*this, "labels", llvm::cl::desc("name of the labels"), llvm::cl::init("labels")};
  ListOption<std::string> trainable{*this, "trainable", llvm::cl::desc("patterns of what is trained")};
  ListOption<std::string> frozen{*this, "frozen", llvm::cl::desc("patterns of what is not")};
};
} // namespace

static void buildFromFlags(OpPassManager &manager, const PipelineOptions &flags) {
  AdaptOptions options;
  options.loss.kind = flags.loss;
  options.loss.output = flags.output;
  options.loss.labels = flags.labels;
  options.trainable.assign(flags.trainable.begin(), flags.trainable.end());
  options.frozen.assign(flags.frozen.begin(), flags.frozen.end());
  buildAdaptPipeline(manager, options);
}

void registerAdaptPasses() {
  generated::registerAdaptPasses();
  PassPipelineRegistration<PipelineOptions>("tw-adapt-pipeline", "from @main to a model with a loss", buildFromFlags);
}

} // namespace tw::adapt
