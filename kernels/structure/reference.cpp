#include "kernels/testing/Element.h"

using namespace tw::kernels;
using namespace tw::kernels::testing;

TW_REFERENCE(transpose) {
  const tw_tensor &input = call->inputs[0], &result = call->outputs[0];
  for (int64_t i = 0; i < elements(result); ++i) {
    Shape at = coordinates(result, i), from(input.rank);
    for (int d = 0; d < result.rank; ++d)
      from[entry(call, "permutation", d)] = at[d];
    set(result, i, get(input, from));
  }
  return 0;
}

TW_REFERENCE(broadcast) {
  const tw_tensor &input = call->inputs[0], &result = call->outputs[0];
  for (int64_t i = 0; i < elements(result); ++i) {
    Shape at = coordinates(result, i), from(input.rank);
    for (int d = 0; d < input.rank; ++d)
      from[d] = input.shape[d] == 1 ? 0 : at[entry(call, "dimensions", d)];
    set(result, i, get(input, from));
  }
  return 0;
}

TW_REFERENCE(slice) {
  const tw_tensor &input = call->inputs[0], &result = call->outputs[0];
  for (int64_t i = 0; i < elements(result); ++i) {
    Shape at = coordinates(result, i);
    for (int d = 0; d < result.rank; ++d)
      at[d] = entry(call, "starts", d) + at[d] * entry(call, "strides", d);
    set(result, i, get(input, at));
  }
  return 0;
}

TW_REFERENCE(concat) {
  const tw_tensor &result = call->outputs[0];
  int64_t axis = integer(call, "axis"), filled = 0;
  for (int operand = 0; operand < call->input_count; ++operand) {
    const tw_tensor &input = call->inputs[operand];
    for (int64_t i = 0; i < elements(input); ++i) {
      Shape at = coordinates(input, i);
      at[axis] += filled;
      set(result, at, get(input, i));
    }
    filled += input.shape[axis];
  }
  return 0;
}

TW_REFERENCE(pad) {
  const tw_tensor &input = call->inputs[0], &result = call->outputs[0];
  for (int64_t i = 0; i < elements(result); ++i)
    set(result, i, number(call, "value"));
  for (int64_t i = 0; i < elements(input); ++i) {
    Shape at = coordinates(input, i);
    for (int d = 0; d < input.rank; ++d)
      at[d] = entry(call, "low", d) + at[d] * (entry(call, "interior", d) + 1);
    set(result, at, get(input, i));
  }
  return 0;
}
