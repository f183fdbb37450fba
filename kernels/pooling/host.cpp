// Maximum and mean over windows, plane by plane in f32. Planes of half types are widened into the workspace, and the
// result's is rounded from there: sums round once, and a plane fits the cache.
#include "kernels/pooling/Pool.h"
#include "kernels/support/Call.h"
#include "kernels/support/Half.h"
#include "kernels/support/Parallel.h"
#include "kernels/support/Rows.h"

namespace tw::kernels {
inline namespace TW_VARIANT {
namespace {

/// First and one past the last window element that lies inside for output i.
inline void insideOf(const Axis &axis, int64_t i, int64_t &first, int64_t &last) {
  int64_t start = i * axis.stride - axis.begin;
  int64_t room = axis.in - start; // elements from start on
  first = start < 0 ? -start : 0;
  last = room < 0 ? 0 : room;
  if (axis.dilation != 1) {
    first = (first + axis.dilation - 1) / axis.dilation;
    last = (last + axis.dilation - 1) / axis.dilation;
  }
  last = last < axis.window ? last : axis.window;
  first = first < last ? first : last;
}
/// Elements that all windows together span, padding included, and how many of the input's those are.
inline int64_t paddedOf(const Axis &axis) {
  return (axis.out - 1) * axis.stride + (axis.window - 1) * axis.dilation + 1;
}
inline int64_t reachedOf(const Axis &axis) {
  int64_t room = paddedOf(axis) - axis.begin;
  return room < 0 ? 0 : room < axis.in ? room : axis.in;
}

constexpr int64_t kRowElements = 4096; // of the input row that a stack buffer holds

int readRows(const tw_call *call, const tw_tensor &input, const tw_tensor &result, Pool &pool, char *message,
             size_t capacity) {
  if (int status = readPool(call, input, result, pool, message, capacity))
    return status;
  const Axis &row = pool.axes[2];
  if (row.in > kRowElements || paddedOf(row) > kRowElements || row.out > kRowElements || pool.inSize() > INT32_MAX)
    return fail(message, capacity,
                "pooling takes rows of up to %lld elements and planes of up to 2^31 - 1, not %lld and %lld",
                (long long)kRowElements, (long long)row.in, (long long)pool.inSize());
  return 0;
}

/// Elements inside for output (z, y, x): bounds of window coordinates.
struct Window {
  int64_t first[3], last[3];
  int64_t count() const { return (last[0] - first[0]) * (last[1] - first[1]) * (last[2] - first[2]); }
};
inline Window windowAt(const Pool &pool, int64_t z, int64_t y, int64_t x) {
  Window window;
  insideOf(pool.axes[0], z, window.first[0], window.last[0]);
  insideOf(pool.axes[1], y, window.first[1], window.last[1]);
  insideOf(pool.axes[2], x, window.first[2], window.last[2]);
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
    insideOf(ax, x, first, last);
    inside[x] = last - first;
  }
  int64_t length = paddedOf(ax), width = reachedOf(ax);
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

/// What a thread computes on in f32, one after another from `scratch`: nothing when T is float, since planes are where
/// they belong already.
template <typename T>
class Planes {
public:
  explicit Planes(float *scratch) : next(scratch) {}
  const float *widened(const T *plane, int64_t count) {
    if constexpr (kTypeOf<T> == TW_F32) {
      return plane;
    } else {
      float *to = take(count);
      forVectors(count, [&](int64_t i, int64_t lanes) { storeSome(to + i, loadSome(plane + i, lanes), lanes); });
      return to;
    }
  }
  /// Where the result `plane` is computed; `round` puts it in its place.
  float *result(T *plane, int64_t count) {
    if constexpr (kTypeOf<T> == TW_F32)
      return plane;
    else
      return take(count);
  }
  static void round(T *plane, const float *from, int64_t count) {
    if constexpr (kTypeOf<T> != TW_F32)
      forVectors(count, [&](int64_t i, int64_t lanes) { storeSome(plane + i, loadSome(from + i, lanes), lanes); });
  }

private:
  float *take(int64_t count) {
    float *taken = next;
    next += count;
    return taken;
  }
  float *next;
};

/// Floats of a thread's planes, in whole cache lines.
int64_t scratchFloats(const Pool &pool, int inputs, int outputs) {
  return (inputs * pool.inSize() + outputs * pool.outSize() + 15) / 16 * 16;
}

/// Calls body(plane, planes) for every plane. `inputs` and `outputs` say how many planes of the size before and after
/// pooling body asks for.
template <typename T, typename Body>
int forPlanes(const tw_call *call, const Pool &pool, int inputs, int outputs, int64_t cost, char *message,
              size_t capacity, const Body &body) {
  int64_t scratch = kTypeOf<T> == TW_F32 ? 0 : scratchFloats(pool, inputs, outputs);
  int team = teamSize(call->threads, pool.planes, cost);
  if (call->workspace_bytes < team * scratch * sizeof(float))
    return fail(message, capacity, "pooling needs %zu bytes of workspace, but has %zu",
                size_t(team * scratch) * sizeof(float), call->workspace_bytes);
  float *workspace = static_cast<float *>(call->workspace);
  forRanges(team, pool.planes, [&](int part, int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane)
      body(plane, Planes<T>(workspace + part * scratch));
  });
  return 0;
}

/// `input` is the call's tensor before pooling, `result` the one after it.
size_t poolWorkspace(const tw_call *call, const tw_tensor &input, const tw_tensor &result, int inputs, int outputs) {
  Pool pool{};
  if (readPool(call, input, result, pool, nullptr, 0))
    return 0;
  return size_t(call->threads) * scratchFloats(pool, inputs, outputs) * sizeof(float);
}

template <bool Maximum, typename T>
int pool(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(1, 1, 1);
  Pool pool{};
  if (int status = readRows(call, call->inputs[0], call->outputs[0], pool, message, capacity))
    return status;
  const T *input = in<T>(call, 0);
  T *result = out<T>(call, 0);
  int64_t inSize = pool.inSize(), outSize = pool.outSize();
  float whole = 1.0f / float(pool.window());
  bool padding = flag(call, "count_include_pad");
  return forPlanes<T>(call, pool, 1, 1, inSize * 2, message, capacity, [&](int64_t plane, Planes<T> planes) {
    const float *from = planes.widened(input + plane * inSize, inSize);
    float *to = planes.result(result + plane * outSize, outSize);
    if (Maximum)
      poolPlane(pool, from, to, -INFINITY, Larger(), [](float value, int64_t) { return value; });
    else
      poolPlane(
          pool, from, to, 0.0f, [](float a, float b) { return a + b; },
          [&](float value, int64_t count) { return padding ? value * whole
                                                   : count ? value / float(count)
                                                           : 0.0f; });
    planes.round(result + plane * outSize, to, outSize);
  });
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
  int64_t length = paddedOf(ax), width = reachedOf(ax);
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

template <typename T>
int maxBackward(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(2, 2, 1);
  Pool pool{};
  if (int status = readRows(call, call->inputs[1], call->inputs[0], pool, message, capacity))
    return status;
  const T *cotangent = in<T>(call, 0), *input = in<T>(call, 1);
  T *result = out<T>(call, 0);
  int64_t inSize = pool.inSize(), outSize = pool.outSize(), cost = outSize * pool.window();
  return forPlanes<T>(call, pool, 2, 1, cost, message, capacity, [&](int64_t plane, Planes<T> planes) {
    const float *from = planes.widened(input + plane * inSize, inSize);
    const float *dy = planes.widened(cotangent + plane * outSize, outSize);
    float *to = planes.result(result + plane * inSize, inSize);
    maxBackwardPlane(pool, dy, from, to);
    planes.round(result + plane * inSize, to, inSize);
  });
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
        insideOf(ax, x, first, last);
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

template <typename T>
int averageBackward(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(1, 1, 1);
  Pool pool{};
  if (int status = readRows(call, call->outputs[0], call->inputs[0], pool, message, capacity))
    return status;
  const T *cotangent = in<T>(call, 0);
  T *result = out<T>(call, 0);
  int64_t inSize = pool.inSize(), outSize = pool.outSize(), cost = outSize * pool.window();
  bool padding = flag(call, "count_include_pad");
  return forPlanes<T>(call, pool, 1, 1, cost, message, capacity, [&](int64_t plane, Planes<T> planes) {
    const float *dy = planes.widened(cotangent + plane * outSize, outSize);
    float *to = planes.result(result + plane * inSize, inSize);
    averageBackwardPlane(pool, dy, padding, to);
    planes.round(result + plane * inSize, to, inSize);
  });
}

} // namespace
} // namespace TW_VARIANT
} // namespace tw::kernels

using namespace tw::kernels;

#define TW_POOLING(type, T)                                                                                            \
  TW_RUN(max_pool_##type##_host) {                                                                                     \
    return pool<true, T>(call, message, capacity);                                                                     \
  }                                                                                                                    \
  TW_RUN(max_pool_backward_##type##_host) {                                                                            \
    return maxBackward<T>(call, message, capacity);                                                                    \
  }                                                                                                                    \
  TW_RUN(average_pool_##type##_host) {                                                                                 \
    return pool<false, T>(call, message, capacity);                                                                    \
  }                                                                                                                    \
  TW_RUN(average_pool_backward_##type##_host) {                                                                        \
    return averageBackward<T>(call, message, capacity);                                                                \
  }
#define TW_POOLING_WORKSPACE(type)                                                                                     \
  TW_WORKSPACE(max_pool_##type##_host) {                                                                               \
    return poolWorkspace(call, call->inputs[0], call->outputs[0], 1, 1);                                               \
  }                                                                                                                    \
  TW_WORKSPACE(max_pool_backward_##type##_host) {                                                                      \
    return poolWorkspace(call, call->inputs[1], call->inputs[0], 2, 1);                                                \
  }                                                                                                                    \
  TW_WORKSPACE(average_pool_##type##_host) {                                                                           \
    return poolWorkspace(call, call->inputs[0], call->outputs[0], 1, 1);                                               \
  }                                                                                                                    \
  TW_WORKSPACE(average_pool_backward_##type##_host) {                                                                  \
    return poolWorkspace(call, call->outputs[0], call->inputs[0], 1, 1);                                               \
  }
TW_POOLING(f32, float)
TW_POOLING(f16, F16)
TW_POOLING(bf16, BF16)
TW_POOLING_WORKSPACE(f16)
TW_POOLING_WORKSPACE(bf16)
