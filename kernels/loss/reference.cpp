#include "kernels/testing/Element.h"

#include <cmath>

using namespace tw::kernels;
using namespace tw::kernels::testing;

TW_REFERENCE(cross_entropy) {
  const tw_tensor &logits = call->inputs[0], &labels = call->inputs[1];
  int64_t rows = logits.shape[0], classes = logits.shape[1];
  double smoothing = number(call, "label_smoothing"), loss = 0;
  for (int64_t row = 0; row < rows; ++row) {
    double maximum = -INFINITY, sum = 0, mean = 0;
    for (int64_t i = 0; i < classes; ++i)
      maximum = std::fmax(maximum, get(logits, row * classes + i));
    for (int64_t i = 0; i < classes; ++i) {
      sum += std::exp(get(logits, row * classes + i) - maximum);
      mean += get(logits, row * classes + i) / double(classes);
    }
    double total = maximum + std::log(sum);
    set(call->outputs[1], row, total);
    int64_t label = int64_t(get(labels, row));
    if (label == integer(call, "ignore_index"))
      continue;
    if (label < 0 || label >= classes)
      return fail(message, capacity, "label outside of the classes");
    loss += total - (1 - smoothing) * get(logits, row * classes + label) - smoothing * mean;
  }
  set(call->outputs[0], 0, loss);
  return 0;
}

TW_REFERENCE(cross_entropy_backward) {
  const tw_tensor &logits = call->inputs[1], &labels = call->inputs[2];
  int64_t rows = logits.shape[0], classes = logits.shape[1];
  double smoothing = number(call, "label_smoothing"), cotangent = get(call->inputs[0], 0);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t i = 0; i < classes; ++i) {
      int64_t label = int64_t(get(labels, row)), at = row * classes + i;
      double p = std::exp(get(logits, at) - get(call->inputs[3], row));
      double value = cotangent * (p - (i == label ? 1 - smoothing : 0) - smoothing / double(classes));
      set(call->outputs[0], at, label == integer(call, "ignore_index") ? 0 : value);
    }
  return 0;
}
