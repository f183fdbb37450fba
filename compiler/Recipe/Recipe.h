// What a user asks for: DeepSpeed's keys with DeepSpeed's meaning, and the "trainwright" object for what DeepSpeed has
// no word for. docs/recipe.md lists every key.
#ifndef TW_COMPILER_RECIPE_RECIPE_H
#define TW_COMPILER_RECIPE_RECIPE_H

#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace tw::recipe {

struct Scheduler {
  enum class Kind { Constant, WarmupLR, WarmupDecayLR, WarmupCosineLR };
  Kind kind = Kind::Constant;
  bool linearWarmup = false; // warmup_type: "log" (default) or "linear"
  int64_t warmupSteps = 1000, totalSteps = 0;
  double warmupMinLr = 0.0;
  std::optional<double> warmupMaxLr; // absent: the optimizer's lr
  double warmupMinRatio = 0.0, cosineMinRatio = 0.0001;
};

struct DecayGroup {
  std::string pattern;
  double weightDecay = 0.0;
};

struct Optimizer {
  enum class Kind { SGD, Adam, AdamW, Adagrad };
  enum class Definition { PyTorch, ONNX }; // trainwright.optimizer_definition
  Kind kind = Kind::SGD;
  Definition definition = Definition::PyTorch;
  double lr = 1e-3, weightDecay = 0.0;
  double beta1 = 0.9, beta2 = 0.999, eps = 1e-8;
  double momentum = 0.0, dampening = 0.0;
  bool nesterov = false;
  double initialAccumulator = 0.0, lrDecay = 0.0;
  std::vector<DecayGroup> decayGroups;
};

struct Loss {
  enum class Kind { CrossEntropy, BinaryCrossEntropy, MSE, L1, Output };
  Kind kind = Kind::CrossEntropy;
  std::string logits;            // the output that the loss is about; empty: the only one
  std::string labels = "labels"; // the input that holds the labels
  int64_t ignoreIndex = -100;
  double labelSmoothing = 0.0;
  std::optional<int64_t> classAxis; // absent: by rank
  bool fromLogits = true;
};

struct Mesh {
  int64_t data = 1, tensor = 1, pipeline = 1;
  int64_t ranks() const { return data * tensor * pipeline; }
};

struct Recipe {
  std::optional<int64_t> microBatch; // train_micro_batch_size_per_gpu; absent: the model's shapes stand
  int64_t microBatches = 1;          // gradient_accumulation_steps
  double clip = 0.0;                 // gradient_clipping; 0: none
  Optimizer optimizer;
  Scheduler scheduler;
  Loss loss;
  Mesh mesh;
  std::vector<std::string> trainable, frozen, outputs;
  bool freezeBatchNorm = false;
  std::string text; // the JSON with all overrides, for people
};

/// Reads a recipe from JSON text. `overrides` are "a.b=value" texts, applied in order; a value that is no JSON is a
/// string. The error holds one sentence a line, each naming the key.
llvm::Expected<Recipe> parseRecipe(llvm::StringRef text, llvm::ArrayRef<std::string> overrides = {});

/// The same from a file.
llvm::Expected<Recipe> readRecipe(llvm::StringRef path, llvm::ArrayRef<std::string> overrides = {});

} // namespace tw::recipe
#endif
