#include "kernels/testing/Element.h"

using namespace tw::kernels;
using namespace tw::kernels::testing;

TW_REFERENCE(gather) {
  const tw_tensor &input = call->inputs[0], &indices = call->inputs[1], &result = call->outputs[0];
  int axis = int(integer(call, "axis"));
  for (int64_t i = 0; i < elements(result); ++i) {
    Shape at = coordinates(result, i), from(at.begin(), at.begin() + axis);
    Shape picked(at.begin() + axis, at.begin() + axis + indices.rank);
    int64_t index = int64_t(get(indices, picked));
    from.push_back(index < 0 ? index + input.shape[axis] : index);
    from.insert(from.end(), at.begin() + axis + indices.rank, at.end());
    set(result, i, get(input, from));
  }
  return 0;
}

TW_REFERENCE(scatter_add) {
  const tw_tensor &updates = call->inputs[0], &indices = call->inputs[1], &result = call->outputs[0];
  int axis = int(integer(call, "axis"));
  std::vector<double> sums(elements(result));
  for (int64_t i = 0; i < elements(updates); ++i) {
    Shape at = coordinates(updates, i), to(at.begin(), at.begin() + axis);
    Shape picked(at.begin() + axis, at.begin() + axis + indices.rank);
    int64_t index = int64_t(get(indices, picked));
    to.push_back(index < 0 ? index + result.shape[axis] : index);
    to.insert(to.end(), at.begin() + axis + indices.rank, at.end());
    sums[indexOf(result, to)] += get(updates, i);
  }
  for (int64_t i = 0; i < elements(result); ++i)
    set(result, i, sums[i]);
  return 0;
}
