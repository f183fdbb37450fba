// transpose, broadcast, slice, concat and pad: a thread for each element of the copy between two strided views.
#include "kernels/support/Cuda.cuh"

using namespace tw::kernels;

namespace {

struct Views {
  int rank = 0;
  int64_t shape[TW_MAX_RANK], to[TW_MAX_RANK], from[TW_MAX_RANK];
  void add(int64_t size, int64_t toStride, int64_t fromStride) {
    if (size == 1)
      return;
    int last = rank - 1;
    if (last >= 0 && to[last] == toStride * size && from[last] == fromStride * size) {
      shape[last] *= size; // walks memory as one dimension
      to[last] = toStride;
      from[last] = fromStride;
      return;
    }
    shape[rank] = size;
    to[rank] = toStride;
    from[rank++] = fromStride;
  }
  int64_t count() const {
    int64_t product = 1;
    for (int i = 0; i < rank; ++i)
      product *= shape[i];
    return product;
  }
};

template <typename T>
__global__ void copyElements(T *to, const T *from, Views views, int64_t count) {
  TW_GRID_LOOP(i, count) {
    int64_t rest = i, toOffset = 0, fromOffset = 0;
    for (int d = views.rank - 1; d >= 0; --d) {
      int64_t at = rest % views.shape[d];
      rest /= views.shape[d];
      toOffset += at * views.to[d];
      fromOffset += at * views.from[d];
    }
    to[toOffset] = from[fromOffset];
  }
}
template <typename T>
__global__ void fillElements(T *to, T value, Views views, int64_t count) {
  TW_GRID_LOOP(i, count) {
    int64_t rest = i, offset = 0;
    for (int d = views.rank - 1; d >= 0; --d) {
      offset += rest % views.shape[d] * views.to[d];
      rest /= views.shape[d];
    }
    to[offset] = value;
  }
}

template <typename T>
void copy(const tw_call *call, T *to, const void *from, const Views &views) {
  if (int64_t count = views.count())
    copyElements<<<blocksFor(count), kBlock, 0, streamOf(call)>>>(to, static_cast<const T *>(from), views, count);
}

template <typename T>
int transpose(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(1, 1, 1);
  const tw_tensor &input = call->inputs[0], &result = call->outputs[0];
  Views views;
  for (int i = 0; i < result.rank; ++i) {
    int64_t source = entry(call, "permutation", i, -1);
    if (source < 0 || source >= input.rank || input.shape[source] != result.shape[i])
      return fail(message, capacity, "transpose's permutation does not lead from its input's shape to its result's");
    views.add(result.shape[i], result.strides[i], input.strides[source]);
  }
  copy(call, out<T>(call, 0), input.data, views);
  return launched("transpose", message, capacity);
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
  copy(call, out<T>(call, 0), input.data, views);
  return launched("broadcast", message, capacity);
}

template <typename T>
int slice(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(1, 1, 1);
  const tw_tensor &input = call->inputs[0], &result = call->outputs[0];
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
  copy(call, out<T>(call, 0), in<T>(call, 0) + offset, views);
  return launched("slice", message, capacity);
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
    copy(call, out<T>(call, 0) + filled * result.strides[axis], input.data, views);
    filled += input.shape[axis];
  }
  return launched("concat", message, capacity);
}

template <typename T>
int pad(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(1, 1, 1);
  const tw_tensor &input = call->inputs[0], &result = call->outputs[0];
  Views fill, inner;
  int64_t offset = 0;
  for (int i = 0; i < result.rank; ++i) {
    int64_t low = entry(call, "low", i), step = entry(call, "interior", i) + 1, size = input.shape[i];
    if (size > 0 && (low < 0 || step < 1 || low + (size - 1) * step >= result.shape[i]))
      return fail(message, capacity, "pad's dimension %d has %lld elements, too few for its input", i,
                  (long long)result.shape[i]);
    offset += low * result.strides[i];
    fill.add(result.shape[i], result.strides[i], 0);
    inner.add(size, step * result.strides[i], input.strides[i]);
  }
  if (int64_t count = fill.count())
    fillElements<<<blocksFor(count), kBlock, 0, streamOf(call)>>>(out<T>(call, 0), T(number(call, "value")), fill,
                                                                  count);
  copy(call, out<T>(call, 0) + offset, input.data, inner);
  return launched("pad", message, capacity);
}

} // namespace

#define TW_MOVES(name, op, type)                                                                                       \
  extern "C" int name(const tw_call *call, char *message, size_t capacity) {                                           \
    return op<type>(call, message, capacity);                                                                          \
  }
#define TW_MOVING(op)                                                                                                  \
  TW_MOVES(op##_b1_cuda, op, uint8_t)                                                                                  \
  TW_MOVES(op##_b2_cuda, op, uint16_t)                                                                                 \
  TW_MOVES(op##_b4_cuda, op, uint32_t)                                                                                 \
  TW_MOVES(op##_b8_cuda, op, uint64_t)
TW_MOVING(transpose)
TW_MOVING(broadcast)
TW_MOVING(slice)
TW_MOVING(concat)
TW_MOVES(pad_f32_cuda, pad, float)
TW_MOVES(pad_f64_cuda, pad, double)
TW_MOVES(pad_i32_cuda, pad, int32_t)
TW_MOVES(pad_i64_cuda, pad, int64_t)
