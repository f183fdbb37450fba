// transpose, broadcast, slice, concat and pad: all of them copies between strided views.
#include "kernels/structure/CopyView.h"
#include "kernels/support/Half.h"

namespace tw::kernels {
inline namespace TW_VARIANT {
namespace {

using View = int (*)(const tw_call *, Views &, char *, size_t);

/// transpose, broadcast and slice: one input, one copy.
template <typename T, View view>
int move(const tw_call *call, char *message, size_t capacity) {
  Views views;
  if (int status = view(call, views, message, capacity))
    return status;
  copyViews(static_cast<T *>(call->outputs[0].data), static_cast<const T *>(call->inputs[0].data), views,
            call->threads);
  return 0;
}

template <typename T>
int concat(const tw_call *call, char *message, size_t capacity) {
  auto copy = [&](int32_t operand, const Views &views) {
    copyViews(static_cast<T *>(call->outputs[0].data), static_cast<const T *>(call->inputs[operand].data), views,
              call->threads);
  };
  return viewConcat(call, copy, message, capacity);
}

template <typename T>
T valueOf(double number) {
  if constexpr (kTypeOf<T> == TW_F16 || kTypeOf<T> == TW_BF16)
    return fromFloat<T>(float(number));
  else
    return T(number);
}

template <typename T>
int pad(const tw_call *call, char *message, size_t capacity) {
  Views fill, inner;
  if (int status = viewPad(call, fill, inner, message, capacity))
    return status;
  T *result = static_cast<T *>(call->outputs[0].data), value = valueOf<T>(number(call, "value"));
  copyViews(result, &value, fill, call->threads);
  copyViews(result, static_cast<const T *>(call->inputs[0].data), inner, call->threads);
  return 0;
}

} // namespace
} // namespace TW_VARIANT
} // namespace tw::kernels

using namespace tw::kernels;

#define TW_MOVES(name, ...)                                                                                            \
  TW_RUN(name) {                                                                                                       \
    return __VA_ARGS__(call, message, capacity);                                                                       \
  }
#define TW_MOVING(op, view)                                                                                            \
  TW_MOVES(op##_b1_host, move<uint8_t, view>)                                                                          \
  TW_MOVES(op##_b2_host, move<uint16_t, view>)                                                                         \
  TW_MOVES(op##_b4_host, move<uint32_t, view>)                                                                         \
  TW_MOVES(op##_b8_host, move<uint64_t, view>)
TW_MOVING(transpose, viewTranspose)
TW_MOVING(broadcast, viewBroadcast)
TW_MOVING(slice, viewSlice)
TW_MOVES(concat_b1_host, concat<uint8_t>)
TW_MOVES(concat_b2_host, concat<uint16_t>)
TW_MOVES(concat_b4_host, concat<uint32_t>)
TW_MOVES(concat_b8_host, concat<uint64_t>)
TW_MOVES(pad_f32_host, pad<float>)
TW_MOVES(pad_f64_host, pad<double>)
TW_MOVES(pad_f16_host, pad<F16>)
TW_MOVES(pad_bf16_host, pad<BF16>)
TW_MOVES(pad_i32_host, pad<int32_t>)
TW_MOVES(pad_i64_host, pad<int64_t>)
