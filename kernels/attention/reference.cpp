#include "kernels/abi/random.h"
#include "kernels/testing/Element.h"

#include <cmath>
#include <cstdlib>

using namespace tw::kernels;
using namespace tw::kernels::testing;

namespace {

/// A tensor of rank 3 or 4 read into doubles. Dimensions of size 1 are broadcast.
struct Values {
  Shape shape;
  std::vector<double> data;
  explicit Values(const tw_tensor &tensor) : shape(tensor.shape, tensor.shape + tensor.rank), data(elements(tensor)) {
    for (size_t i = 0; i < data.size(); ++i)
      data[i] = get(tensor, int64_t(i));
  }
  size_t index(std::initializer_list<int64_t> at) const {
    int64_t index = 0;
    size_t axis = 0;
    for (int64_t i : at) {
      index = index * shape[axis] + (shape[axis] == 1 ? 0 : i);
      ++axis;
    }
    return size_t(index);
  }
  double operator()(int64_t b, int64_t h, int64_t i, int64_t d) const { return data[index({b, h, i, d})]; }
};

/// Query, key, value, bias and random operands of either op; `first` is the query's place, `plain` the first extra's.
struct Attention {
  const tw_call *call;
  Values query, key, value;
  const tw_tensor *biasTensor, *random;
  Values bias;
  int64_t batch, heads, queries, keys, headsEach;

  Attention(const tw_call *call, int first, int plain)
      : call(call), query(call->inputs[first]), key(call->inputs[first + 1]), value(call->inputs[first + 2]),
        biasTensor((call->input_count - plain) % 3 == 1 ? &call->inputs[plain] : nullptr),
        random(call->input_count - plain >= 3 ? &call->inputs[call->input_count - 3] : nullptr),
        bias(biasTensor ? *biasTensor : tw_tensor{}), batch(query.shape[0]), heads(query.shape[1]),
        queries(query.shape[2]), keys(key.shape[2]), headsEach(heads / key.shape[1]) {}

  bool sees(int64_t b, int64_t h, int64_t i, int64_t j) const {
    int64_t window = integer(call, "window");
    return (!flag(call, "causal") || j <= i) && (window == 0 || std::llabs(i - j) < window) &&
           (!biasTensor || biasTensor->type != TW_BOOL || bias(b, h, i, j) != 0);
  }
  /// scale q k^T + bias for all keys, -inf where the query does not see the key.
  std::vector<double> scores(int64_t b, int64_t h, int64_t i) const {
    std::vector<double> scores(size_t(keys), -INFINITY);
    for (int64_t j = 0; j < keys; ++j) {
      if (!sees(b, h, i, j))
        continue;
      double dot = 0;
      for (int64_t d = 0; d < query.shape[3]; ++d)
        dot += query(b, h, i, d) * key(b, h / headsEach, j, d);
      scores[size_t(j)] = dot * number(call, "scale");
      if (biasTensor && biasTensor->type != TW_BOOL)
        scores[size_t(j)] += bias(b, h, i, j);
    }
    return scores;
  }
  /// What dropout multiplies the probability with.
  double factor(int64_t b, int64_t h, int64_t i, int64_t j) const {
    if (!random)
      return 1;
    auto scalar = [&](int i) { return *static_cast<const int64_t *>(random[i].data); };
    double ratio = number(call, "dropout");
    int64_t element = ((scalar(2) + b) * heads + h) * queries * keys + i * keys + j;
    float u =
        tw_random_uniform(uint64_t(scalar(0)), uint64_t(scalar(1)), uint64_t(integer(call, "id")), uint64_t(element));
    return double(u) >= ratio ? 1 / (1 - ratio) : 0;
  }
  /// Calls body(b, h, i) for each query.
  template <typename Body>
  void forQueries(const Body &body) const {
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t h = 0; h < heads; ++h)
        for (int64_t i = 0; i < queries; ++i)
          body(b, h, i);
  }
};

double logSumExp(const std::vector<double> &scores) {
  double maximum = -INFINITY, sum = 0;
  for (double score : scores) {
    if (std::isnan(score))
      return score;
    maximum = std::fmax(maximum, score);
  }
  for (double score : scores)
    sum += maximum == -INFINITY ? 0 : std::exp(score - maximum);
  return maximum == -INFINITY ? maximum : maximum + std::log(sum);
}

} // namespace

TW_REFERENCE(attention) {
  Attention a(call, 0, 3);
  a.forQueries([&](int64_t b, int64_t h, int64_t i) {
    std::vector<double> scores = a.scores(b, h, i), sums(size_t(a.value.shape[3]));
    double total = logSumExp(scores);
    set(call->outputs[1], {b, h, i}, total);
    for (int64_t j = 0; j < a.keys; ++j) {
      if (scores[size_t(j)] == -INFINITY)
        continue;
      double weight = std::exp(scores[size_t(j)] - total) * a.factor(b, h, i, j);
      for (size_t e = 0; e < sums.size(); ++e)
        sums[e] += weight * a.value(b, h / a.headsEach, j, int64_t(e));
    }
    for (size_t e = 0; e < sums.size(); ++e)
      set(call->outputs[0], {b, h, i, int64_t(e)}, sums[e]);
  });
  return 0;
}

TW_REFERENCE(attention_backward) {
  Attention a(call, 1, 6);
  Values cotangent(call->inputs[0]), result(call->inputs[4]), logsumexp(call->inputs[5]);
  std::vector<Values> sums;
  for (int i = 0; i < call->output_count; ++i) {
    sums.emplace_back(call->outputs[i]);
    sums.back().data.assign(sums.back().data.size(), 0);
  }
  int64_t width = a.query.shape[3], valueWidth = a.value.shape[3];
  a.forQueries([&](int64_t b, int64_t h, int64_t i) {
    int64_t group = h / a.headsEach;
    std::vector<double> scores = a.scores(b, h, i);
    double delta = 0, total = logsumexp.data[logsumexp.index({b, h, i})];
    for (int64_t e = 0; e < valueWidth; ++e)
      delta += cotangent(b, h, i, e) * result(b, h, i, e);
    for (int64_t j = 0; j < a.keys; ++j) {
      if (scores[size_t(j)] == -INFINITY)
        continue;
      double p = std::exp(scores[size_t(j)] - total), m = a.factor(b, h, i, j), dp = 0;
      for (int64_t e = 0; e < valueWidth; ++e) {
        dp += cotangent(b, h, i, e) * a.value(b, group, j, e);
        sums[2].data[sums[2].index({b, group, j, e})] += m * p * cotangent(b, h, i, e);
      }
      double ds = p * (m * dp - delta), scaled = ds * number(call, "scale");
      for (int64_t d = 0; d < width; ++d) {
        sums[0].data[sums[0].index({b, h, i, d})] += scaled * a.key(b, group, j, d);
        sums[1].data[sums[1].index({b, group, j, d})] += scaled * a.query(b, h, i, d);
      }
      if (sums.size() > 3)
        sums[3].data[sums[3].index({b, h, i, j})] += ds;
    }
  });
  for (size_t output = 0; output < sums.size(); ++output)
    for (size_t i = 0; i < sums[output].data.size(); ++i)
      set(call->outputs[output], int64_t(i), sums[output].data[i]);
  return 0;
}
