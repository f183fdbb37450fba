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
};

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

constexpr int64_t kRowElements = 2048; // of the input row that a stack buffer holds

/// Combines the window's rows elementwise first, then along x: both axes of the window cost their sum, not their
/// product. combine(a, b), start and finish(value, count) make it a maximum or a mean.
template <typename Combine, typename Finish>
void poolPlane(const Pool &pool, const float *from, float *to, float start, const Combine &combine,
               const Finish &finish) {
  const Axis &az = pool.axes[0], &ay = pool.axes[1], &ax = pool.axes[2];
  float row[kRowElements];
  for (int64_t z = 0; z < az.out; ++z)
    for (int64_t y = 0; y < ay.out; ++y, to += ax.out) {
      Window window = windowAt(pool, z, y, 0);
      for (int64_t i = 0; i < ax.in; ++i)
        row[i] = start;
      for (int64_t wz = window.first[0]; wz < window.last[0]; ++wz)
        for (int64_t wy = window.first[1]; wy < window.last[1]; ++wy) {
          const float *source = from + (az.position(z, wz) * ay.in + ay.position(y, wy)) * ax.in;
          for (int64_t i = 0; i < ax.in; ++i)
            row[i] = combine(row[i], source[i]);
        }
      int64_t rows = (window.last[0] - window.first[0]) * (window.last[1] - window.first[1]);
      for (int64_t x = 0; x < ax.out; ++x) {
        int64_t first, last;
        ax.inside(x, first, last);
        float value = start;
        for (int64_t wx = first; wx < last; ++wx)
          value = combine(value, row[ax.position(x, wx)]);
        to[x] = finish(value, rows * (last - first));
      }
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
  if (pool.axes[2].in > kRowElements)
    return fail(message, capacity, "pooling takes rows of up to %lld elements, not %lld", (long long)kRowElements,
                (long long)pool.axes[2].in);
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

/// Adds each window's cotangent to its first maximum.
void maxBackwardPlane(const Pool &pool, const float *cotangent, const float *input, float *result) {
  const Axis &az = pool.axes[0], &ay = pool.axes[1], &ax = pool.axes[2];
  memset(result, 0, pool.inSize() * sizeof(float));
  for (int64_t z = 0; z < az.out; ++z)
    for (int64_t y = 0; y < ay.out; ++y)
      for (int64_t x = 0; x < ax.out; ++x) {
        Window window = windowAt(pool, z, y, x);
        int64_t best = -1;
        float largest = -INFINITY;
        for (int64_t wz = window.first[0]; wz < window.last[0]; ++wz)
          for (int64_t wy = window.first[1]; wy < window.last[1]; ++wy) {
            int64_t row = (az.position(z, wz) * ay.in + ay.position(y, wy)) * ax.in;
            for (int64_t wx = window.first[2]; wx < window.last[2]; ++wx) {
              int64_t at = row + ax.position(x, wx);
              float value = input[at];
              bool better = value > largest || best < 0 || (value != value && largest == largest);
              best = better ? at : best;
              largest = better ? value : largest;
            }
          }
        if (best >= 0)
          result[best] += *cotangent;
        ++cotangent;
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

void averageBackwardPlane(const Pool &pool, const float *cotangent, bool padding, float *result) {
  const Axis &az = pool.axes[0], &ay = pool.axes[1], &ax = pool.axes[2];
  memset(result, 0, pool.inSize() * sizeof(float));
  for (int64_t z = 0; z < az.out; ++z)
    for (int64_t y = 0; y < ay.out; ++y)
      for (int64_t x = 0; x < ax.out; ++x) {
        Window window = windowAt(pool, z, y, x);
        int64_t count = padding ? pool.window() : window.count();
        float share = count ? *cotangent / float(count) : 0.0f;
        ++cotangent;
        for (int64_t wz = window.first[0]; wz < window.last[0]; ++wz)
          for (int64_t wy = window.first[1]; wy < window.last[1]; ++wy) {
            float *row = result + (az.position(z, wz) * ay.in + ay.position(y, wy)) * ax.in + ax.position(x, 0);
            for (int64_t wx = window.first[2]; wx < window.last[2]; ++wx)
              row[wx * ax.dilation] += share;
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
