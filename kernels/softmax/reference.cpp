#include "kernels/testing/Element.h"

#include <cmath>

using namespace tw::kernels;
using namespace tw::kernels::testing;

/// Calls row(index of element i of that row) for every row along the axis.
template <typename Row>
static void forRows(const tw_call *call, const tw_tensor &tensor, const Row &row) {
  int axis = int(integer(call, "axis"));
  int64_t length = tensor.shape[axis], inner = extent(tensor, axis + 1, tensor.rank);
  for (int64_t outer = 0; outer < extent(tensor, 0, axis); ++outer)
    for (int64_t column = 0; column < inner; ++column)
      row([=](int64_t i) { return (outer * length + i) * inner + column; }, length);
}

template <typename At>
static double logSum(const tw_tensor &input, const At &at, int64_t length) {
  double maximum = -INFINITY, sum = 0;
  for (int64_t i = 0; i < length; ++i)
    maximum = std::fmax(maximum, get(input, at(i)));
  if (maximum == -INFINITY)
    return maximum;
  for (int64_t i = 0; i < length; ++i)
    sum += std::exp(get(input, at(i)) - maximum);
  return maximum + std::log(sum);
}

TW_REFERENCE(softmax) {
  const tw_tensor &input = call->inputs[0];
  forRows(call, input, [&](auto at, int64_t length) {
    double total = logSum(input, at, length);
    for (int64_t i = 0; i < length; ++i)
      set(call->outputs[0], at(i), total == -INFINITY ? 0 : std::exp(get(input, at(i)) - total));
  });
  return 0;
}

TW_REFERENCE(log_softmax) {
  const tw_tensor &input = call->inputs[0];
  forRows(call, input, [&](auto at, int64_t length) {
    double total = logSum(input, at, length);
    for (int64_t i = 0; i < length; ++i)
      set(call->outputs[0], at(i), total == -INFINITY ? total : get(input, at(i)) - total);
  });
  return 0;
}

TW_REFERENCE(softmax_backward) {
  const tw_tensor &cotangent = call->inputs[0], &y = call->inputs[1];
  forRows(call, y, [&](auto at, int64_t length) {
    double sum = 0;
    for (int64_t i = 0; i < length; ++i)
      sum += get(cotangent, at(i)) * get(y, at(i));
    for (int64_t i = 0; i < length; ++i)
      set(call->outputs[0], at(i), get(y, at(i)) * (get(cotangent, at(i)) - sum));
  });
  return 0;
}

TW_REFERENCE(log_softmax_backward) {
  const tw_tensor &cotangent = call->inputs[0], &y = call->inputs[1];
  forRows(call, y, [&](auto at, int64_t length) {
    double sum = 0;
    for (int64_t i = 0; i < length; ++i)
      sum += get(cotangent, at(i));
    for (int64_t i = 0; i < length; ++i)
      set(call->outputs[0], at(i), get(cotangent, at(i)) - std::exp(get(y, at(i))) * sum);
  });
  return 0;
}
