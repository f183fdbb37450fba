// Maximum and mean over windows. Planes (one image, one channel) are independent; 1 to 3 spatial dimensions are treated
// as 3, those missing having size 1.
#include "kernels/support/Call.h"
#include "kernels/support/Parallel.h"
#include "kernels/support/Rows.h"

namespace tw::kernels {
inline namespace TW_VARIANT {
namespace {

struct Axis {
  int64_t in, out, window, stride, begin, dilation;
  /// First and one past the last window element that lies inside for output i.
  void inside(int64_t i, int64_t &first, int64_t &last) const {
    int64_t start = i * stride - begin;
    int64_t room = in - start; // elements from start on
    first = start < 0 ? -start : 0;
    last = room < 0 ? 0 : room;
    if (dilation != 1) {
      first = (first + dilation - 1) / dilation;
      last = (last + dilation - 1) / dilation;
    }
    last = last < window ? last : window;
    first = first < last ? first : last;
  }
  int64_t position(int64_t i, int64_t element) const { return i * stride - begin + element * dilation; }
  /// Elements that all windows together span, padding included, and how many of the input's those are.
  int64_t padded() const { return (out - 1) * stride + (window - 1) * dilation + 1; }
  int64_t reached() const {
    int64_t room = padded() - begin;
    return room < 0 ? 0 : room < in ? room : in;
  }
};

constexpr int64_t kRowElements = 4096; // of the input row that a stack buffer holds

struct Pool {
  int64_t planes;
  Axis axes[3];
  int64_t inSize() const { return axes[0].in * axes[1].in * axes[2].in; }
  int64_t outSize() const { return axes[0].out * axes[1].out * axes[2].out; }
  int64_t window() const { return axes[0].window * axes[1].window * axes[2].window; }
};

int readPool(const tw_call *call, const tw_tensor &input, const tw_tensor &result, Pool &pool, char *message,
             size_t capacity) {
  int spatial = input.rank - 2;
  if (spatial < 1 || spatial > 3 || result.rank != input.rank)
    return fail(message, capacity, "pooling needs tensors of rank 3 to 5, not %d and %d", input.rank, result.rank);
  pool.planes = input.shape[0] * input.shape[1];
  for (int i = 0; i < 3; ++i) {
    int at = i - (3 - spatial);
    if (at < 0) {
      pool.axes[i] = {1, 1, 1, 1, 0, 1};
      continue;
    }
    pool.axes[i] = {input.shape[2 + at],           result.shape[2 + at],    entry(call, "window", at, 1),
                    entry(call, "strides", at, 1), entry(call, "pads", at), entry(call, "dilations", at, 1)};
    if (pool.axes[i].window < 1 || pool.axes[i].stride < 1 || pool.axes[i].dilation < 1)
      return fail(message, capacity, "pooling needs positive windows, strides and dilations");
  }
  if (pool.axes[2].in > kRowElements || pool.axes[2].padded() > kRowElements || pool.axes[2].out > kRowElements ||
      pool.inSize() > INT32_MAX)
    return fail(message, capacity,
                "pooling takes rows of up to %lld elements and planes of up to 2^31 - 1, not %lld and %lld",
                (long long)kRowElements, (long long)pool.axes[2].in, (long long)pool.inSize());
  return 0;
}

/// Elements inside for output (z, y, x): bounds of window coordinates.
struct Window {
  int64_t first[3], last[3];
  int64_t count() const { return (last[0] - first[0]) * (last[1] - first[1]) * (last[2] - first[2]); }
};
inline Window windowAt(const Pool &pool, int64_t z, int64_t y, int64_t x) {
  Window window;
  pool.axes[0].inside(z, window.first[0], window.last[0]);
  pool.axes[1].inside(y, window.first[1], window.last[1]);
  pool.axes[2].inside(x, window.first[2], window.last[2]);
  return window;
}

/// to[x] = the combination of row[x * stride + w * dilation] over the window, for a row that carries its padding.
template <typename Combine>
inline void slideAlong(const Axis &axis, const float *row, float start, float *to, const Combine &combine) {
  for (int64_t x = 0; x < axis.out; ++x)
    to[x] = start;
  for (int64_t w = 0; w < axis.window; ++w) {
    const float *from = row + w * axis.dilation;
    if (axis.stride == 1)
      for (int64_t x = 0; x < axis.out; ++x)
        to[x] = combine(to[x], from[x]);
    else if (axis.stride == 2)
      for (int64_t x = 0; x < axis.out; ++x)
        to[x] = combine(to[x], from[2 * x]);
    else
      for (int64_t x = 0; x < axis.out; ++x)
        to[x] = combine(to[x], from[x * axis.stride]);
  }
}

/// Combines the window's rows elementwise first, then along x: the window costs the sum of its sides, not their
/// product. finish(value, number of elements inside) gives the result.
template <typename Combine, typename Finish>
void poolPlane(const Pool &pool, const float *from, float *to, float start, const Combine &combine,
               const Finish &finish) {
  const Axis &az = pool.axes[0], &ay = pool.axes[1], &ax = pool.axes[2];
  float row[kRowElements];
  int64_t inside[kRowElements];
  for (int64_t x = 0; x < ax.out; ++x) {
    int64_t first, last;
    ax.inside(x, first, last);
    inside[x] = last - first;
  }
  int64_t length = ax.padded(), width = ax.reached();
  for (int64_t z = 0; z < az.out; ++z)
    for (int64_t y = 0; y < ay.out; ++y, to += ax.out) {
      Window window = windowAt(pool, z, y, 0);
      for (int64_t i = 0; i < length; ++i)
        row[i] = start;
      for (int64_t wz = window.first[0]; wz < window.last[0]; ++wz)
        for (int64_t wy = window.first[1]; wy < window.last[1]; ++wy) {
          const float *source = from + (az.position(z, wz) * ay.in + ay.position(y, wy)) * ax.in;
          for (int64_t i = 0; i < width; ++i)
            row[ax.begin + i] = combine(row[ax.begin + i], source[i]);
        }
      slideAlong(ax, row, start, to, combine);
      int64_t rows = (window.last[0] - window.first[0]) * (window.last[1] - window.first[1]);
      for (int64_t x = 0; x < ax.out; ++x)
        to[x] = finish(to[x], rows * inside[x]);
    }
}

/// NaN wins, as in the maximum of a set that has one.
struct Larger {
  float operator()(float a, float b) const { return (b > a) | (b != b) ? b : a; }
};

template <bool Maximum>
int pool(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(1, 1, 1);
  Pool pool{};
  if (int status = readPool(call, call->inputs[0], call->outputs[0], pool, message, capacity))
    return status;
  const float *input = in(call, 0);
  float *result = out(call, 0);
  float whole = 1.0f / float(pool.window());
  bool padding = flag(call, "count_include_pad");
  parallelFor(call->threads, pool.planes, pool.inSize() * 2, [&](int, int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane) {
      const float *from = input + plane * pool.inSize();
      float *to = result + plane * pool.outSize();
      if (Maximum)
        poolPlane(pool, from, to, -INFINITY, Larger(), [](float value, int64_t) { return value; });
      else
        poolPlane(
            pool, from, to, 0.0f, [](float a, float b) { return a + b; },
            [&](float value, int64_t count) { return padding ? value * whole
                                                     : count ? value / float(count)
                                                             : 0.0f; });
    }
  });
  return 0;
}

/// A row of candidates: the maximum so far and where it is (row-major index in the plane).
struct Candidates {
  float values[kRowElements];
  int32_t places[kRowElements];
  void clear(int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      values[i] = -INFINITY;
      places[i] = INT32_MAX;
    }
  }
};
/// The larger value wins; of equal ones the first in row-major order.
inline void prefer(float &value, int32_t &place, float otherValue, int32_t otherPlace) {
  bool better = (otherValue > value) | ((otherValue == value) & (otherPlace < place));
  value = better ? otherValue : value;
  place = better ? otherPlace : place;
}

inline void preferAlong(const Axis &axis, const Candidates &row, Candidates &best) {
  for (int64_t w = 0; w < axis.window; ++w) {
    const float *values = row.values + w * axis.dilation;
    const int32_t *places = row.places + w * axis.dilation;
    if (axis.stride == 2)
      for (int64_t x = 0; x < axis.out; ++x)
        prefer(best.values[x], best.places[x], values[2 * x], places[2 * x]);
    else
      for (int64_t x = 0; x < axis.out; ++x)
        prefer(best.values[x], best.places[x], values[x * axis.stride], places[x * axis.stride]);
  }
}

/// Adds each window's cotangent to its first maximum.
void maxBackwardPlane(const Pool &pool, const float *cotangent, const float *input, float *result) {
  const Axis &az = pool.axes[0], &ay = pool.axes[1], &ax = pool.axes[2];
  Candidates row, best;
  int64_t length = ax.padded(), width = ax.reached();
  memset(result, 0, pool.inSize() * sizeof(float));
  for (int64_t z = 0; z < az.out; ++z)
    for (int64_t y = 0; y < ay.out; ++y, cotangent += ax.out) {
      Window window = windowAt(pool, z, y, 0);
      row.clear(length);
      for (int64_t wz = window.first[0]; wz < window.last[0]; ++wz)
        for (int64_t wy = window.first[1]; wy < window.last[1]; ++wy) {
          int32_t start = int32_t((az.position(z, wz) * ay.in + ay.position(y, wy)) * ax.in);
          const float *source = input + start;
          float *values = row.values + ax.begin;
          int32_t *places = row.places + ax.begin;
          for (int64_t i = 0; i < width; ++i)
            prefer(values[i], places[i], source[i], start + int32_t(i));
        }
      best.clear(ax.out);
      preferAlong(ax, row, best);
      for (int64_t x = 0; x < ax.out; ++x)
        if (best.places[x] != INT32_MAX)
          result[best.places[x]] += cotangent[x];
    }
}

int maxBackward(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(2, 2, 1);
  Pool pool{};
  if (int status = readPool(call, call->inputs[1], call->inputs[0], pool, message, capacity))
    return status;
  const float *cotangent = in(call, 0), *input = in(call, 1);
  float *result = out(call, 0);
  parallelFor(call->threads, pool.planes, pool.outSize() * pool.window(), [&](int, int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane)
      maxBackwardPlane(pool, cotangent + plane * pool.outSize(), input + plane * pool.inSize(),
                       result + plane * pool.inSize());
  });
  return 0;
}

