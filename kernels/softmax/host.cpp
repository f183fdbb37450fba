// softmax and log_softmax with their backward ops. Along the last axis a row is contiguous; along another axis the
// elements of neighbouring rows are, and the vector's lanes work on that many rows.
#include "kernels/support/Call.h"
#include "kernels/support/Parallel.h"
#include "kernels/support/Rows.h"

namespace tw::kernels {
inline namespace TW_VARIANT {
namespace {

enum class Kind { Softmax, LogSoftmax };

/// Maximum, then sum of exponentials of the differences; maximum is -inf for a row of -inf.
inline void rowStatistics(const float *x, int64_t length, float *exponentials, float &maximum, float &sum) {
  Floats largest = fill(float(-INFINITY));
  forVectors(length, [&](int64_t i, int64_t lanes) {
    largest = max(largest, lanes == kFloats ? load(x + i) : loadPart(x + i, lanes, float(-INFINITY)));
  });
  maximum = maxLanes(largest);
  if (maximum == -INFINITY) {
    sum = 0;
    return;
  }
  float shift = maximum;
  sum = sumOver(length, [&](int64_t i, int64_t lanes) {
    Floats value = exponential(loadSome(x + i, lanes) - shift);
    if (exponentials)
      storeSome(exponentials + i, value, lanes);
    return value;
  });
}

template <Kind kind>
inline void forwardRow(const float *x, float *y, int64_t length) {
  float maximum, sum;
  rowStatistics(x, length, kind == Kind::Softmax ? y : nullptr, maximum, sum);
  if (maximum == -INFINITY) {
    forVectors(length, [&](int64_t i, int64_t lanes) {
      storeSome(y + i, fill(kind == Kind::Softmax ? 0.0f : maximum), lanes);
    });
    return;
  }
  if (kind == Kind::Softmax) {
    float inverse = 1.0f / sum;
    forVectors(length, [&](int64_t i, int64_t lanes) { storeSome(y + i, loadSome(y + i, lanes) * inverse, lanes); });
  } else {
    float shift = maximum, logarithm = std::log(sum);
    forVectors(length,
               [&](int64_t i, int64_t lanes) { storeSome(y + i, loadSome(x + i, lanes) - shift - logarithm, lanes); });
  }
}

template <Kind kind>
inline void backwardRow(const float *dy, const float *y, float *dx, int64_t length) {
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
template <Kind kind>
inline void forwardColumns(const float *x, float *y, int64_t length, int64_t stride, int64_t lanes) {
  Floats largest = fill(float(-INFINITY)), sum{};
  for (int64_t i = 0; i < length; ++i)
    largest = max(largest, loadSome(x + i * stride, lanes));
  Floats shift = largest == -INFINITY ? Floats{} : largest; // then every exponential is 0
  for (int64_t i = 0; i < length; ++i) {
    Floats value = exponential(loadSome(x + i * stride, lanes) - shift);
    sum += value;
    if (kind == Kind::Softmax)
      storeSome(y + i * stride, value, lanes);
  }
  Floats factor = sum == 0.0f ? Floats{} : 1.0f / sum, logarithm{};
  if (kind == Kind::LogSoftmax)
    for (int64_t lane = 0; lane < lanes; ++lane)
      logarithm[lane] = sum[lane] == 0 ? 0 : std::log(sum[lane]);
  for (int64_t i = 0; i < length; ++i) {
    const float *from = (kind == Kind::Softmax ? y : x) + i * stride;
    Floats value = loadSome(from, lanes);
    storeSome(y + i * stride, kind == Kind::Softmax ? value * factor : value - shift - logarithm, lanes);
  }
}

template <Kind kind>
inline void backwardColumns(const float *dy, const float *y, float *dx, int64_t length, int64_t stride, int64_t lanes) {
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

template <Kind kind>
int forward(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(1, 1, 1);
  Axis axis{};
  if (int status = readAxis(call, axis, message, capacity))
    return status;
  const float *x = in(call, 0);
  float *y = out(call, 0);
  forAxis(
      axis, call->threads, [&](int64_t offset) { forwardRow<kind>(x + offset, y + offset, axis.length); },
      [&](int64_t offset, int64_t lanes) {
        forwardColumns<kind>(x + offset, y + offset, axis.length, axis.inner, lanes);
      });
  return 0;
}

template <Kind kind>
int backward(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(2, 2, 1);
  Axis axis{};
  if (int status = readAxis(call, axis, message, capacity))
    return status;
  const float *dy = in(call, 0), *y = in(call, 1);
  float *dx = out(call, 0);
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

TW_RUN(softmax_f32_host) {
  return forward<Kind::Softmax>(call, message, capacity);
}
TW_RUN(log_softmax_f32_host) {
  return forward<Kind::LogSoftmax>(call, message, capacity);
}
TW_RUN(softmax_backward_f32_host) {
  return backward<Kind::Softmax>(call, message, capacity);
}
TW_RUN(log_softmax_backward_f32_host) {
  return backward<Kind::LogSoftmax>(call, message, capacity);
}
