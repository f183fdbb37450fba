// What the Adapt phase makes of a model: its loss, and which parameters are trained.
#ifndef TW_PASSES_ADAPT_OPTIONS_H
#define TW_PASSES_ADAPT_OPTIONS_H

#include <cstdint>
#include <string>
#include <vector>

namespace tw::adapt {

enum class LossKind { CrossEntropy, BinaryCrossEntropy, MeanSquaredError, MeanAbsoluteError, Output };

struct LossOptions {
  LossKind kind = LossKind::CrossEntropy;
  /// The model's output that the loss is about; empty: its only one.
  std::string output;
  /// Name of the argument that holds the labels; an input of the model of that name serves too.
  std::string labels = "labels";
  // Cross-entropy.
  int64_t ignoreIndex = -100;
  double labelSmoothing = 0;
  /// Dimension of the classes, negative from the end; kLayoutByRank: the last up to rank 3, then 1 (ONNX's [n, c,
  /// d...]).
  static constexpr int64_t kLayoutByRank = INT64_MIN;
  int64_t classAxis = kLayoutByRank;
  // Binary cross-entropy: the output is logits, not probabilities.
  bool fromLogits = true;
};

struct AdaptOptions {
  LossOptions loss;
  /// Glob patterns. With `trainable`, only what matches is trained; what matches `frozen` never is.
  std::vector<std::string> trainable, frozen;
  /// Outputs that @forward and @evaluate return besides the loss; empty: all.
  std::vector<std::string> outputs;
  /// Inputs (graph.name) without a batch dimension, and over how many ranks the batch of the others is split.
  std::vector<std::string> wholeInputs;
  int64_t dataRanks = 1;
};

} // namespace tw::adapt

#endif
