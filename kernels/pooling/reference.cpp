#include "kernels/testing/Window.h"

#include <cmath>

using namespace tw::kernels;
using namespace tw::kernels::testing;

static Shape windowOf(const tw_call *call) {
  const tw_attribute *window = findAttribute(call, "window");
  return Shape(window->ints, window->ints + window->count);
}

/// Calls body(output index, coordinates (n, c), spatial coordinates) for every element of the pooled tensor.
template <typename Body>
static void forOutputs(const tw_tensor &pooled, const Body &body) {
  for (int64_t i = 0; i < elements(pooled); ++i) {
    Shape at = coordinates(pooled, i);
    body(i, at[0], at[1], Shape(at.begin() + 2, at.end()));
  }
}

static void setAll(const tw_tensor &tensor, const std::vector<double> &values) {
  for (int64_t i = 0; i < elements(tensor); ++i)
    set(tensor, i, values[i]);
}

TW_REFERENCE(max_pool) {
  const tw_tensor &input = call->inputs[0];
  forOutputs(call->outputs[0], [&](int64_t i, int64_t n, int64_t c, const Shape &at) {
    double largest = -INFINITY;
    forWindow(call, at, windowOf(call), spatialOf(input), [&](const Shape &position, const Shape &) {
      largest = std::fmax(largest, get(input, joined(n, c, position)));
    });
    set(call->outputs[0], i, largest);
  });
  return 0;
}

TW_REFERENCE(max_pool_backward) {
  const tw_tensor &cotangent = call->inputs[0], &input = call->inputs[1], &result = call->outputs[0];
  std::vector<double> sums(elements(result));
  forOutputs(cotangent, [&](int64_t i, int64_t n, int64_t c, const Shape &at) {
    double largest = -INFINITY;
    Shape best;
    forWindow(call, at, windowOf(call), spatialOf(input), [&](const Shape &position, const Shape &) {
      double value = get(input, joined(n, c, position));
      if (best.empty() || value > largest) {
        largest = value;
        best = joined(n, c, position);
      }
    });
    sums[indexOf(result, best)] += get(cotangent, i);
  });
  setAll(result, sums);
  return 0;
}

static double divisor(const tw_call *call, const Shape &at, const Shape &sizes) {
  double inside = 0, whole = 1;
  for (int64_t size : windowOf(call))
    whole *= double(size);
  forWindow(call, at, windowOf(call), sizes, [&](const Shape &, const Shape &) { ++inside; });
  return flag(call, "count_include_pad") ? whole : inside;
}

TW_REFERENCE(average_pool) {
  const tw_tensor &input = call->inputs[0];
  forOutputs(call->outputs[0], [&](int64_t i, int64_t n, int64_t c, const Shape &at) {
    double sum = 0;
    forWindow(call, at, windowOf(call), spatialOf(input),
              [&](const Shape &position, const Shape &) { sum += get(input, joined(n, c, position)); });
    set(call->outputs[0], i, sum / divisor(call, at, spatialOf(input)));
  });
  return 0;
}

TW_REFERENCE(average_pool_backward) {
  const tw_tensor &cotangent = call->inputs[0], &result = call->outputs[0];
  std::vector<double> sums(elements(result));
  forOutputs(cotangent, [&](int64_t i, int64_t n, int64_t c, const Shape &at) {
    double share = get(cotangent, i) / divisor(call, at, spatialOf(result));
    forWindow(call, at, windowOf(call), spatialOf(result),
              [&](const Shape &position, const Shape &) { sums[indexOf(result, joined(n, c, position))] += share; });
  });
  setAll(result, sums);
  return 0;
}
