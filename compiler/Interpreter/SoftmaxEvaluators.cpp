// Softmax and its logarithm along one axis, and their adjoints.
#include "compiler/Interpreter/Evaluator.h"

#include "compiler/Dialect/Graph/Graph.h"

#include <cmath>

using namespace mlir;
using namespace tw::interpreter;
using namespace tw::graph;

/// Calls `visit` with the offsets of each line of elements along `axis`.
static void forEachLine(const Tensor &tensor, int64_t axis, llvm::function_ref<void(ArrayRef<int64_t>)> visit) {
  SmallVector<int64_t> heads(tensor.getShape()), index;
  heads[axis] = 1;
  forEachIndex(heads, [&](ArrayRef<int64_t> head) {
    SmallVector<int64_t> line;
    index.assign(head.begin(), head.end());
    for (index[axis] = 0; index[axis] < tensor.getDimSize(axis); ++index[axis])
      line.push_back(tensor.offsetOf(index));
    visit(line);
  });
}

static double maximumOf(const Tensor &tensor, ArrayRef<int64_t> line) {
  double maximum = -INFINITY;
  for (int64_t offset : line)
    maximum = std::max(maximum, tensor.real(offset));
  return maximum;
}

static void evaluateSoftmax(SoftmaxOp op, Evaluation &e) {
  const Tensor &input = *e.operands[0];
  forEachLine(input, op.getAxis(), [&](ArrayRef<int64_t> line) {
    double maximum = maximumOf(input, line), sum = 0;
    if (maximum == -INFINITY)
      return; // a row of minus infinities gives zeros
    for (int64_t offset : line)
      sum += std::exp(input.real(offset) - maximum);
    for (int64_t offset : line)
      e.results[0].real(offset) = std::exp(input.real(offset) - maximum) / sum;
  });
}

static void evaluateLogSoftmax(LogSoftmaxOp op, Evaluation &e) {
  const Tensor &input = *e.operands[0];
  forEachLine(input, op.getAxis(), [&](ArrayRef<int64_t> line) {
    double maximum = maximumOf(input, line), sum = 0;
    for (int64_t offset : line)
      sum += std::exp(input.real(offset) - maximum);
    for (int64_t offset : line)
      e.results[0].real(offset) = input.real(offset) - maximum - std::log(sum);
  });
}

static void evaluateSoftmaxBackward(SoftmaxBackwardOp op, Evaluation &e) {
  const Tensor &dy = e[op.getCotangent()], &y = e[op.getSoftmax()];
  forEachLine(dy, op.getAxis(), [&](ArrayRef<int64_t> line) {
    double sum = 0;
    for (int64_t offset : line)
      sum += dy.real(offset) * y.real(offset);
    for (int64_t offset : line)
      e.results[0].real(offset) = y.real(offset) * (dy.real(offset) - sum);
  });
}

static void evaluateLogSoftmaxBackward(LogSoftmaxBackwardOp op, Evaluation &e) {
  const Tensor &dy = e[op.getCotangent()], &y = e[op.getLogSoftmax()];
  forEachLine(dy, op.getAxis(), [&](ArrayRef<int64_t> line) {
    double sum = 0;
    for (int64_t offset : line)
      sum += dy.real(offset);
    for (int64_t offset : line)
      e.results[0].real(offset) = dy.real(offset) - std::exp(y.real(offset)) * sum;
  });
}

void tw::interpreter::addSoftmaxEvaluators(EvaluatorTable &table) {
  table.add(evaluateSoftmax);
  table.add(evaluateLogSoftmax);
  table.add(evaluateSoftmaxBackward);
  table.add(evaluateLogSoftmaxBackward);
}
