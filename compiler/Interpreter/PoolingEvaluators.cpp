// Pooling over windows.
#include "compiler/Interpreter/Evaluator.h"

#include "compiler/Dialect/Graph/Graph.h"

#include <cmath>

using namespace mlir;
using namespace tw::interpreter;
using namespace tw::graph;

/// Calls `visit(input offset)` for each element of one window that lies inside the input, in row-major order.
template <typename Op>
static void forEachInWindow(Op op, ArrayRef<int64_t> output, const Tensor &input,
                            llvm::function_ref<void(int64_t)> visit) {
  SmallVector<int64_t> position(output.begin(), output.end());
  forEachIndex(op.getWindow(), [&](ArrayRef<int64_t> tap) {
    for (size_t d = 0; d < tap.size(); ++d) {
      position[2 + d] = output[2 + d] * op.getStrides()[d] - op.getPads()[d] + tap[d] * op.getDilations()[d];
      if (position[2 + d] < 0 || position[2 + d] >= input.getDimSize(2 + d))
        return;
    }
    visit(input.offsetOf(position));
  });
}

/// Offset of the first maximum of a window; a NaN counts as the largest. -1 for a window without elements.
template <typename Op>
static int64_t firstMaximum(Op op, ArrayRef<int64_t> output, const Tensor &input) {
  int64_t best = -1;
  forEachInWindow(op, output, input, [&](int64_t offset) {
    if (best < 0 || input.real(offset) > input.real(best) ||
        (std::isnan(input.real(offset)) && !std::isnan(input.real(best))))
      best = offset;
  });
  return best;
}

static void evaluateMaxPool(MaxPoolOp op, Evaluation &e) {
  const Tensor &input = *e.operands[0];
  forEachIndex(e.results[0].getShape(), [&](ArrayRef<int64_t> index) {
    int64_t maximum = firstMaximum(op, index, input);
    e.results[0].real(index) = maximum < 0 ? -INFINITY : input.real(maximum);
  });
}

static void evaluateMaxPoolBackward(MaxPoolBackwardOp op, Evaluation &e) {
  const Tensor &cotangent = e[op.getCotangent()], &input = e[op.getInput()];
  forEachIndex(cotangent.getShape(), [&](ArrayRef<int64_t> index) {
    int64_t maximum = firstMaximum(op, index, input);
    if (maximum >= 0)
      e.results[0].real(maximum) += cotangent.real(index);
  });
}

/// What a window's sum is divided by.
template <typename Op>
static double windowDivisor(Op op, ArrayRef<int64_t> output, const Tensor &input) {
  int64_t count = 0;
  if (op.getCountIncludePad())
    return ShapedType::getNumElements(op.getWindow());
  forEachInWindow(op, output, input, [&](int64_t) { ++count; });
  return count;
}

static void evaluateAveragePool(AveragePoolOp op, Evaluation &e) {
  const Tensor &input = *e.operands[0];
  forEachIndex(e.results[0].getShape(), [&](ArrayRef<int64_t> index) {
    double sum = 0;
    forEachInWindow(op, index, input, [&](int64_t offset) { sum += input.real(offset); });
    e.results[0].real(index) = sum / windowDivisor(op, index, input);
  });
}

static void evaluateAveragePoolBackward(AveragePoolBackwardOp op, Evaluation &e) {
  const Tensor &cotangent = *e.operands[0];
  Tensor &result = e.results[0];
  forEachIndex(cotangent.getShape(), [&](ArrayRef<int64_t> index) {
    double share = cotangent.real(index) / windowDivisor(op, index, result);
    forEachInWindow(op, index, result, [&](int64_t offset) { result.real(offset) += share; });
  });
}

void tw::interpreter::addPoolingEvaluators(EvaluatorTable &table) {
  table.add(evaluateMaxPool);
  table.add(evaluateMaxPoolBackward);
  table.add(evaluateAveragePool);
  table.add(evaluateAveragePoolBackward);
}
