#include "kernels/testing/Element.h"

#include <cmath>

using namespace tw::kernels;
using namespace tw::kernels::testing;

TW_REFERENCE(layer_norm) {
  const tw_tensor &input = call->inputs[0];
  int axis = int(integer(call, "axis"));
  int64_t rows = extent(input, 0, axis), length = extent(input, axis, input.rank);
  for (int64_t row = 0; row < rows; ++row) {
    double mean = 0, variance = 0;
    for (int64_t i = 0; i < length; ++i)
      mean += get(input, row * length + i) / double(length);
    for (int64_t i = 0; i < length; ++i)
      variance += std::pow(get(input, row * length + i) - mean, 2) / double(length);
    double inverse = 1 / std::sqrt(variance + number(call, "epsilon"));
    set(call->outputs[1], row, mean);
    set(call->outputs[2], row, inverse);
    for (int64_t i = 0; i < length; ++i) {
      double bias = call->input_count > 2 ? get(call->inputs[2], i) : 0;
      set(call->outputs[0], row * length + i,
          (get(input, row * length + i) - mean) * inverse * get(call->inputs[1], i) + bias);
    }
  }
  return 0;
}

TW_REFERENCE(layer_norm_backward) {
  const tw_tensor &cotangent = call->inputs[0], &input = call->inputs[1], &scale = call->inputs[2];
  int axis = int(integer(call, "axis"));
  int64_t rows = extent(input, 0, axis), length = extent(input, axis, input.rank);
  std::vector<double> scaleSum(length), biasSum(length);
  for (int64_t row = 0; row < rows; ++row) {
    double mean = get(call->inputs[3], row), inverse = get(call->inputs[4], row), meanG = 0, meanProduct = 0;
    auto normal = [&](int64_t i) { return (get(input, row * length + i) - mean) * inverse; };
    auto g = [&](int64_t i) { return get(cotangent, row * length + i) * get(scale, i); };
    for (int64_t i = 0; i < length; ++i) {
      meanG += g(i) / double(length);
      meanProduct += g(i) * normal(i) / double(length);
      scaleSum[i] += get(cotangent, row * length + i) * normal(i);
      biasSum[i] += get(cotangent, row * length + i);
    }
    for (int64_t i = 0; i < length; ++i)
      set(call->outputs[0], row * length + i, inverse * (g(i) - meanG - normal(i) * meanProduct));
  }
  for (int64_t i = 0; i < length; ++i) {
    set(call->outputs[1], i, scaleSum[i]);
    set(call->outputs[2], i, biasSum[i]);
  }
  return 0;
}

TW_REFERENCE(rms_norm) {
  const tw_tensor &input = call->inputs[0];
  int axis = int(integer(call, "axis"));
  int64_t rows = extent(input, 0, axis), length = extent(input, axis, input.rank);
  for (int64_t row = 0; row < rows; ++row) {
    double squares = 0;
    for (int64_t i = 0; i < length; ++i)
      squares += std::pow(get(input, row * length + i), 2) / double(length);
    double inverse = 1 / std::sqrt(squares + number(call, "epsilon"));
    set(call->outputs[1], row, inverse);
    for (int64_t i = 0; i < length; ++i)
      set(call->outputs[0], row * length + i, get(input, row * length + i) * inverse * get(call->inputs[1], i));
  }
  return 0;
}

TW_REFERENCE(rms_norm_backward) {
  const tw_tensor &cotangent = call->inputs[0], &input = call->inputs[1], &scale = call->inputs[2];
  int axis = int(integer(call, "axis"));
  int64_t rows = extent(input, 0, axis), length = extent(input, axis, input.rank);
  std::vector<double> scaleSum(length);
  for (int64_t row = 0; row < rows; ++row) {
    double inverse = get(call->inputs[3], row), meanProduct = 0;
    auto normal = [&](int64_t i) { return get(input, row * length + i) * inverse; };
    auto g = [&](int64_t i) { return get(cotangent, row * length + i) * get(scale, i); };
    for (int64_t i = 0; i < length; ++i) {
      meanProduct += g(i) * normal(i) / double(length);
      scaleSum[i] += get(cotangent, row * length + i) * normal(i);
    }
    for (int64_t i = 0; i < length; ++i)
      set(call->outputs[0], row * length + i, inverse * (g(i) - normal(i) * meanProduct));
  }
  for (int64_t i = 0; i < length; ++i)
    set(call->outputs[1], i, scaleSum[i]);
  return 0;
}
