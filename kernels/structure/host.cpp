// transpose, broadcast, slice, concat and pad: all of them copies between strided views.
#include "kernels/structure/CopyView.h"
#include "kernels/support/Call.h"

namespace tw::kernels {
inline namespace TW_VARIANT {
namespace {

template <typename T>
int transpose(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(1, 1, 1);
  const tw_tensor &input = call->inputs[0], &result = call->outputs[0];
  if (input.rank != result.rank)
    return fail(message, capacity, "transpose needs equal ranks, not %d and %d", input.rank, result.rank);
  Views views;
  for (int i = 0; i < result.rank; ++i) {
    int64_t source = entry(call, "permutation", i, -1);
    if (source < 0 || source >= input.rank || input.shape[source] != result.shape[i])
      return fail(message, capacity, "transpose's permutation does not lead from its input's shape to its result's");
    views.add(result.shape[i], result.strides[i], input.strides[source]);
  }
  copyViews(static_cast<T *>(result.data), static_cast<const T *>(input.data), views, call->threads);
  return 0;
}

template <typename T>
int broadcast(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(1, 1, 1);
  const tw_tensor &input = call->inputs[0], &result = call->outputs[0];
  int64_t from[TW_MAX_RANK] = {0};
  for (int i = 0; i < input.rank; ++i) {
    int64_t dimension = entry(call, "dimensions", i, -1);
    if (dimension < 0 || dimension >= result.rank || (input.shape[i] != 1 && input.shape[i] != result.shape[dimension]))
      return fail(message, capacity, "broadcast's dimension %d fits no dimension of its result", i);
    from[dimension] = input.shape[i] == 1 ? 0 : input.strides[i];
  }
  Views views;
  for (int i = 0; i < result.rank; ++i)
    views.add(result.shape[i], result.strides[i], from[i]);
  copyViews(static_cast<T *>(result.data), static_cast<const T *>(input.data), views, call->threads);
  return 0;
}

template <typename T>
int slice(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(1, 1, 1);
  const tw_tensor &input = call->inputs[0], &result = call->outputs[0];
  if (input.rank != result.rank)
    return fail(message, capacity, "slice needs equal ranks, not %d and %d", input.rank, result.rank);
  Views views;
  int64_t offset = 0;
  for (int i = 0; i < result.rank; ++i) {
    int64_t start = entry(call, "starts", i), stride = entry(call, "strides", i, 1), size = result.shape[i];
    int64_t last = start + (size - 1) * stride;
    if (size > 0 && (start < 0 || start >= input.shape[i] || last < 0 || last >= input.shape[i]))
      return fail(message, capacity, "slice reaches outside dimension %d: elements %lld to %lld of %lld", i,
                  (long long)start, (long long)last, (long long)input.shape[i]);
    offset += start * input.strides[i];
    views.add(size, result.strides[i], stride * input.strides[i]);
  }
  copyViews(static_cast<T *>(result.data), static_cast<const T *>(input.data) + offset, views, call->threads);
  return 0;
}

template <typename T>
int concat(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(1, INT32_MAX, 1);
  const tw_tensor &result = call->outputs[0];
  int64_t axis = integer(call, "axis"), filled = 0;
  if (axis < 0 || axis >= result.rank)
    return fail(message, capacity, "concat's axis %lld is not a dimension of its result", (long long)axis);
  for (int32_t operand = 0; operand < call->input_count; ++operand) {
    const tw_tensor &input = call->inputs[operand];
    Views views;
    for (int i = 0; i < result.rank; ++i) {
      if (input.rank != result.rank || (i != axis && input.shape[i] != result.shape[i]) ||
          filled + input.shape[axis] > result.shape[axis])
        return fail(message, capacity, "concat's operand %d does not fit its result", operand);
      views.add(input.shape[i], result.strides[i], input.strides[i]);
    }
    copyViews(static_cast<T *>(result.data) + filled * result.strides[axis], static_cast<const T *>(input.data), views,
              call->threads);
    filled += input.shape[axis];
  }
  if (filled != result.shape[axis])
    return fail(message, capacity, "concat's operands fill %lld of %lld elements", (long long)filled,
                (long long)result.shape[axis]);
  return 0;
}

template <typename T>
int pad(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(1, 1, 1);
  const tw_tensor &input = call->inputs[0], &result = call->outputs[0];
  if (input.rank != result.rank)
    return fail(message, capacity, "pad needs equal ranks, not %d and %d", input.rank, result.rank);
  Views fill, copy;
  int64_t offset = 0;
  for (int i = 0; i < result.rank; ++i) {
    int64_t low = entry(call, "low", i), step = entry(call, "interior", i) + 1, size = input.shape[i];
    int64_t last = low + (size - 1) * step;
    if (size > 0 && (low < 0 || step < 1 || last >= result.shape[i]))
      return fail(message, capacity, "pad's dimension %d has %lld elements, too few for its input", i,
                  (long long)result.shape[i]);
    offset += low * result.strides[i];
    fill.add(result.shape[i], result.strides[i], 0);
    copy.add(size, step * result.strides[i], input.strides[i]);
  }
  T value = static_cast<T>(number(call, "value"));
  copyViews(static_cast<T *>(result.data), &value, fill, call->threads);
  copyViews(static_cast<T *>(result.data) + offset, static_cast<const T *>(input.data), copy, call->threads);
  return 0;
}

} // namespace
} // namespace TW_VARIANT
} // namespace tw::kernels

using namespace tw::kernels;

#define TW_MOVING(op)                                                                                                  \
  TW_RUN(op##_b1_host) {                                                                                               \
    return op<uint8_t>(call, message, capacity);                                                                       \
  }                                                                                                                    \
  TW_RUN(op##_b2_host) {                                                                                               \
    return op<uint16_t>(call, message, capacity);                                                                      \
  }                                                                                                                    \
  TW_RUN(op##_b4_host) {                                                                                               \
    return op<uint32_t>(call, message, capacity);                                                                      \
  }                                                                                                                    \
  TW_RUN(op##_b8_host) {                                                                                               \
    return op<uint64_t>(call, message, capacity);                                                                      \
  }
TW_MOVING(transpose)
TW_MOVING(broadcast)
TW_MOVING(slice)
TW_MOVING(concat)

TW_RUN(pad_f32_host) {
  return pad<float>(call, message, capacity);
}
TW_RUN(pad_f64_host) {
  return pad<double>(call, message, capacity);
}
TW_RUN(pad_i32_host) {
  return pad<int32_t>(call, message, capacity);
}
TW_RUN(pad_i64_host) {
  return pad<int64_t>(call, message, capacity);
}
