// softmax and log_softmax with their backward ops. Along the last axis a row is contiguous; along another axis the
// elements of neighbouring rows are, and the vector's lanes work on that many rows.
#include "kernels/support/Call.h"
#include "kernels/support/Half.h"
#include "kernels/support/Parallel.h"
#include "kernels/support/Rows.h"

namespace tw::kernels {
inline namespace TW_VARIANT {
namespace {

enum class Kind { Softmax, LogSoftmax };

/// Where a row's exponentials stay until their sum is known: in the result when that is f32, since a half result shall
/// round once; else in a buffer, and where that is too short they are computed twice.
constexpr int64_t kKept = 8192;
inline float *keepIn(float *y, float *, int64_t) {
  return y;
}
template <typename T>
inline float *keepIn(T *, float *buffer, int64_t count) {
  return count <= kKept ? buffer : nullptr;
}

template <typename T>
inline void fillRow(T *y, float value, int64_t length) {
  forVectors(length, [&](int64_t i, int64_t lanes) { storeSome(y + i, fill(value), lanes); });
}

template <Kind kind, typename T>
inline void forwardRow(const T *x, T *y, int64_t length) {
  float buffer[kKept], *kept = kind == Kind::Softmax ? keepIn(y, buffer, length) : nullptr;
  float maximum = maximumOf(x, length);
  if (maximum == -INFINITY)
    return fillRow(y, kind == Kind::Softmax ? 0.0f : maximum, length);
  float sum = sumOver(length, [&](int64_t i, int64_t lanes) {
    Floats value = exponential(loadSome(x + i, lanes) - maximum);
    if (kept)
      storeSome(kept + i, value, lanes);
    return value;
  });
  float inverse = 1.0f / sum, logarithm = std::log(sum);
  forVectors(length, [&](int64_t i, int64_t lanes) {
    if (kind == Kind::LogSoftmax)
      storeSome(y + i, loadSome(x + i, lanes) - maximum - logarithm, lanes);
    else
      storeSome(y + i, (kept ? loadSome(kept + i, lanes) : exponential(loadSome(x + i, lanes) - maximum)) * inverse,
                lanes);
  });
}

template <Kind kind, typename T>
inline void backwardRow(const T *dy, const T *y, T *dx, int64_t length) {
  float sum = sumOver(length, [&](int64_t i, int64_t lanes) {
    Floats cotangent = loadSome(dy + i, lanes);
    return kind == Kind::Softmax ? cotangent * loadSome(y + i, lanes) : cotangent;
  });
  forVectors(length, [&](int64_t i, int64_t lanes) {
    Floats cotangent = loadSome(dy + i, lanes), value = loadSome(y + i, lanes);
    storeSome(dx + i, kind == Kind::Softmax ? value * (cotangent - sum) : cotangent - exponential(value) * sum, lanes);
  });
}

/// `lanes` neighbouring rows whose elements are `stride` apart.
template <Kind kind, typename T>
inline void forwardColumns(const T *x, T *y, int64_t length, int64_t stride, int64_t lanes) {
  float buffer[kKept], *kept = kind == Kind::Softmax ? keepIn(y, buffer, length * kFloats) : nullptr;
  int64_t pitch = kept == buffer ? kFloats : stride;
  Floats largest = fill(float(-INFINITY)), sum{};
  for (int64_t i = 0; i < length; ++i)
    largest = max(largest, loadSome(x + i * stride, lanes));
  Floats shift = largest == -INFINITY ? Floats{} : largest; // then every exponential is 0
  for (int64_t i = 0; i < length; ++i) {
    Floats value = exponential(loadSome(x + i * stride, lanes) - shift);
    sum += value;
    if (kept)
      storeSome(kept + i * pitch, value, lanes);
  }
  Floats factor = sum == 0.0f ? Floats{} : 1.0f / sum, logarithm{};
  if (kind == Kind::LogSoftmax)
    for (int64_t lane = 0; lane < lanes; ++lane)
      logarithm[lane] = sum[lane] == 0 ? 0 : std::log(sum[lane]);
  for (int64_t i = 0; i < length; ++i) {
    Floats value = kept ? loadSome(kept + i * pitch, lanes) : loadSome(x + i * stride, lanes) - shift;
    if (kind == Kind::LogSoftmax)
      value -= logarithm;
    else
      value = (kept ? value : exponential(value)) * factor;
    storeSome(y + i * stride, value, lanes);
  }
}

template <Kind kind, typename T>
inline void backwardColumns(const T *dy, const T *y, T *dx, int64_t length, int64_t stride, int64_t lanes) {
  Floats sum{};
  for (int64_t i = 0; i < length; ++i) {
    Floats cotangent = loadSome(dy + i * stride, lanes);
    sum += kind == Kind::Softmax ? cotangent * loadSome(y + i * stride, lanes) : cotangent;
  }
  for (int64_t i = 0; i < length; ++i) {
    Floats cotangent = loadSome(dy + i * stride, lanes), value = loadSome(y + i * stride, lanes);
    storeSome(dx + i * stride, kind == Kind::Softmax ? value * (cotangent - sum) : cotangent - exponential(value) * sum,
              lanes);
  }
}

struct Axis {
  int64_t outer, length, inner;
};
int readAxis(const tw_call *call, Axis &axis, char *message, size_t capacity) {
  const tw_tensor &input = call->inputs[0];
  int64_t at = integer(call, "axis", -1);
  if (at < 0 || at >= input.rank)
    return fail(message, capacity, "axis %lld is not a dimension of a tensor of rank %d", (long long)at, input.rank);
  axis = {extent(input, 0, int(at)), input.shape[at], extent(input, int(at) + 1, input.rank)};
  return 0;
}

/// row(offset) over contiguous rows, or columns(offset, lanes) over groups of neighbouring ones.
template <typename Row, typename Columns>
void forAxis(const Axis &axis, int threads, const Row &row, const Columns &columns) {
  if (axis.inner == 1) {
    parallelFor(threads, axis.outer, axis.length, [&](int, int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        row(i * axis.length);
    });
    return;
  }
  int64_t groups = (axis.inner + kFloats - 1) / kFloats;
  parallelFor(threads, axis.outer * groups, axis.length * kFloats, [&](int, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t column = i % groups * kFloats, left = axis.inner - column;
      columns(i / groups * axis.length * axis.inner + column, left < kFloats ? left : kFloats);
    }
  });
}

template <Kind kind, typename T>
int forward(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(1, 1, 1);
  Axis axis{};
  if (int status = readAxis(call, axis, message, capacity))
    return status;
  const T *x = in<T>(call, 0);
  T *y = out<T>(call, 0);
  forAxis(
      axis, call->threads, [&](int64_t offset) { forwardRow<kind>(x + offset, y + offset, axis.length); },
      [&](int64_t offset, int64_t lanes) {
        forwardColumns<kind>(x + offset, y + offset, axis.length, axis.inner, lanes);
      });
  return 0;
}

template <Kind kind, typename T>
int backward(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(2, 2, 1);
  Axis axis{};
  if (int status = readAxis(call, axis, message, capacity))
    return status;
  const T *dy = in<T>(call, 0), *y = in<T>(call, 1);
  T *dx = out<T>(call, 0);
  forAxis(
      axis, call->threads,
      [&](int64_t offset) { backwardRow<kind>(dy + offset, y + offset, dx + offset, axis.length); },
      [&](int64_t offset, int64_t lanes) {
        backwardColumns<kind>(dy + offset, y + offset, dx + offset, axis.length, axis.inner, lanes);
      });
  return 0;
}

} // namespace
} // namespace TW_VARIANT
} // namespace tw::kernels

using namespace tw::kernels;

#define TW_SOFTMAX(type, T)                                                                                            \
  TW_RUN(softmax_##type##_host) {                                                                                      \
    return forward<Kind::Softmax, T>(call, message, capacity);                                                         \
  }                                                                                                                    \
  TW_RUN(log_softmax_##type##_host) {                                                                                  \
    return forward<Kind::LogSoftmax, T>(call, message, capacity);                                                      \
  }                                                                                                                    \
  TW_RUN(softmax_backward_##type##_host) {                                                                             \
    return backward<Kind::Softmax, T>(call, message, capacity);                                                        \
  }                                                                                                                    \
  TW_RUN(log_softmax_backward_##type##_host) {                                                                         \
    return backward<Kind::LogSoftmax, T>(call, message, capacity);                                                     \
  }
TW_SOFTMAX(f32, float)
TW_SOFTMAX(f16, F16)
TW_SOFTMAX(bf16, BF16)
