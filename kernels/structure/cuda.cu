// transpose, broadcast, slice, concat and pad: a thread for each element of the copy between two strided views.
#include "kernels/structure/Views.h"
#include "kernels/support/Cuda.cuh"

using namespace tw::kernels;

namespace {

template <typename T>
__global__ void copyElements(T *to, const T *from, Views views, int64_t count) {
  TW_GRID_LOOP(i, count) {
    int64_t rest = i, toOffset = views.toStart, fromOffset = views.fromStart;
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
void copy(const tw_call *call, const void *from, Views views) {
  if (int64_t count = simplify(views))
    copyElements<<<blocksFor(count), kBlock, 0, streamOf(call)>>>(out<T>(call, 0), static_cast<const T *>(from), views,
                                                                  count);
}

using View = int (*)(const tw_call *, Views &, char *, size_t);

/// transpose, broadcast and slice: one input, one copy.
template <typename T, View view>
int move(const tw_call *call, char *message, size_t capacity) {
  Views views;
  if (int status = view(call, views, message, capacity))
    return status;
  copy<T>(call, call->inputs[0].data, views);
  return launched("a copy", message, capacity);
}

template <typename T>
int concat(const tw_call *call, char *message, size_t capacity) {
  auto copyPart = [&](int32_t operand, const Views &views) { copy<T>(call, call->inputs[operand].data, views); };
  int status = viewConcat(call, copyPart, message, capacity);
  return status ? status : launched("concat", message, capacity);
}

template <typename T>
int pad(const tw_call *call, char *message, size_t capacity) {
  Views fill, inner;
  if (int status = viewPad(call, fill, inner, message, capacity))
    return status;
  if (int64_t count = simplify(fill))
    fillElements<<<blocksFor(count), kBlock, 0, streamOf(call)>>>(out<T>(call, 0), T(number(call, "value")), fill,
                                                                  count);
  copy<T>(call, call->inputs[0].data, inner);
  return launched("pad", message, capacity);
}

} // namespace

#define TW_MOVES(name, ...)                                                                                            \
  extern "C" int name(const tw_call *call, char *message, size_t capacity) {                                           \
    return __VA_ARGS__(call, message, capacity);                                                                       \
  }
#define TW_MOVING(op, view)                                                                                            \
  TW_MOVES(op##_b1_cuda, move<uint8_t, view>)                                                                          \
  TW_MOVES(op##_b2_cuda, move<uint16_t, view>)                                                                         \
  TW_MOVES(op##_b4_cuda, move<uint32_t, view>)                                                                         \
  TW_MOVES(op##_b8_cuda, move<uint64_t, view>)
TW_MOVING(transpose, viewTranspose)
TW_MOVING(broadcast, viewBroadcast)
TW_MOVING(slice, viewSlice)
TW_MOVES(concat_b1_cuda, concat<uint8_t>)
TW_MOVES(concat_b2_cuda, concat<uint16_t>)
TW_MOVES(concat_b4_cuda, concat<uint32_t>)
TW_MOVES(concat_b8_cuda, concat<uint64_t>)
TW_MOVES(pad_f32_cuda, pad<float>)
TW_MOVES(pad_f64_cuda, pad<double>)
TW_MOVES(pad_i32_cuda, pad<int32_t>)
TW_MOVES(pad_i64_cuda, pad<int64_t>)
