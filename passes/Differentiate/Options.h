// What the Differentiate phase can be told. Defaults are PyTorch's for optimizers and DeepSpeed's for schedules.
#ifndef TW_PASSES_DIFFERENTIATE_OPTIONS_H
#define TW_PASSES_DIFFERENTIATE_OPTIONS_H

#include <cstdint>
#include <string>
#include <vector>

namespace tw::differentiate {

/// Whose formulas an optimizer follows: torch.optim's, or those of the operators in ONNX's ai.onnx.preview.training
/// domain, where T counts the updates done before. Momentum and Adagrad are the same formulas (ONNX's beta being 1 -
/// dampening); Adam is not.
enum class OptimizerDefinition { PyTorch, ONNX };

enum class OptimizerKind {
  SGD,    ///< with `momentum`, `dampening` and `nesterov`; weight decay is added to the gradient
  Adam,   ///< weight decay is added to the gradient
  AdamW,  ///< weight decay scales the parameter by 1 - lr * decay (what DeepSpeed's "Adam" does by default, too);
          ///< ONNX's, after the update, by 1 - decay
  Adagrad ///< with `initialAccumulator` and `learningRateDecay`; weight decay is added to the gradient
};

/// DeepSpeed's schedules. As there, step s (from 0) uses the schedule's iteration s - 1, and step 0 its minimum.
enum class ScheduleKind { Constant, WarmupLR, WarmupDecayLR, WarmupCosineLR };
enum class WarmupKind { Log, Linear };

struct ScheduleOptions {
  ScheduleKind kind = ScheduleKind::Constant;
  WarmupKind warmup = WarmupKind::Log; ///< warmup_type
  int64_t warmupSteps = 1000;          ///< warmup_num_steps; at least 2 are made, as in DeepSpeed
  int64_t totalSteps = 0;              ///< total_num_steps, for the decaying ones
  double warmupMinLearningRate = 0.0;  ///< warmup_min_lr, WarmupLR and WarmupDecayLR
  double warmupMaxLearningRate = -1.0; ///< warmup_max_lr; negative: the optimizer's learning rate
  double warmupMinRatio = 0.0;         ///< warmup_min_ratio, WarmupCosineLR
  double cosineMinRatio = 0.0001;      ///< cos_min_ratio, WarmupCosineLR
};

/// Parameters whose name (symbol or ONNX name) matches `pattern` (a glob) decay by `weightDecay`.
struct WeightDecayGroup {
  std::string pattern;
  double weightDecay = 0.0;
};

struct OptimizerOptions {
  OptimizerKind kind = OptimizerKind::SGD;
  OptimizerDefinition definition = OptimizerDefinition::PyTorch;
  double learningRate = 0.001;
  double weightDecay = 0.0;                          ///< of parameters in no group
  std::vector<WeightDecayGroup> weightDecayGroups{}; ///< the first that matches holds
  double beta1 = 0.9, beta2 = 0.999;                 ///< Adam, AdamW
  double epsilon = 1e-8;                             ///< Adam, AdamW, Adagrad (PyTorch's default there is 1e-10)
  double momentum = 0.0, dampening = 0.0;            ///< SGD
  bool nesterov = false;                             ///< SGD
  double initialAccumulator = 0.0;                   ///< Adagrad
  double learningRateDecay = 0.0;                    ///< Adagrad
  ScheduleOptions schedule{};
};

struct DifferentiateOptions {
  int64_t microBatches = 1;
  double maxGradientNorm = 0.0; ///< 0: no clipping; the norm is computed all the same
  OptimizerOptions optimizer{};
};

} // namespace tw::differentiate

#endif
