// Batch, layer and root-mean-square normalisation, and their adjoints.
#include "compiler/Interpreter/Evaluator.h"

#include "compiler/Dialect/Graph/Graph.h"

#include <cmath>

using namespace mlir;
using namespace tw::interpreter;
using namespace tw::graph;

//===----------------------------------------------------------------------===//
// Batch normalisation: dimension 1 is the channel
//===----------------------------------------------------------------------===//

static double countPerChannel(const Tensor &input) {
  return double(input.getNumElements()) / input.getDimSize(1);
}

/// Adds f(offset, channel) over all elements into `sums`, a [channels] tensor of zeros.
static void sumPerChannel(const Tensor &input, Tensor &sums, llvm::function_ref<double(int64_t, int64_t)> f) {
  forEachIndex(input.getShape(),
               [&](ArrayRef<int64_t> index) { sums.real(index[1]) += f(input.offsetOf(index), index[1]); });
}

static void sumCenteredSquares(const Tensor &input, const Tensor &mean, Tensor &sums) {
  sumPerChannel(input, sums, [&](int64_t offset, int64_t channel) {
    double centered = input.real(offset) - mean.real(channel);
    return centered * centered;
  });
}

static void divide(Tensor &tensor, double divisor) {
  for (int64_t i = 0; i < tensor.getNumElements(); ++i)
    tensor.real(i) /= divisor;
}

static void normalizeChannels(const Tensor &input, const Tensor &scale, const Tensor &bias, const Tensor &mean,
                              const Tensor &variance, double epsilon, Tensor &result) {
  forEachIndex(input.getShape(), [&](ArrayRef<int64_t> index) {
    int64_t channel = index[1];
    double deviation = std::sqrt(variance.real(channel) + epsilon);
    result.real(index) =
        (input.real(index) - mean.real(channel)) / deviation * scale.real(channel) + bias.real(channel);
  });
}

static void evaluateBatchNormTraining(BatchNormTrainingOp op, Evaluation &e) {
  const Tensor &input = e[op.getInput()];
  Tensor &mean = e.results[1], &variance = e.results[2];
  sumPerChannel(input, mean, [&](int64_t offset, int64_t) { return input.real(offset); });
  divide(mean, countPerChannel(input));
  sumCenteredSquares(input, mean, variance);
  divide(variance, countPerChannel(input));
  normalizeChannels(input, e[op.getScale()], e[op.getBias()], mean, variance, op.getEpsilon().convertToDouble(),
                    e.results[0]);
}

static void evaluateBatchNorm(BatchNormOp op, Evaluation &e) {
  normalizeChannels(e[op.getInput()], e[op.getScale()], e[op.getBias()], e[op.getMean()], e[op.getVariance()],
                    op.getEpsilon().convertToDouble(), e.results[0]);
}

static void evaluateCenteredSquareSum(CenteredSquareSumOp op, Evaluation &e) {
  sumCenteredSquares(e[op.getInput()], e[op.getMean()], e.results[0]);
}

/// d_bias = sum dy, d_scale = sum dy x^.
static void reduceBatchNormCotangent(const Tensor &cotangent, const Tensor &input, const Tensor &mean,
                                     const Tensor &variance, double epsilon, Tensor &dScale, Tensor &dBias) {
  sumPerChannel(input, dBias, [&](int64_t offset, int64_t) { return cotangent.real(offset); });
  sumPerChannel(input, dScale, [&](int64_t offset, int64_t channel) {
    double deviation = std::sqrt(variance.real(channel) + epsilon);
    return cotangent.real(offset) * (input.real(offset) - mean.real(channel)) / deviation;
  });
}

/// d_input = scale r (dy - d_bias / N - x^ d_scale / N).
template <typename Op>
static void applyBatchNormCotangent(Op op, Evaluation &e, const Tensor &dScale, const Tensor &dBias, double count,
                                    Tensor &dInput) {
  const Tensor &cotangent = e[op.getCotangent()], &input = e[op.getInput()], &scale = e[op.getScale()];
  const Tensor &mean = e[op.getMean()], &variance = e[op.getVariance()];
  double epsilon = op.getEpsilon().convertToDouble();
  forEachIndex(input.getShape(), [&](ArrayRef<int64_t> index) {
    int64_t c = index[1];
    double r = 1 / std::sqrt(variance.real(c) + epsilon);
    double normalized = (input.real(index) - mean.real(c)) * r;
    dInput.real(index) =
        scale.real(c) * r * (cotangent.real(index) - dBias.real(c) / count - normalized * dScale.real(c) / count);
  });
}

static void evaluateBatchNormBackward(BatchNormBackwardOp op, Evaluation &e) {
  const Tensor &input = e[op.getInput()];
  reduceBatchNormCotangent(e[op.getCotangent()], input, e[op.getMean()], e[op.getVariance()],
                           op.getEpsilon().convertToDouble(), e.results[1], e.results[2]);
  applyBatchNormCotangent(op, e, e.results[1], e.results[2], countPerChannel(input), e.results[0]);
}

static void evaluateBatchNormBackwardReduce(BatchNormBackwardReduceOp op, Evaluation &e) {
  reduceBatchNormCotangent(e[op.getCotangent()], e[op.getInput()], e[op.getMean()], e[op.getVariance()],
                           op.getEpsilon().convertToDouble(), e.results[0], e.results[1]);
}

