#include "kernels/testing/Element.h"

#include <cmath>

using namespace tw::kernels;
using namespace tw::kernels::testing;

/// Scores of one query against all keys: scale q k^T + bias, -inf where the mask hides the key.
static std::vector<double> scoresOf(const tw_call *call, const tw_tensor &query, const tw_tensor &key,
                                    const tw_tensor *bias, int64_t b, int64_t h, int64_t i) {
  int64_t group = h / (query.shape[1] / key.shape[1]), keys = key.shape[2];
  std::vector<double> scores(keys, -INFINITY);
  for (int64_t j = 0; j < keys && (!flag(call, "causal") || j <= i); ++j) {
    double dot = 0;
    for (int64_t d = 0; d < query.shape[3]; ++d)
      dot += get(query, {b, h, i, d}) * get(key, {b, group, j, d});
    scores[j] = dot * number(call, "scale");
    if (bias) {
      Shape at = {b, h, i, j};
      for (int axis = 0; axis < 4; ++axis)
        at[axis] = bias->shape[axis] == 1 ? 0 : at[axis];
      scores[j] += get(*bias, at);
    }
  }
  return scores;
}

TW_REFERENCE(attention) {
  const tw_tensor &query = call->inputs[0], &key = call->inputs[1], &value = call->inputs[2];
  const tw_tensor *bias = call->input_count > 3 ? &call->inputs[3] : nullptr;
  int64_t headsEach = query.shape[1] / key.shape[1];
  for (int64_t row = 0; row < extent(query, 0, 3); ++row) {
    int64_t i = row % query.shape[2], h = row / query.shape[2] % query.shape[1],
            b = row / query.shape[2] / query.shape[1];
    std::vector<double> scores = scoresOf(call, query, key, bias, b, h, i);
    double maximum = -INFINITY, sum = 0;
    for (double score : scores)
      maximum = std::fmax(maximum, score);
    for (double score : scores)
      sum += maximum == -INFINITY ? 0 : std::exp(score - maximum);
    double total = maximum == -INFINITY ? maximum : maximum + std::log(sum);
    set(call->outputs[1], {b, h, i}, total);
    for (int64_t e = 0; e < value.shape[3]; ++e) {
      double mean = 0;
      for (int64_t j = 0; j < key.shape[2]; ++j)
        if (scores[j] != -INFINITY)
          mean += std::exp(scores[j] - total) * get(value, {b, h / headsEach, j, e});
      set(call->outputs[0], {b, h, i, e}, mean);
    }
  }
  return 0;
}

TW_REFERENCE(attention_backward) {
  const tw_tensor &cotangent = call->inputs[0], &query = call->inputs[1], &key = call->inputs[2];
  const tw_tensor &value = call->inputs[3], &result = call->inputs[4], &logsumexp = call->inputs[5];
  const tw_tensor *bias = call->input_count > 6 ? &call->inputs[6] : nullptr;
  const tw_tensor *outputs = call->outputs;
  int64_t headsEach = query.shape[1] / key.shape[1];
  std::vector<double> sums[3];
  for (int i = 0; i < 3; ++i)
    sums[i].resize(elements(outputs[i]));
  for (int64_t row = 0; row < extent(query, 0, 3); ++row) {
    int64_t i = row % query.shape[2], h = row / query.shape[2] % query.shape[1],
            b = row / query.shape[2] / query.shape[1];
    int64_t group = h / headsEach;
    std::vector<double> scores = scoresOf(call, query, key, bias, b, h, i);
    double delta = 0;
    for (int64_t e = 0; e < value.shape[3]; ++e)
      delta += get(cotangent, {b, h, i, e}) * get(result, {b, h, i, e});
    for (int64_t j = 0; j < key.shape[2]; ++j) {
      if (scores[j] == -INFINITY)
        continue;
      double p = std::exp(scores[j] - get(logsumexp, Shape{b, h, i})), dp = 0;
      for (int64_t e = 0; e < value.shape[3]; ++e) {
        dp += get(cotangent, {b, h, i, e}) * get(value, {b, group, j, e});
        sums[2][indexOf(outputs[2], {b, group, j, e})] += p * get(cotangent, {b, h, i, e});
      }
      double ds = p * (dp - delta) * number(call, "scale");
      for (int64_t d = 0; d < query.shape[3]; ++d) {
        sums[0][indexOf(outputs[0], {b, h, i, d})] += ds * get(key, {b, group, j, d});
        sums[1][indexOf(outputs[1], {b, group, j, d})] += ds * get(query, {b, h, i, d});
      }
    }
  }
  for (int output = 0; output < 3; ++output)
    for (int64_t i = 0; i < elements(outputs[output]); ++i)
      set(outputs[output], i, sums[output][i]);
  return 0;
}
