// layer_norm and rms_norm: a block for each row; the sums over rows have a block for each 32 columns.
#include "kernels/normalization/NormalizedRows.h"
#include "kernels/support/Cuda.cuh"

using namespace tw::kernels;

namespace {

template <bool Centered>
__global__ void forwardRows(const float *input, const float *scale, const float *bias, float epsilon, int64_t length,
                            float *result, float *means, float *inverses) {
  const float *x = input + blockIdx.x * length;
  float *y = result + blockIdx.x * length;
  float mean = 0;
  if (Centered) {
    float sum = 0;
    for (int64_t i = threadIdx.x; i < length; i += kBlock)
      sum += x[i];
    mean = blockReduce(sum, 0.0f, SumOf()) / float(length);
  }
  float squares = 0;
  for (int64_t i = threadIdx.x; i < length; i += kBlock)
    squares += (x[i] - mean) * (x[i] - mean);
  float inverse = 1.0f / sqrtf(blockReduce(squares, 0.0f, SumOf()) / float(length) + epsilon);
  for (int64_t i = threadIdx.x; i < length; i += kBlock)
    y[i] = (x[i] - mean) * inverse * scale[i] + (bias ? bias[i] : 0.0f);
  if (threadIdx.x == 0) {
    inverses[blockIdx.x] = inverse;
    if (Centered)
      means[blockIdx.x] = mean;
  }
}

/// d_scale and d_bias: 32 columns by 8 strands of rows, which are added in order. Runs before backwardRows, which may
/// overwrite the cotangent.
template <bool Centered>
__global__ void backwardColumns(const float *cotangent, const float *input, const float *means, const float *inverses,
                                int64_t rows, int64_t length, float *dScale, float *dBias) {
  __shared__ float scales[8][33], biases[8][33];
  int64_t column = int64_t(blockIdx.x) * 32 + threadIdx.x;
  float scaleSum = 0, biasSum = 0;
  if (column < length)
    for (int64_t row = threadIdx.y; row < rows; row += 8) {
      float dy = cotangent[row * length + column];
      scaleSum += dy * (input[row * length + column] - (Centered ? means[row] : 0.0f)) * inverses[row];
      biasSum += dy;
    }
  scales[threadIdx.y][threadIdx.x] = scaleSum;
  biases[threadIdx.y][threadIdx.x] = biasSum;
  __syncthreads();
  if (threadIdx.y != 0 || column >= length)
    return;
  for (int strand = 1; strand < 8; ++strand) {
    scaleSum += scales[strand][threadIdx.x];
    biasSum += biases[strand][threadIdx.x];
  }
  dScale[column] = scaleSum;
  if (Centered)
    dBias[column] = biasSum;
}

template <bool Centered>
__global__ void backwardRows(const float *cotangent, const float *input, const float *scale, const float *means,
                             const float *inverses, int64_t length, float *result) {
  const float *dy = cotangent + blockIdx.x * length, *x = input + blockIdx.x * length;
  float mean = Centered ? means[blockIdx.x] : 0.0f, inverse = inverses[blockIdx.x], sum = 0, products = 0;
  for (int64_t i = threadIdx.x; i < length; i += kBlock) {
    float g = dy[i] * scale[i];
    sum += g;
    products += g * (x[i] - mean) * inverse;
  }
  float meanGradient = Centered ? blockReduce(sum, 0.0f, SumOf()) / float(length) : 0.0f;
  float meanProduct = blockReduce(products, 0.0f, SumOf()) / float(length);
  for (int64_t i = threadIdx.x; i < length; i += kBlock)
    result[blockIdx.x * length + i] =
        (dy[i] * scale[i] - meanGradient - (x[i] - mean) * inverse * meanProduct) * inverse;
}

template <bool Centered>
int forward(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(2, Centered ? 3 : 2, Centered ? 3 : 2);
  Rows rows{};
  if (int status = readRows(call, call->inputs[0], rows, message, capacity))
    return status;
  if (rows.count == 0)
    return 0;
  forwardRows<Centered><<<unsigned(rows.count), kBlock, 0, streamOf(call)>>>(
      in(call, 0), in(call, 1), call->input_count > 2 ? in(call, 2) : nullptr, float(number(call, "epsilon")),
      rows.length, out(call, 0), Centered ? out(call, 1) : nullptr, out(call, Centered ? 2 : 1));
  return launched("normalisation", message, capacity);
}

template <bool Centered>
int backward(const tw_call *call, char *message, size_t capacity) {
  constexpr int inputs = Centered ? 5 : 4;
  TW_EXPECT_OPERANDS(inputs, inputs, Centered ? 3 : 2);
  Rows rows{};
  if (int status = readRows(call, call->inputs[1], rows, message, capacity))
    return status;
  const float *means = Centered ? in(call, 3) : nullptr, *inverses = in(call, inputs - 1);
  if (rows.length > 0)
    backwardColumns<Centered><<<unsigned((rows.length + 31) / 32), dim3(32, 8), 0, streamOf(call)>>>(
        in(call, 0), in(call, 1), means, inverses, rows.count, rows.length, out(call, 1),
        Centered ? out(call, 2) : nullptr);
  if (rows.count > 0)
    backwardRows<Centered><<<unsigned(rows.count), kBlock, 0, streamOf(call)>>>(
        in(call, 0), in(call, 1), in(call, 2), means, inverses, rows.length, out(call, 0));
  return launched("the backward pass of a normalisation", message, capacity);
}

} // namespace

extern "C" int layer_norm_f32_cuda(const tw_call *call, char *message, size_t capacity) {
  return forward<true>(call, message, capacity);
}
extern "C" int rms_norm_f32_cuda(const tw_call *call, char *message, size_t capacity) {
  return forward<false>(call, message, capacity);
}
extern "C" int layer_norm_backward_f32_cuda(const tw_call *call, char *message, size_t capacity) {
  return backward<true>(call, message, capacity);
}
extern "C" int rms_norm_backward_f32_cuda(const tw_call *call, char *message, size_t capacity) {
  return backward<false>(call, message, capacity);
}
