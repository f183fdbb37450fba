// Loss and accuracy over a whole dataset, by the program "evaluate".
#ifndef TW_RUNTIME_TRAIN_EVALUATOR_H
#define TW_RUNTIME_TRAIN_EVALUATOR_H

#include "runtime/exec/Session.h"
#include "runtime/train/data/Dataset.h"
#include <optional>

namespace tw::rt {

struct Evaluation {
  int64_t rows = 0;              // of the dataset
  double loss = 0;               // mean over the rows or labels that count
  bool lossIsPartial = false;    // the last rows do not fill a batch and their loss cannot be told apart: left out
  std::optional<int64_t> labels; // that count
  int64_t correct = 0;           // labels where the first output is largest
};

/// Every rank calls it; all get the same result.
Expected<Evaluation> evaluate(Session &session, const Dataset &dataset);
/// "loss 0.3100, accuracy 0.9105 (9105 of 10000)".
std::string evaluationText(const Evaluation &evaluation);

/// The first output against the labels, for models that classify.
class Accuracy {
public:
  /// Finds an output with one more axis than an integer input: the classes, last or second. Invalid when there is none.
  Accuracy(const planpb::Plan &plan, const planpb::Program &program);
  bool valid() const { return logits_ != nullptr; }
  /// Counts labels of rows whose entry in `rows` is not negative.
  Status count(Session &session, const std::vector<int64_t> &rows);
  int64_t labels = 0, correct = 0;

private:
  int64_t largestClass(const uint8_t *logits, int64_t outer, int64_t inner) const;

  const planpb::Buffer *logits_ = nullptr, *labelBuffer_ = nullptr;
  const planpb::DataInput *input_ = nullptr;
  int64_t classes_ = 0, outer_ = 0, inner_ = 0; // logits are [outer, classes, inner], labels [outer, inner]
};

} // namespace tw::rt
#endif
