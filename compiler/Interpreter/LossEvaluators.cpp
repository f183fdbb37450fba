// Cross-entropy and dropout.
#include "compiler/Interpreter/Evaluator.h"

#include "compiler/Dialect/Graph/Graph.h"
#include "kernels/abi/random.h"

#include <cmath>

using namespace mlir;
using namespace tw::interpreter;
using namespace tw::graph;

/// Fails after an error when a label is neither a class nor the ignored one.
template <typename Op>
static LogicalResult checkLabels(Op op, const Tensor &labels, int64_t classes) {
  for (int64_t row = 0; row < labels.getNumElements(); ++row) {
    int64_t label = labels.integer(row);
    if (label != static_cast<int64_t>(op.getIgnoreIndex()) && (label < 0 || label >= classes))
      return op.emitError("label ") << label << " of row " << row << " is outside of [0, " << classes
                                    << ") and is not the ignored index " << static_cast<int64_t>(op.getIgnoreIndex());
  }
  return success();
}

static double rowLogsumexp(const Tensor &logits, int64_t row) {
  int64_t classes = logits.getDimSize(1);
  double maximum = -INFINITY, sum = 0;
  for (int64_t c = 0; c < classes; ++c)
    maximum = std::max(maximum, logits.real({row, c}));
  for (int64_t c = 0; c < classes; ++c)
    sum += std::exp(logits.real({row, c}) - maximum);
  return maximum + std::log(sum);
}

static LogicalResult evaluateCrossEntropy(CrossEntropyOp op, Evaluation &e) {
  const Tensor &logits = e[op.getLogits()], &labels = e[op.getLabels()];
  int64_t classes = logits.getDimSize(1), ignored = op.getIgnoreIndex();
  double smoothing = op.getLabelSmoothing().convertToDouble();
  if (failed(checkLabels(op, labels, classes)))
    return failure();
  for (int64_t row = 0; row < logits.getDimSize(0); ++row) {
    double logsumexp = e.results[1].real(row) = rowLogsumexp(logits, row);
    if (labels.integer(row) == ignored)
      continue;
    double mean = 0;
    for (int64_t c = 0; c < classes; ++c)
      mean += logits.real({row, c}) / classes;
    double picked = logits.real({row, labels.integer(row)});
    // Without smoothing the mean must not matter: 0 times an infinite mean (a masked class) would be a NaN.
    e.results[0].real(int64_t(0)) += logsumexp - (1 - smoothing) * picked - (smoothing ? smoothing * mean : 0);
  }
  return success();
}

static LogicalResult evaluateCrossEntropyBackward(CrossEntropyBackwardOp op, Evaluation &e) {
  const Tensor &logits = e[op.getLogits()], &labels = e[op.getLabels()], &logsumexp = e[op.getLogsumexp()];
  int64_t classes = logits.getDimSize(1), ignored = op.getIgnoreIndex();
  double smoothing = op.getLabelSmoothing().convertToDouble(), cotangent = e[op.getCotangent()].real(int64_t(0));
  if (failed(checkLabels(op, labels, classes)))
    return failure();
  forEachIndex(logits.getShape(), [&](ArrayRef<int64_t> index) {
    int64_t label = labels.integer(index[0]);
    if (label == ignored)
      return;
    double target = (label == index[1] ? 1 - smoothing : 0) + smoothing / classes;
    e.results[0].real(index) = cotangent * (std::exp(logits.real(index) - logsumexp.real(index[0])) - target);
  });
  return success();
}

static void evaluateDropout(DropoutOp op, Evaluation &e) {
  const Tensor &input = e[op.getInput()];
  double ratio = op.getRatio().convertToDouble();
  int64_t count = input.getNumElements(), rows = input.getDimSize(0);
  uint64_t first = rows ? static_cast<uint64_t>(e[op.getRow()].integer(0)) * (count / rows) : 0;
  for (int64_t i = 0; i < count; ++i) {
    double u = tw_random_uniform(e[op.getSeed()].integer(0), e[op.getStep()].integer(0), op.getId(), first + i);
    e.results[0].real(i) = u >= ratio ? input.real(i) / (1 - ratio) : 0;
  }
}

void tw::interpreter::addLossEvaluators(EvaluatorTable &table) {
  table.add(evaluateCrossEntropy);
  table.add(evaluateCrossEntropyBackward);
  table.add(evaluateDropout);
}
