// Batch normalisation's parts over [n, c, rest...]: planes of `rest` elements, one for each image and channel. Planes
// have the type T; what belongs to channels is f32.
#include "kernels/support/Call.h"
#include "kernels/support/Half.h"
#include "kernels/support/Parallel.h"
#include "kernels/support/Rows.h"

namespace tw::kernels {
inline namespace TW_VARIANT {
namespace {

struct Planes {
  int64_t images, channels, length;
  int64_t offset(int64_t image, int64_t channel) const { return (image * channels + channel) * length; }
};
int readPlanes(const tw_call *call, const tw_tensor &input, Planes &planes, char *message, size_t capacity) {
  if (input.rank < 2)
    return fail(message, capacity, "batch normalisation needs rank 2 or more, not %d", input.rank);
  planes = {input.shape[0], input.shape[1], extent(input, 2, input.rank)};
  return 0;
}

/// Columns [first, first + kFloats or less) of a matrix of images x channels: body(column, lanes).
template <typename Body>
void forChannelVectors(int threads, const Planes &p, const Body &body) {
  int64_t groups = (p.channels + kFloats - 1) / kFloats;
  parallelFor(threads, groups, p.images * kFloats, [&](int, int64_t begin, int64_t end) {
    for (int64_t group = begin; group < end; ++group) {
      int64_t column = group * kFloats, left = p.channels - column;
      body(column, left < kFloats ? left : kFloats);
    }
  });
}

template <typename T>
int centeredSquareSum(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(2, 2, 1);
  Planes p{};
  if (int status = readPlanes(call, call->inputs[0], p, message, capacity))
    return status;
  const T *input = in<T>(call, 0);
  const float *mean = in(call, 1);
  float *result = out(call, 0);
  if (p.length == 1) {
    forChannelVectors(call->threads, p, [&](int64_t column, int64_t lanes) {
      Floats sum{}, center = loadSome(mean + column, lanes);
      for (int64_t image = 0; image < p.images; ++image) {
        Floats centered = loadSome(input + image * p.channels + column, lanes) - center;
        sum += centered * centered;
      }
      storeSome(result + column, sum, lanes);
    });
    return 0;
  }
  parallelFor(call->threads, p.channels, p.images * p.length, [&](int, int64_t begin, int64_t end) {
    for (int64_t channel = begin; channel < end; ++channel) {
      double total = 0;
      float center = mean[channel];
      for (int64_t image = 0; image < p.images; ++image) {
        const T *x = input + p.offset(image, channel);
        total += sumOver(p.length, [&](int64_t i, int64_t lanes) {
          Floats centered = loadSome(x + i, lanes) - center;
          return centered * centered;
        });
      }
      result[channel] = float(total);
    }
  });
  return 0;
}

/// y = x * factor[channel] + offset[channel] for every plane, or for rows of channels when planes have one element.
template <typename T, typename Factors>
void scalePlanes(int threads, const Planes &p, const T *x, T *y, const Factors &of) {
  if (p.length == 1) {
    forChannelVectors(threads, p, [&](int64_t column, int64_t lanes) {
      Floats factor{}, offset{};
      for (int64_t lane = 0; lane < lanes; ++lane) {
        float a, b;
        of(column + lane, a, b);
        factor[lane] = a;
        offset[lane] = b;
      }
      for (int64_t image = 0; image < p.images; ++image) {
        int64_t at = image * p.channels + column;
        storeSome(y + at, loadSome(x + at, lanes) * factor + offset, lanes);
      }
    });
    return;
  }
  parallelFor(threads, p.images * p.channels, p.length, [&](int, int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane) {
      float factor, offset;
      of(plane % p.channels, factor, offset);
      const T *from = x + plane * p.length;
      T *to = y + plane * p.length;
      forVectors(p.length, [&](int64_t i, int64_t lanes) {
        storeSome(to + i, loadSome(from + i, lanes) * factor + offset, lanes);
      });
    }
  });
}

template <typename T>
int batchNorm(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(5, 5, 1);
  Planes p{};
  if (int status = readPlanes(call, call->inputs[0], p, message, capacity))
    return status;
  const float *scale = in(call, 1), *bias = in(call, 2), *mean = in(call, 3), *variance = in(call, 4);
  double epsilon = number(call, "epsilon");
  scalePlanes(call->threads, p, in<T>(call, 0), out<T>(call, 0), [&](int64_t channel, float &factor, float &offset) {
    double exact = scale[channel] / std::sqrt(variance[channel] + epsilon);
    factor = float(exact);
    offset = float(bias[channel] - mean[channel] * exact);
  });
  return 0;
}

template <typename T>
int backwardReduce(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(4, 4, 2);
  Planes p{};
  if (int status = readPlanes(call, call->inputs[1], p, message, capacity))
    return status;
  const T *cotangent = in<T>(call, 0), *input = in<T>(call, 1);
  const float *mean = in(call, 2), *variance = in(call, 3);
  float *dScale = out(call, 0), *dBias = out(call, 1);
  double epsilon = number(call, "epsilon");
  if (p.length == 1) {
    forChannelVectors(call->threads, p, [&](int64_t column, int64_t lanes) {
      Floats products{}, sum{}, center = loadSome(mean + column, lanes);
      for (int64_t image = 0; image < p.images; ++image) {
        int64_t at = image * p.channels + column;
        Floats dy = loadSome(cotangent + at, lanes);
        products += dy * (loadSome(input + at, lanes) - center);
        sum += dy;
      }
      for (int64_t lane = 0; lane < lanes; ++lane)
        products[lane] *= float(1 / std::sqrt(variance[column + lane] + epsilon));
      storeSome(dScale + column, products, lanes);
      storeSome(dBias + column, sum, lanes);
    });
    return 0;
  }
  parallelFor(call->threads, p.channels, p.images * p.length, [&](int, int64_t begin, int64_t end) {
    for (int64_t channel = begin; channel < end; ++channel) {
      double products = 0, sum = 0;
      float center = mean[channel];
      for (int64_t image = 0; image < p.images; ++image) {
        const T *x = input + p.offset(image, channel), *dy = cotangent + p.offset(image, channel);
        Floats s0{}, s1{}, p0{}, p1{};
        int64_t i = 0;
        for (; i + 2 * kFloats <= p.length; i += 2 * kFloats) {
          Floats a = load(dy + i), b = load(dy + i + kFloats);
          s0 += a;
          s1 += b;
          p0 += a * (load(x + i) - center);
          p1 += b * (load(x + i + kFloats) - center);
        }
        for (; i < p.length; i += kFloats) { // zero cotangents beyond the end add nothing
          int64_t lanes = p.length - i < kFloats ? p.length - i : kFloats;
          Floats a = loadSome(dy + i, lanes);
          s0 += a;
          p0 += a * (loadSome(x + i, lanes) - center);
        }
        sum += sumLanes(s0 + s1);
        products += sumLanes(p0 + p1);
      }
      dScale[channel] = float(products / std::sqrt(variance[channel] + epsilon));
      dBias[channel] = float(sum);
    }
  });
  return 0;
}

template <typename T>
int backwardApply(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(7, 7, 1);
  Planes p{};
  if (int status = readPlanes(call, call->inputs[1], p, message, capacity))
    return status;
  const T *cotangent = in<T>(call, 0), *input = in<T>(call, 1);
  const float *scale = in(call, 2), *mean = in(call, 3), *variance = in(call, 4);
  const float *dScale = in(call, 5), *dBias = in(call, 6);
  T *result = out<T>(call, 0);
  double epsilon = number(call, "epsilon"), count = double(integer(call, "count", 1));
  // scale r (dy - d_bias / N - (x - mean) r d_scale / N) = a dy + b x + c, channel by channel.
  auto factors = [&](int64_t channel, float &a, float &b, float &c) {
    double r = 1 / std::sqrt(variance[channel] + epsilon), slope = r * dScale[channel] / count;
    a = float(scale[channel] * r);
    b = float(-scale[channel] * r * slope);
    c = float(scale[channel] * r * (mean[channel] * slope - dBias[channel] / count));
  };
  if (p.length == 1) {
    forChannelVectors(call->threads, p, [&](int64_t column, int64_t lanes) {
      Floats a{}, b{}, c{};
      for (int64_t lane = 0; lane < lanes; ++lane) {
        float values[3];
        factors(column + lane, values[0], values[1], values[2]);
        a[lane] = values[0];
        b[lane] = values[1];
        c[lane] = values[2];
      }
      for (int64_t image = 0; image < p.images; ++image) {
        int64_t at = image * p.channels + column;
        storeSome(result + at, loadSome(cotangent + at, lanes) * a + (loadSome(input + at, lanes) * b + c), lanes);
      }
    });
    return 0;
  }
  parallelFor(call->threads, p.images * p.channels, p.length, [&](int, int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane) {
      float a, b, c;
      factors(plane % p.channels, a, b, c);
      const T *dy = cotangent + plane * p.length, *x = input + plane * p.length;
      T *to = result + plane * p.length;
      forVectors(p.length, [&](int64_t i, int64_t lanes) {
        storeSome(to + i, loadSome(dy + i, lanes) * a + (loadSome(x + i, lanes) * b + c), lanes);
      });
    }
  });
  return 0;
}

} // namespace
} // namespace TW_VARIANT
} // namespace tw::kernels

using namespace tw::kernels;

#define TW_BATCH_NORM(type, T)                                                                                         \
  TW_RUN(centered_square_sum_##type##_host) {                                                                          \
    return centeredSquareSum<T>(call, message, capacity);                                                              \
  }                                                                                                                    \
  TW_RUN(batch_norm_##type##_host) {                                                                                   \
    return batchNorm<T>(call, message, capacity);                                                                      \
  }                                                                                                                    \
  TW_RUN(batch_norm_backward_reduce_##type##_host) {                                                                   \
    return backwardReduce<T>(call, message, capacity);                                                                 \
  }                                                                                                                    \
  TW_RUN(batch_norm_backward_apply_##type##_host) {                                                                    \
    return backwardApply<T>(call, message, capacity);                                                                  \
  }
TW_BATCH_NORM(f32, float)
TW_BATCH_NORM(f16, F16)
TW_BATCH_NORM(bf16, BF16)