/// Spreads the shares along x into one row, then adds that row to all rows of the window.
void averageBackwardPlane(const Pool &pool, const float *cotangent, bool padding, float *result) {
  const Axis &az = pool.axes[0], &ay = pool.axes[1], &ax = pool.axes[2];
  float row[kRowElements];
  memset(result, 0, pool.inSize() * sizeof(float));
  for (int64_t z = 0; z < az.out; ++z)
    for (int64_t y = 0; y < ay.out; ++y, cotangent += ax.out) {
      Window window = windowAt(pool, z, y, 0);
      int64_t rows = (window.last[0] - window.first[0]) * (window.last[1] - window.first[1]);
      if (rows == 0)
        continue;
      memset(row, 0, ax.in * sizeof(float));
      for (int64_t x = 0; x < ax.out; ++x) {
        int64_t first, last;
        ax.inside(x, first, last);
        float share = cotangent[x] / float(padding ? pool.window() : rows * (last - first));
        for (int64_t wx = first; wx < last; ++wx)
          row[ax.position(x, wx)] += share;
      }
      for (int64_t wz = window.first[0]; wz < window.last[0]; ++wz)
        for (int64_t wy = window.first[1]; wy < window.last[1]; ++wy) {
          float *to = result + (az.position(z, wz) * ay.in + ay.position(y, wy)) * ax.in;
          for (int64_t i = 0; i < ax.in; ++i)
            to[i] += row[i];
        }
    }
}

int averageBackward(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(1, 1, 1);
  Pool pool{};
  if (int status = readPool(call, call->outputs[0], call->inputs[0], pool, message, capacity))
    return status;
  const float *cotangent = in(call, 0);
  float *result = out(call, 0);
  bool padding = flag(call, "count_include_pad");
  parallelFor(call->threads, pool.planes, pool.outSize() * pool.window(), [&](int, int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane)
      averageBackwardPlane(pool, cotangent + plane * pool.outSize(), padding, result + plane * pool.inSize());
  });
  return 0;
}

} // namespace
} // namespace TW_VARIANT
} // namespace tw::kernels

using namespace tw::kernels;

TW_RUN(max_pool_f32_host) {
  return pool<true>(call, message, capacity);
}
TW_RUN(max_pool_backward_f32_host) {
  return maxBackward(call, message, capacity);
}
TW_RUN(average_pool_f32_host) {
  return pool<false>(call, message, capacity);
}
TW_RUN(average_pool_backward_f32_host) {
  return averageBackward(call, message, capacity);
}
