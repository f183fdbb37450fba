// Batch normalisation's parts: a block for each channel where there is a sum, a thread for each element elsewhere.
#include "kernels/support/Cuda.cuh"

using namespace tw::kernels;

namespace {

struct Planes {
  int64_t images, channels, length;
  __device__ int64_t at(int64_t channel, int64_t i) const {
    return (i / length * channels + channel) * length + i % length;
  }
};
int readPlanes(const tw_call *call, const tw_tensor &input, Planes &planes, char *message, size_t capacity) {
  if (input.rank < 2)
    return fail(message, capacity, "batch normalisation needs rank 2 or more, not %d", input.rank);
  planes = {input.shape[0], input.shape[1], extent(input, 2, input.rank)};
  return 0;
}

__global__ void squareSums(const float *input, const float *mean, float *result, Planes p) {
  int64_t channel = blockIdx.x;
  double sum = 0;
  for (int64_t i = threadIdx.x; i < p.images * p.length; i += kBlock) {
    float centered = input[p.at(channel, i)] - mean[channel];
    sum += centered * centered;
  }
  sum = blockReduce(sum, 0.0, SumOf());
  if (threadIdx.x == 0)
    result[channel] = float(sum);
}

__global__ void normalize(const float *input, const float *scale, const float *bias, const float *mean,
                          const float *variance, double epsilon, float *result, Planes p) {
  TW_GRID_LOOP(i, p.images * p.channels * p.length) {
    int64_t channel = i / p.length % p.channels;
    float factor = scale[channel] * float(rsqrt(variance[channel] + epsilon));
    result[i] = (input[i] - mean[channel]) * factor + bias[channel];
  }
}

__global__ void gradientSums(const float *cotangent, const float *input, const float *mean, const float *variance,
                             double epsilon, float *dScale, float *dBias, Planes p) {
  int64_t channel = blockIdx.x;
  double sum = 0, products = 0;
  for (int64_t i = threadIdx.x; i < p.images * p.length; i += kBlock) {
    int64_t at = p.at(channel, i);
    sum += cotangent[at];
    products += cotangent[at] * (input[at] - mean[channel]);
  }
  sum = blockReduce(sum, 0.0, SumOf());
  products = blockReduce(products, 0.0, SumOf());
  if (threadIdx.x == 0) {
    dScale[channel] = float(products * rsqrt(variance[channel] + epsilon));
    dBias[channel] = float(sum);
  }
}

__global__ void applyGradients(const float *cotangent, const float *input, const float *scale, const float *mean,
                               const float *variance, const float *dScale, const float *dBias, double epsilon,
                               float count, float *result, Planes p) {
  TW_GRID_LOOP(i, p.images * p.channels * p.length) {
    int64_t channel = i / p.length % p.channels;
    float r = float(rsqrt(variance[channel] + epsilon)), normal = (input[i] - mean[channel]) * r;
    result[i] = scale[channel] * r * (cotangent[i] - dBias[channel] / count - normal * (dScale[channel] / count));
  }
}

} // namespace

extern "C" int centered_square_sum_f32_cuda(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(2, 2, 1);
  Planes p{};
  if (int status = readPlanes(call, call->inputs[0], p, message, capacity))
    return status;
  if (p.channels > 0)
    squareSums<<<unsigned(p.channels), kBlock, 0, streamOf(call)>>>(in(call, 0), in(call, 1), out(call, 0), p);
  return launched("centered_square_sum", message, capacity);
}

extern "C" int batch_norm_f32_cuda(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(5, 5, 1);
  Planes p{};
  if (int status = readPlanes(call, call->inputs[0], p, message, capacity))
    return status;
  int64_t count = elements(call->inputs[0]);
  if (count > 0)
    normalize<<<blocksFor(count), kBlock, 0, streamOf(call)>>>(in(call, 0), in(call, 1), in(call, 2), in(call, 3),
                                                               in(call, 4), number(call, "epsilon"), out(call, 0), p);
  return launched("batch_norm", message, capacity);
}

extern "C" int batch_norm_backward_reduce_f32_cuda(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(4, 4, 2);
  Planes p{};
  if (int status = readPlanes(call, call->inputs[1], p, message, capacity))
    return status;
  if (p.channels > 0)
    gradientSums<<<unsigned(p.channels), kBlock, 0, streamOf(call)>>>(
        in(call, 0), in(call, 1), in(call, 2), in(call, 3), number(call, "epsilon"), out(call, 0), out(call, 1), p);
  return launched("batch_norm_backward_reduce", message, capacity);
}

extern "C" int batch_norm_backward_apply_f32_cuda(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(7, 7, 1);
  Planes p{};
  if (int status = readPlanes(call, call->inputs[1], p, message, capacity))
    return status;
  int64_t count = elements(call->inputs[1]);
  if (count > 0)
    applyGradients<<<blocksFor(count), kBlock, 0, streamOf(call)>>>(
        in(call, 0), in(call, 1), in(call, 2), in(call, 3), in(call, 4), in(call, 5), in(call, 6),
        number(call, "epsilon"), float(integer(call, "count", 1)), out(call, 0), p);
  return launched("batch_norm_backward_apply", message, capacity);
}