static void evaluateBatchNormBackwardApply(BatchNormBackwardApplyOp op, Evaluation &e) {
  applyBatchNormCotangent(op, e, e[op.getDScale()], e[op.getDBias()], op.getCount(), e.results[0]);
}

//===----------------------------------------------------------------------===//
// Layer and root-mean-square normalisation: rows are the dimensions before `axis`
//===----------------------------------------------------------------------===//

namespace {
struct Rows {
  int64_t count, width;
  Rows(const Tensor &input, int64_t axis)
      : count(ShapedType::getNumElements(input.getShape().take_front(axis))),
        width(ShapedType::getNumElements(input.getShape().drop_front(axis))) {}
};
} // namespace

/// The mean of f(column) over a row.
static double rowMean(const Rows &rows, llvm::function_ref<double(int64_t)> f) {
  double sum = 0;
  for (int64_t column = 0; column < rows.width; ++column)
    sum += f(column);
  return sum / rows.width;
}

static void evaluateLayerNorm(LayerNormOp op, Evaluation &e) {
  const Tensor &input = e[op.getInput()], &scale = e[op.getScale()];
  const Tensor *bias = e.find(op.getBias());
  Rows rows(input, op.getAxis());
  for (int64_t row = 0; row < rows.count; ++row) {
    int64_t begin = row * rows.width;
    double mean = rowMean(rows, [&](int64_t i) { return input.real(begin + i); });
    double variance = rowMean(rows, [&](int64_t i) { return std::pow(input.real(begin + i) - mean, 2); });
    double inverse = 1 / std::sqrt(variance + op.getEpsilon().convertToDouble());
    for (int64_t i = 0; i < rows.width; ++i)
      e.results[0].real(begin + i) =
          (input.real(begin + i) - mean) * inverse * scale.real(i) + (bias ? bias->real(i) : 0.0);
    e.results[1].real(row) = mean;
    e.results[2].real(row) = inverse;
  }
}

static void evaluateLayerNormBackward(LayerNormBackwardOp op, Evaluation &e) {
  const Tensor &dy = e[op.getCotangent()], &input = e[op.getInput()], &scale = e[op.getScale()];
  Rows rows(input, op.getAxis());
  for (int64_t row = 0; row < rows.count; ++row) {
    int64_t begin = row * rows.width;
    double mean = e[op.getMean()].real(row), r = e[op.getInverseDeviation()].real(row);
    auto normalized = [&](int64_t i) { return (input.real(begin + i) - mean) * r; };
    auto g = [&](int64_t i) { return dy.real(begin + i) * scale.real(i); };
    double meanG = rowMean(rows, g), meanGX = rowMean(rows, [&](int64_t i) { return g(i) * normalized(i); });
    for (int64_t i = 0; i < rows.width; ++i) {
      e.results[0].real(begin + i) = r * (g(i) - meanG - normalized(i) * meanGX);
      e.results[1].real(i) += dy.real(begin + i) * normalized(i);
      e.results[2].real(i) += dy.real(begin + i);
    }
  }
}

static void evaluateRmsNorm(RmsNormOp op, Evaluation &e) {
  const Tensor &input = e[op.getInput()], &scale = e[op.getScale()];
  Rows rows(input, op.getAxis());
  for (int64_t row = 0; row < rows.count; ++row) {
    int64_t begin = row * rows.width;
    double square = rowMean(rows, [&](int64_t i) { return std::pow(input.real(begin + i), 2); });
    double inverse = 1 / std::sqrt(square + op.getEpsilon().convertToDouble());
    for (int64_t i = 0; i < rows.width; ++i)
      e.results[0].real(begin + i) = input.real(begin + i) * inverse * scale.real(i);
    e.results[1].real(row) = inverse;
  }
}

static void evaluateRmsNormBackward(RmsNormBackwardOp op, Evaluation &e) {
  const Tensor &dy = e[op.getCotangent()], &input = e[op.getInput()], &scale = e[op.getScale()];
  Rows rows(input, op.getAxis());
  for (int64_t row = 0; row < rows.count; ++row) {
    int64_t begin = row * rows.width;
    double r = e[op.getInverseRms()].real(row);
    auto normalized = [&](int64_t i) { return input.real(begin + i) * r; };
    auto g = [&](int64_t i) { return dy.real(begin + i) * scale.real(i); };
    double meanGX = rowMean(rows, [&](int64_t i) { return g(i) * normalized(i); });
    for (int64_t i = 0; i < rows.width; ++i) {
      e.results[0].real(begin + i) = r * (g(i) - normalized(i) * meanGX);
      e.results[1].real(i) += dy.real(begin + i) * normalized(i);
    }
  }
}

void tw::interpreter::addNormalizationEvaluators(EvaluatorTable &table) {
  table.add(evaluateBatchNormTraining);
  table.add(evaluateBatchNormBackward);
  table.add(evaluateCenteredSquareSum);
  table.add(evaluateBatchNorm);
  table.add(evaluateBatchNormBackwardReduce);
  table.add(evaluateBatchNormBackwardApply);
  table.add(evaluateLayerNorm);
  table.add(evaluateLayerNormBackward);
  table.add(evaluateRmsNorm);
  table.add(evaluateRmsNormBackward);
}
