// Scaled dot-product attention and its adjoint.
#include "compiler/Interpreter/Evaluator.h"

#include "compiler/Dialect/Graph/Graph.h"
#include "kernels/abi/random.h"

#include <cmath>

using namespace mlir;
using namespace tw::interpreter;
using namespace tw::graph;

namespace {
/// The scores of attention: scale q k^T + bias, minus infinity where a query may not see a key; and its dropout.
template <typename Op>
struct Scores {
  mutable Op op; // accessors of ops are not const
  const Tensor &query, &key;
  const Tensor *bias;
  int64_t headsPerKey, seed = 0, step = 0, row = 0;
  bool isMask = false;

  Scores(Op op, Evaluation &e)
      : op(op), query(e[op.getQuery()]), key(e[op.getKey()]), bias(e.find(op.getBias())),
        headsPerKey(query.getDimSize(1) / key.getDimSize(1)) {
    isMask = bias && cast<RankedTensorType>(op.getBias().getType()).getElementType().isInteger(1);
    if (op.getRandom().empty())
      return;
    seed = e[op.getRandom()[0]].integer(0);
    step = e[op.getRandom()[1]].integer(0);
    row = e[op.getRandom()[2]].integer(0);
  }

  double operator()(int64_t b, int64_t h, int64_t i, int64_t j) const {
    int64_t window = op.getWindow();
    if ((op.getCausal() && j > i) || (window > 0 && std::abs(i - j) >= window))
      return -INFINITY;
    double sum = 0;
    for (int64_t d = 0; d < query.getDimSize(3); ++d)
      sum += query.real({b, h, i, d}) * key.real({b, h / headsPerKey, j, d});
    return sum * op.getScale().convertToDouble() + biasAt(b, h, i, j);
  }

  double biasAt(int64_t b, int64_t h, int64_t i, int64_t j) const {
    if (!bias)
      return 0;
    auto clamp = [&](int64_t dimension, int64_t index) { return bias->getDimSize(dimension) == 1 ? 0 : index; };
    SmallVector<int64_t, 4> index = {clamp(0, b), clamp(1, h), clamp(2, i), clamp(3, j)};
    if (isMask)
      return bias->integer(bias->offsetOf(index)) ? 0 : -INFINITY;
    return bias->real(index);
  }

  /// What dropout multiplies the probability of (b, h, i, j) by.
  double factor(int64_t b, int64_t h, int64_t i, int64_t j) const {
    double ratio = op.getDropout().convertToDouble();
    if (ratio == 0)
      return 1;
    uint64_t element =
        ((uint64_t(row + b) * query.getDimSize(1) + h) * query.getDimSize(2) + i) * key.getDimSize(2) + j;
    return tw_random_uniform(seed, step, op.getId(), element) >= ratio ? 1 / (1 - ratio) : 0;
  }
};
} // namespace

/// One query's row of probabilities, and the logarithm of its denominator.
template <typename Op>
static double attendRow(const Scores<Op> &scores, int64_t b, int64_t h, int64_t i, std::vector<double> &row) {
  double maximum = -INFINITY, sum = 0;
  for (size_t j = 0; j < row.size(); ++j) {
    row[j] = scores(b, h, i, j);
    maximum = std::max(maximum, row[j]);
  }
  if (maximum == -INFINITY) { // sees no key: zeros
    std::fill(row.begin(), row.end(), 0.0);
    return -INFINITY;
  }
  for (double score : row)
    sum += std::exp(score - maximum);
  double logsumexp = maximum + std::log(sum);
  for (double &score : row)
    score = std::exp(score - logsumexp);
  return logsumexp;
}

static void evaluateAttention(AttentionOp op, Evaluation &e) {
  const Tensor &value = e[op.getValue()];
  Scores<AttentionOp> scores(op, e);
  std::vector<double> row(value.getDimSize(2));
  forEachIndex(e.results[1].getShape(), [&](ArrayRef<int64_t> index) {
    int64_t b = index[0], h = index[1], i = index[2];
    e.results[1].real(index) = attendRow(scores, b, h, i, row);
    for (int64_t d = 0; d < value.getDimSize(3); ++d) {
      double sum = 0;
      for (size_t j = 0; j < row.size(); ++j)
        sum += row[j] * scores.factor(b, h, i, j) * value.real({b, h / scores.headsPerKey, static_cast<int64_t>(j), d});
      e.results[0].real({b, h, i, d}) = sum;
    }
  });
}

/// Adds what query (b, h, i) and key j contribute: d_value = m p dy, ds = p (m dy v - delta), d_query = scale ds k,
/// d_key = scale ds q, d_bias = ds, with the dropout's factor m.
static void accumulateBackward(AttentionBackwardOp op, Evaluation &e, ArrayRef<int64_t> place, double p, double m,
                               double delta) {
  int64_t b = place[0], h = place[1], i = place[2], j = place[3], g = place[4];
  const Tensor &dy = e[op.getCotangent()], &query = e[op.getQuery()], &key = e[op.getKey()], &value = e[op.getValue()];
  double product = 0;
  for (int64_t d = 0; d < value.getDimSize(3); ++d) {
    product += dy.real({b, h, i, d}) * value.real({b, g, j, d});
    e.results[2].real({b, g, j, d}) += m * p * dy.real({b, h, i, d});
  }
  double dScore = p * (m * product - delta), ds = dScore * op.getScale().convertToDouble();
  if (e.results.size() > 3) {
    Tensor &dBias = e.results[3];
    auto clamp = [&](int64_t dimension, int64_t index) { return dBias.getDimSize(dimension) == 1 ? 0 : index; };
    dBias.real({clamp(0, b), clamp(1, h), clamp(2, i), clamp(3, j)}) += dScore;
  }
  for (int64_t d = 0; d < query.getDimSize(3); ++d) {
    e.results[0].real({b, h, i, d}) += ds * key.real({b, g, j, d});
    e.results[1].real({b, g, j, d}) += ds * query.real({b, h, i, d});
  }
}

static void evaluateAttentionBackward(AttentionBackwardOp op, Evaluation &e) {
  const Tensor &dy = e[op.getCotangent()], &result = e[op.getResult()], &logsumexp = e[op.getLogsumexp()];
  Scores<AttentionBackwardOp> scores(op, e);
  forEachIndex(logsumexp.getShape(), [&](ArrayRef<int64_t> index) {
    int64_t b = index[0], h = index[1], i = index[2];
    double delta = 0;
    for (int64_t d = 0; d < dy.getDimSize(3); ++d)
      delta += dy.real({b, h, i, d}) * result.real({b, h, i, d});
    for (int64_t j = 0; j < scores.key.getDimSize(2); ++j) {
      double score = scores(b, h, i, j);
      if (score != -INFINITY)
        accumulateBackward(op, e, {b, h, i, j, h / scores.headsPerKey}, std::exp(score - logsumexp.real(index)),
                           scores.factor(b, h, i, j), delta);
    }
  });
}

void tw::interpreter::addAttentionEvaluators(EvaluatorTable &table) {
  table.add(evaluateAttention);
  table.add(evaluateAttentionBackward);
}
