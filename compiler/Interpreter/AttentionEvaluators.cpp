// Scaled dot-product attention and its adjoint.
#include "compiler/Interpreter/Evaluator.h"

#include "compiler/Dialect/Graph/Graph.h"

#include <cmath>

using namespace mlir;
using namespace tw::interpreter;
using namespace tw::graph;

namespace {
/// The scores of attention: scale q k^T + bias, minus infinity where a query may not see a key.
template <typename Op>
struct Scores {
  mutable Op op; // accessors of ops are not const
  const Tensor &query, &key;
  const Tensor *bias;
  int64_t headsPerKey;

  Scores(Op op, Evaluation &e)
      : op(op), query(e[op.getQuery()]), key(e[op.getKey()]), bias(e.find(op.getBias())),
        headsPerKey(query.getDimSize(1) / key.getDimSize(1)) {}

  double operator()(int64_t b, int64_t h, int64_t i, int64_t j) const {
    if (op.getCausal() && j > i)
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
    return bias->real({clamp(0, b), clamp(1, h), clamp(2, i), clamp(3, j)});
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
        sum += row[j] * value.real({b, h / scores.headsPerKey, static_cast<int64_t>(j), d});
      e.results[0].real({b, h, i, d}) = sum;
    }
  });
}

/// Adds what query (b, h, i) and key j contribute: d_value = p dy, ds = p (dy v - delta), d_query = scale ds k,
/// d_key = scale ds q.
static void accumulateBackward(AttentionBackwardOp op, Evaluation &e, ArrayRef<int64_t> place, double p, double delta) {
  int64_t b = place[0], h = place[1], i = place[2], j = place[3], g = place[4];
  const Tensor &dy = e[op.getCotangent()], &query = e[op.getQuery()], &key = e[op.getKey()], &value = e[op.getValue()];
  double product = 0;
  for (int64_t d = 0; d < value.getDimSize(3); ++d) {
    product += dy.real({b, h, i, d}) * value.real({b, g, j, d});
    e.results[2].real({b, g, j, d}) += p * dy.real({b, h, i, d});
  }
  double ds = p * (product - delta) * op.getScale().convertToDouble();
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
        accumulateBackward(op, e, {b, h, i, j, h / scores.headsPerKey}, std::exp(score - logsumexp.real(index)), delta);
    }
  });
}

void tw::interpreter::addAttentionEvaluators(EvaluatorTable &table) {
  table.add(evaluateAttention);
  table.add(evaluateAttentionBackward);
}
