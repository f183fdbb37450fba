#include "kernels/testing/Element.h"

#include <cmath>

using namespace tw::kernels;
using namespace tw::kernels::testing;

/// Calls body(channel, row-major index) for every element.
template <typename Body>
static void forElements(const tw_tensor &tensor, const Body &body) {
  int64_t plane = extent(tensor, 2, tensor.rank);
  for (int64_t i = 0; i < elements(tensor); ++i)
    body(i / plane % tensor.shape[1], i);
}

TW_REFERENCE(centered_square_sum) {
  std::vector<double> sums(call->inputs[0].shape[1]);
  forElements(call->inputs[0], [&](int64_t channel, int64_t i) {
    sums[channel] += std::pow(get(call->inputs[0], i) - get(call->inputs[1], channel), 2);
  });
  for (size_t channel = 0; channel < sums.size(); ++channel)
    set(call->outputs[0], int64_t(channel), sums[channel]);
  return 0;
}

TW_REFERENCE(batch_norm) {
  forElements(call->inputs[0], [&](int64_t channel, int64_t i) {
    double inverse = 1 / std::sqrt(get(call->inputs[4], channel) + number(call, "epsilon"));
    set(call->outputs[0], i,
        (get(call->inputs[0], i) - get(call->inputs[3], channel)) * inverse * get(call->inputs[1], channel) +
            get(call->inputs[2], channel));
  });
  return 0;
}

TW_REFERENCE(batch_norm_backward_reduce) {
  std::vector<double> scales(call->inputs[1].shape[1]), biases(scales.size());
  forElements(call->inputs[1], [&](int64_t channel, int64_t i) {
    double inverse = 1 / std::sqrt(get(call->inputs[3], channel) + number(call, "epsilon"));
    biases[channel] += get(call->inputs[0], i);
    scales[channel] += get(call->inputs[0], i) * (get(call->inputs[1], i) - get(call->inputs[2], channel)) * inverse;
  });
  for (size_t channel = 0; channel < scales.size(); ++channel) {
    set(call->outputs[0], int64_t(channel), scales[channel]);
    set(call->outputs[1], int64_t(channel), biases[channel]);
  }
  return 0;
}

TW_REFERENCE(batch_norm_backward_apply) {
  double count = double(integer(call, "count"));
  forElements(call->inputs[1], [&](int64_t channel, int64_t i) {
    double inverse = 1 / std::sqrt(get(call->inputs[4], channel) + number(call, "epsilon"));
    double normal = (get(call->inputs[1], i) - get(call->inputs[3], channel)) * inverse;
    set(call->outputs[0], i,
        get(call->inputs[2], channel) * inverse *
            (get(call->inputs[0], i) - get(call->inputs[6], channel) / count -
             normal * get(call->inputs[5], channel) / count));
  });
  return 0;
}
