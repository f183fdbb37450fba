// transpose, broadcast, slice, concat and pad as copies between strided views: what a call means, checked, for every
// target. The targets only copy.
#ifndef TW_KERNELS_STRUCTURE_VIEWS_H
#define TW_KERNELS_STRUCTURE_VIEWS_H

#include "kernels/support/Call.h"
#include "kernels/support/Variant.h"

namespace tw::kernels {
inline namespace TW_VARIANT {

/// The same index space walked in two memories. Starts and strides are in elements.
struct Views {
  int rank = 0;
  int64_t toStart = 0, fromStart = 0;
  int64_t shape[TW_MAX_RANK], to[TW_MAX_RANK], from[TW_MAX_RANK];
  void add(int64_t size, int64_t toStride, int64_t fromStride) {
    shape[rank] = size;
    to[rank] = toStride;
    from[rank++] = fromStride;
  }
};

/// Drops dimensions of size 1, orders the others so that writes are sequential, and merges those that walk memory as
/// one. Returns the number of elements.
inline int64_t simplify(Views &views) {
  Views kept;
  int64_t count = 1;
  for (int i = 0; i < views.rank; ++i) {
    count *= views.shape[i];
    if (views.shape[i] == 1)
      continue;
    int64_t size = views.shape[i], to = views.to[i], from = views.from[i];
    int at = kept.rank++;
    for (; at > 0 && (kept.to[at - 1] < 0 ? -kept.to[at - 1] : kept.to[at - 1]) < (to < 0 ? -to : to); --at) {
      kept.shape[at] = kept.shape[at - 1];
      kept.to[at] = kept.to[at - 1];
      kept.from[at] = kept.from[at - 1];
    }
    kept.shape[at] = size;
    kept.to[at] = to;
    kept.from[at] = from;
  }
  views.rank = 0;
  for (int i = 0; i < kept.rank; ++i) {
    int last = views.rank - 1;
    if (last >= 0 && views.to[last] == kept.to[i] * kept.shape[i] && views.from[last] == kept.from[i] * kept.shape[i]) {
      views.shape[last] *= kept.shape[i];
      views.to[last] = kept.to[i];
      views.from[last] = kept.from[i];
    } else {
      views.add(kept.shape[i], kept.to[i], kept.from[i]);
    }
  }
  return count;
}

inline int expectEqualRanks(const tw_tensor &input, const tw_tensor &result, const char *op, char *message,
                            size_t capacity) {
  return input.rank == result.rank
             ? 0
             : fail(message, capacity, "%s needs equal ranks, not %d and %d", op, input.rank, result.rank);
}

inline int viewTranspose(const tw_call *call, Views &views, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(1, 1, 1);
  const tw_tensor &input = call->inputs[0], &result = call->outputs[0];
  if (int status = expectEqualRanks(input, result, "transpose", message, capacity))
    return status;
  for (int i = 0; i < result.rank; ++i) {
    int64_t source = entry(call, "permutation", i, -1);
    if (source < 0 || source >= input.rank || input.shape[source] != result.shape[i])
      return fail(message, capacity, "transpose's permutation does not lead from its input's shape to its result's");
    views.add(result.shape[i], result.strides[i], input.strides[source]);
  }
  return 0;
}

inline int viewBroadcast(const tw_call *call, Views &views, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(1, 1, 1);
  const tw_tensor &input = call->inputs[0], &result = call->outputs[0];
  int64_t from[TW_MAX_RANK] = {0};
  for (int i = 0; i < input.rank; ++i) {
    int64_t dimension = entry(call, "dimensions", i, -1);
    if (dimension < 0 || dimension >= result.rank || (input.shape[i] != 1 && input.shape[i] != result.shape[dimension]))
      return fail(message, capacity, "broadcast's dimension %d fits no dimension of its result", i);
    from[dimension] = input.shape[i] == 1 ? 0 : input.strides[i];
  }
  for (int i = 0; i < result.rank; ++i)
    views.add(result.shape[i], result.strides[i], from[i]);
  return 0;
}

inline int viewSlice(const tw_call *call, Views &views, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(1, 1, 1);
  const tw_tensor &input = call->inputs[0], &result = call->outputs[0];
  if (int status = expectEqualRanks(input, result, "slice", message, capacity))
    return status;
  for (int i = 0; i < result.rank; ++i) {
    int64_t start = entry(call, "starts", i), stride = entry(call, "strides", i, 1), size = result.shape[i];
    int64_t last = start + (size - 1) * stride;
    if (size > 0 && (start < 0 || start >= input.shape[i] || last < 0 || last >= input.shape[i]))
      return fail(message, capacity, "slice reaches outside dimension %d: elements %lld to %lld of %lld", i,
                  (long long)start, (long long)last, (long long)input.shape[i]);
    views.fromStart += start * input.strides[i];
    views.add(size, result.strides[i], stride * input.strides[i]);
  }
  return 0;
}

/// Calls copy(operand, views) for each operand, once all are known to fit side by side.
template <typename Copy>
inline int viewConcat(const tw_call *call, const Copy &copy, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(1, INT32_MAX, 1);
  const tw_tensor &result = call->outputs[0];
  int64_t axis = integer(call, "axis"), filled = 0;
  if (axis < 0 || axis >= result.rank)
    return fail(message, capacity, "concat's axis %lld is not a dimension of its result", (long long)axis);
  for (int32_t operand = 0; operand < call->input_count; ++operand) {
    const tw_tensor &input = call->inputs[operand];
    bool fits = input.rank == result.rank;
    for (int i = 0; fits && i < result.rank; ++i)
      fits = i == axis || input.shape[i] == result.shape[i];
    if (!fits)
      return fail(message, capacity, "concat's operand %d does not fit its result", operand);
    filled += input.shape[axis];
  }
  if (filled != result.shape[axis])
    return fail(message, capacity, "concat's operands have %lld of %lld elements", (long long)filled,
                (long long)result.shape[axis]);
  int64_t start = 0;
  for (int32_t operand = 0; operand < call->input_count; ++operand) {
    const tw_tensor &input = call->inputs[operand];
    Views views;
    views.toStart = start * result.strides[axis];
    for (int i = 0; i < result.rank; ++i)
      views.add(input.shape[i], result.strides[i], input.strides[i]);
    copy(operand, views);
    start += input.shape[axis];
  }
  return 0;
}

/// `fill` is all of the result (from a single element), `inner` the places of the input in it.
inline int viewPad(const tw_call *call, Views &fill, Views &inner, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(1, 1, 1);
  const tw_tensor &input = call->inputs[0], &result = call->outputs[0];
  if (int status = expectEqualRanks(input, result, "pad", message, capacity))
    return status;
  for (int i = 0; i < result.rank; ++i) {
    int64_t low = entry(call, "low", i), step = entry(call, "interior", i) + 1, size = input.shape[i];
    int64_t last = low + (size - 1) * step;
    if (size > 0 && (low < 0 || step < 1 || last >= result.shape[i]))
      return fail(message, capacity, "pad's dimension %d has %lld elements, too few for its input", i,
                  (long long)result.shape[i]);
    inner.toStart += low * result.strides[i];
    fill.add(result.shape[i], result.strides[i], 0);
    inner.add(size, step * result.strides[i], input.strides[i]);
  }
  return 0;
}

} // namespace TW_VARIANT
} // namespace tw::kernels
#endif
