// The Differentiate phase as a table of contents.
#include "passes/Differentiate/Passes.h"

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace tw::differentiate {

namespace generated {
#define GEN_PASS_REGISTRATION
#include "passes/Differentiate/Passes.h.inc"
} // namespace generated

void buildDifferentiatePipeline(OpPassManager &manager, const DifferentiateOptions &options) {
  // Loss and gradients.
  manager.addPass(createBuildBackwardPass({options.microBatches}));
  manager.addPass(createConcatenatePadsPass());
  manager.addPass(createClipGradientsPass({options.maxGradientNorm}));

  // New parameters.
  manager.addPass(createUpdateParametersPass(options.optimizer));

  // One function to train, one to compare.
  manager.addPass(createSplitDumpPass());
  manager.addPass(createDecomposeBatchNormPass());
  manager.addPass(createCSEPass());

  manager.addPass(createVerifyDifferentiatePass());
}

namespace {
/// The few options that tests and a person at a terminal want; twc fills DifferentiateOptions from the recipe.
struct PipelineOptions : PassPipelineOptions<PipelineOptions> {
  Option<int64_t> microBatches{*this, "micro-batches", llvm::cl::desc("micro-batches a step"), llvm::cl::init(1)};
  Option<double> maxNorm{*this, "max-norm", llvm::cl::desc("gradient clipping; 0 for none"), llvm::cl::init(0.0)};
  Option<double> learningRate{*this, "learning-rate", llvm::cl::desc("learning rate"), llvm::cl::init(0.001)};
  Option<double> momentum{*this, "momentum", llvm::cl::desc("momentum of SGD"), llvm::cl::init(0.0)};
  Option<double> weightDecay{*this, "weight-decay", llvm::cl::desc("weight decay"), llvm::cl::init(0.0)};
  Option<OptimizerKind> optimizer{*this, "optimizer", llvm::cl::desc("update rule"), llvm::cl::init(OptimizerKind::SGD),
                                  llvm::cl::values(clEnumValN(OptimizerKind::SGD, "sgd", ""),
                                                   clEnumValN(OptimizerKind::Adam, "adam", ""),
                                                   clEnumValN(OptimizerKind::AdamW, "adamw", ""),
                                                   clEnumValN(OptimizerKind::Adagrad, "adagrad", ""))};
  Option<OptimizerDefinition> definition{*this, "definition", llvm::cl::desc("whose formulas"),
                                         llvm::cl::init(OptimizerDefinition::PyTorch),
                                         llvm::cl::values(clEnumValN(OptimizerDefinition::PyTorch, "pytorch", ""),
                                                          clEnumValN(OptimizerDefinition::ONNX, "onnx", ""))};
};
} // namespace

static void buildFromFlags(OpPassManager &manager, const PipelineOptions &flags) {
  DifferentiateOptions options;
  options.microBatches = flags.microBatches;
  options.maxGradientNorm = flags.maxNorm;
  options.optimizer.kind = flags.optimizer;
  options.optimizer.definition = flags.definition;
  options.optimizer.learningRate = flags.learningRate;
  options.optimizer.momentum = flags.momentum;
  options.optimizer.weightDecay = flags.weightDecay;
  buildDifferentiatePipeline(manager, options);
}

void registerDifferentiatePasses() {
  generated::registerDifferentiatePasses();
  PassPipelineRegistration<PipelineOptions>("tw-differentiate-pipeline", "from @forward to a whole training step",
                                            buildFromFlags);
}

} // namespace tw::differentiate
