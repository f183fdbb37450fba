#include "passes/Pipelines/FromRecipe.h"

namespace tw::pipelines {

adapt::AdaptOptions adaptOptions(const recipe::Recipe &recipe, const std::vector<std::string> &wholeInputs) {
  static_assert(int(adapt::LossKind::Output) == int(recipe::Loss::Kind::Output), "the kinds are in one order");
  adapt::AdaptOptions options;
  options.loss.kind = adapt::LossKind(recipe.loss.kind);
  options.loss.output = recipe.loss.logits;
  options.loss.labels = recipe.loss.labels;
  options.loss.ignoreIndex = recipe.loss.ignoreIndex;
  options.loss.labelSmoothing = recipe.loss.labelSmoothing;
  options.loss.classAxis = recipe.loss.classAxis.value_or(adapt::LossOptions::kLayoutByRank);
  options.loss.fromLogits = recipe.loss.fromLogits;
  options.trainable = recipe.trainable;
  options.frozen = recipe.frozen;
  options.outputs = recipe.outputs;
  options.wholeInputs = wholeInputs;
  options.dataRanks = recipe.mesh.data;
  return options;
}

static differentiate::ScheduleOptions scheduleOptions(const recipe::Scheduler &scheduler) {
  static_assert(int(differentiate::ScheduleKind::WarmupCosineLR) == int(recipe::Scheduler::Kind::WarmupCosineLR));
  differentiate::ScheduleOptions options;
  options.kind = differentiate::ScheduleKind(scheduler.kind);
  options.warmup = scheduler.linearWarmup ? differentiate::WarmupKind::Linear : differentiate::WarmupKind::Log;
  options.warmupSteps = scheduler.warmupSteps;
  options.totalSteps = scheduler.totalSteps;
  options.warmupMinLearningRate = scheduler.warmupMinLr;
  options.warmupMaxLearningRate = scheduler.warmupMaxLr.value_or(-1.0);
  options.warmupMinRatio = scheduler.warmupMinRatio;
  options.cosineMinRatio = scheduler.cosineMinRatio;
  return options;
}

differentiate::DifferentiateOptions differentiateOptions(const recipe::Recipe &recipe) {
  static_assert(int(differentiate::OptimizerKind::Adagrad) == int(recipe::Optimizer::Kind::Adagrad));
  differentiate::DifferentiateOptions options;
  options.microBatches = recipe.microBatches;
  options.maxGradientNorm = recipe.clip;
  differentiate::OptimizerOptions &optimizer = options.optimizer;
  optimizer.kind = differentiate::OptimizerKind(recipe.optimizer.kind);
  bool onnx = recipe.optimizer.definition == recipe::Optimizer::Definition::ONNX;
  optimizer.definition = onnx ? differentiate::OptimizerDefinition::ONNX : differentiate::OptimizerDefinition::PyTorch;
  optimizer.learningRate = recipe.optimizer.lr;
  optimizer.weightDecay = recipe.optimizer.weightDecay;
  for (const recipe::DecayGroup &group : recipe.optimizer.decayGroups)
    optimizer.weightDecayGroups.push_back({group.pattern, group.weightDecay});
  optimizer.beta1 = recipe.optimizer.beta1;
  optimizer.beta2 = recipe.optimizer.beta2;
  optimizer.epsilon = recipe.optimizer.eps;
  optimizer.momentum = recipe.optimizer.momentum;
  optimizer.dampening = recipe.optimizer.dampening;
  optimizer.nesterov = recipe.optimizer.nesterov;
  optimizer.initialAccumulator = recipe.optimizer.initialAccumulator;
  optimizer.learningRateDecay = recipe.optimizer.lrDecay;
  optimizer.schedule = scheduleOptions(recipe.scheduler);
  return options;
}

partition::PartitionOptions partitionOptions(const recipe::Recipe &recipe,
                                             const std::vector<std::string> &wholeInputs) {
  partition::PartitionOptions options;
  options.data = recipe.mesh.data;
  options.tensor = recipe.mesh.tensor;
  options.pipeline = recipe.mesh.pipeline;
  options.wholeArguments = wholeInputs;
  return options;
}

} // namespace tw::pipelines
