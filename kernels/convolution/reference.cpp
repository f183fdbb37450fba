#include "kernels/testing/Window.h"

using namespace tw::kernels;
using namespace tw::kernels::testing;

/// Calls body(source coordinates, filter coordinates, destination coordinates) for every product of the convolution.
template <typename Body>
static void forProducts(const tw_call *call, const tw_tensor &source, const tw_tensor &filter,
                        const tw_tensor &destination, const Body &body) {
  int64_t groups = integer(call, "groups", 1), filtersEach = filter.shape[0] / groups, channelsEach = filter.shape[1];
  for (int64_t i = 0; i < elements(destination); ++i) {
    Shape at = coordinates(destination, i), spatial(at.begin() + 2, at.end());
    for (int64_t c = 0; c < channelsEach; ++c)
      forWindow(call, spatial, spatialOf(filter), spatialOf(source), [&](const Shape &position, const Shape &element) {
        body(joined(at[0], at[1] / filtersEach * channelsEach + c, position), joined(at[1], c, element), at);
      });
  }
}

TW_REFERENCE(convolution) {
  const tw_tensor &source = call->inputs[0], &filter = call->inputs[1], &result = call->outputs[0];
  std::vector<double> sums(elements(result));
  forProducts(call, source, filter, result, [&](const Shape &s, const Shape &f, const Shape &d) {
    sums[indexOf(result, d)] += get(source, s) * get(filter, f);
  });
  for (int64_t i = 0; i < elements(result); ++i)
    set(result, i, sums[i] + (call->input_count > 2 ? get(call->inputs[2], coordinates(result, i)[1]) : 0));
  return 0;
}

TW_REFERENCE(convolution_backward_input) {
  const tw_tensor &cotangent = call->inputs[0], &filter = call->inputs[1], &result = call->outputs[0];
  std::vector<double> sums(elements(result));
  forProducts(call, result, filter, cotangent, [&](const Shape &s, const Shape &f, const Shape &d) {
    sums[indexOf(result, s)] += get(cotangent, d) * get(filter, f);
  });
  for (int64_t i = 0; i < elements(result); ++i)
    set(result, i, sums[i]);
  return 0;
}

TW_REFERENCE(convolution_backward_filter) {
  const tw_tensor &cotangent = call->inputs[0], &source = call->inputs[1], &result = call->outputs[0];
  std::vector<double> sums(elements(result));
  forProducts(call, source, result, cotangent, [&](const Shape &s, const Shape &f, const Shape &d) {
    sums[indexOf(result, f)] += get(cotangent, d) * get(source, s);
  });
  for (int64_t i = 0; i < elements(result); ++i)
    set(result, i, sums[i]);
  return 0;
}
