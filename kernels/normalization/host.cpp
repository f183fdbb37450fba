// layer_norm and rms_norm with their backward ops, over contiguous rows. Input, result and their cotangents have the
// type T; scale, bias, statistics and the sums over rows are f32.
#include "kernels/normalization/NormalizedRows.h"
#include "kernels/support/Call.h"
#include "kernels/support/Half.h"
#include "kernels/support/Parallel.h"
#include "kernels/support/Rows.h"

namespace tw::kernels {
inline namespace TW_VARIANT {
namespace {

template <typename T>
int layerNorm(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(2, 3, 3);
  Rows rows{};
  if (int status = readRows(call, call->inputs[0], rows, message, capacity))
    return status;
  const T *input = in<T>(call, 0);
  const float *scale = in(call, 1), *bias = call->input_count > 2 ? in(call, 2) : nullptr;
  T *result = out<T>(call, 0);
  float *means = out(call, 1), *inverses = out(call, 2);
  float epsilon = float(number(call, "epsilon"));
  int64_t length = rows.length;
  parallelFor(call->threads, rows.count, length, [&](int, int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const T *x = input + row * length;
      T *y = result + row * length;
      float mean = sumOver(length, [&](int64_t i, int64_t lanes) { return loadSome(x + i, lanes); }) / float(length);
      float squares = sumOver(length, [&](int64_t i, int64_t lanes) {
        Floats centered = loadSome(x + i, lanes) - mean;
        return centered * centered;
      });
      float inverse = 1.0f / std::sqrt(squares / float(length) + epsilon);
      means[row] = mean;
      inverses[row] = inverse;
      forVectors(length, [&](int64_t i, int64_t lanes) {
        Floats value = (loadSome(x + i, lanes) - mean) * inverse * loadSome(scale + i, lanes);
        storeSome(y + i, bias ? value + loadSome(bias + i, lanes) : value, lanes);
      });
    }
  });
  return 0;
}

template <typename T>
int rmsNorm(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(2, 2, 2);
  Rows rows{};
  if (int status = readRows(call, call->inputs[0], rows, message, capacity))
    return status;
  const T *input = in<T>(call, 0);
  const float *scale = in(call, 1);
  T *result = out<T>(call, 0);
  float *inverses = out(call, 1);
  float epsilon = float(number(call, "epsilon"));
  int64_t length = rows.length;
  parallelFor(call->threads, rows.count, length, [&](int, int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const T *x = input + row * length;
      T *y = result + row * length;
      float squares = sumOver(length, [&](int64_t i, int64_t lanes) {
        Floats value = loadSome(x + i, lanes);
        return value * value;
      });
      float inverse = 1.0f / std::sqrt(squares / float(length) + epsilon);
      inverses[row] = inverse;
      forVectors(length, [&](int64_t i, int64_t lanes) {
        storeSome(y + i, loadSome(x + i, lanes) * inverse * loadSome(scale + i, lanes), lanes);
      });
    }
  });
  return 0;
}

/// Floats of one thread's partial column sum, so that threads do not share cache lines.
int64_t paddedLength(int64_t length) {
  return (length + 15) / 16 * 16;
}

size_t backwardWorkspace(const tw_call *call, int sums) {
  int64_t axis = integer(call, "axis", 0);
  if (axis < 0 || axis > call->inputs[1].rank)
    return 0;
  int64_t length = extent(call->inputs[1], int(axis), call->inputs[1].rank);
  return size_t(call->threads) * sums * paddedLength(length) * sizeof(float);
}

/// One row of d_input; adds the row's part of d_scale (and d_bias when Centered) to the thread's sums.
template <bool Centered, typename T>
inline void backwardRow(const T *dy, const T *x, const float *scale, float mean, float inverse, T *dx, float *scaleSum,
                        float *biasSum, int64_t length) {
  Floats gradients{}, products{};
  forVectors(length, [&](int64_t i, int64_t lanes) {
    Floats cotangent = loadSome(dy + i, lanes), normal = (loadSome(x + i, lanes) - mean) * inverse;
    Floats g = cotangent * loadSome(scale + i, lanes); // zero beyond the row's end
    if (Centered)
      gradients += g;
    products += g * normal;
    storeSome(scaleSum + i, loadSome(scaleSum + i, lanes) + cotangent * normal, lanes);
    if (Centered)
      storeSome(biasSum + i, loadSome(biasSum + i, lanes) + cotangent, lanes);
  });
  float meanGradient = Centered ? sumLanes(gradients) / float(length) : 0.0f;
  float meanProduct = sumLanes(products) / float(length);
  forVectors(length, [&](int64_t i, int64_t lanes) {
    Floats normal = (loadSome(x + i, lanes) - mean) * inverse;
    Floats g = loadSome(dy + i, lanes) * loadSome(scale + i, lanes);
    storeSome(dx + i, (g - meanGradient - normal * meanProduct) * inverse, lanes);
  });
}

/// to = sum of `parts` rows that lie `pitch` apart, in order.
void addParts(float *to, const float *from, int parts, int64_t pitch, int64_t length) {
  forVectors(length, [&](int64_t i, int64_t lanes) {
    Floats sum = loadSome(from + i, lanes);
    for (int part = 1; part < parts; ++part)
      sum += loadSome(from + part * pitch + i, lanes);
    storeSome(to + i, sum, lanes);
  });
}

template <bool Centered, typename T>
int normBackward(const tw_call *call, char *message, size_t capacity) {
  constexpr int sums = Centered ? 2 : 1;
  TW_EXPECT_OPERANDS(Centered ? 5 : 4, Centered ? 5 : 4, sums + 1);
  Rows rows{};
  if (int status = readRows(call, call->inputs[1], rows, message, capacity))
    return status;
  if (call->workspace_bytes < backwardWorkspace(call, sums))
    return fail(message, capacity, "the backward pass of a normalisation needs %zu bytes of workspace, but has %zu",
                backwardWorkspace(call, sums), call->workspace_bytes);
  const T *cotangent = in<T>(call, 0), *input = in<T>(call, 1);
  const float *scale = in(call, 2);
  const float *means = Centered ? in(call, 3) : nullptr, *inverses = in(call, Centered ? 4 : 3);
  T *result = out<T>(call, 0);
  float *partials = static_cast<float *>(call->workspace);
  int64_t length = rows.length, pitch = sums * paddedLength(length);
  int team = teamSize(call->threads, rows.count, length);
  memset(partials, 0, team * pitch * sizeof(float));
  forRanges(team, rows.count, [&](int part, int64_t begin, int64_t end) {
    float *scaleSum = partials + part * pitch, *biasSum = scaleSum + paddedLength(length);
    for (int64_t row = begin; row < end; ++row)
      backwardRow<Centered>(cotangent + row * length, input + row * length, scale, Centered ? means[row] : 0.0f,
                            inverses[row], result + row * length, scaleSum, biasSum, length);
  });
  addParts(out(call, 1), partials, team, pitch, length);
  if (Centered)
    addParts(out(call, 2), partials + paddedLength(length), team, pitch, length);
  return 0;
}

} // namespace
} // namespace TW_VARIANT
} // namespace tw::kernels

using namespace tw::kernels;

#define TW_NORMALIZATION(type, T)                                                                                      \
  TW_RUN(layer_norm_##type##_host) {                                                                                   \
    return layerNorm<T>(call, message, capacity);                                                                      \
  }                                                                                                                    \
  TW_RUN(rms_norm_##type##_host) {                                                                                     \
    return rmsNorm<T>(call, message, capacity);                                                                        \
  }                                                                                                                    \
  TW_RUN(layer_norm_backward_##type##_host) {                                                                          \
    return normBackward<true, T>(call, message, capacity);                                                             \
  }                                                                                                                    \
  TW_WORKSPACE(layer_norm_backward_##type##_host) {                                                                    \
    return backwardWorkspace(call, 2);                                                                                 \
  }                                                                                                                    \
  TW_RUN(rms_norm_backward_##type##_host) {                                                                            \
    return normBackward<false, T>(call, message, capacity);                                                            \
  }                                                                                                                    \
  TW_WORKSPACE(rms_norm_backward_##type##_host) {                                                                      \
    return backwardWorkspace(call, 1);                                                                                 \
  }
TW_NORMALIZATION(f32, float)
TW_NORMALIZATION(f16, F16)
TW_NORMALIZATION(bf16, BF16)
