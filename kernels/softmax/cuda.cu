// softmax and log_softmax: a block for each row along the axis.
#include "kernels/support/Cuda.cuh"

using namespace tw::kernels;

namespace {

struct Axis {
  int64_t rows, length, inner;
  __device__ int64_t start(int64_t row) const { return row / inner * length * inner + row % inner; }
};

template <bool Log>
__global__ void forwardRows(const float *input, float *result, Axis axis) {
  int64_t start = axis.start(blockIdx.x);
  const float *x = input + start;
  float *y = result + start;
  float largest = -CUDART_INF_F, sum = 0;
  for (int64_t i = threadIdx.x; i < axis.length; i += kBlock)
    largest = MaxOf()(largest, x[i * axis.inner]);
  largest = blockReduce(largest, -CUDART_INF_F, MaxOf());
  float shift = largest == -CUDART_INF_F ? 0.0f : largest;
  for (int64_t i = threadIdx.x; i < axis.length; i += kBlock)
    sum += expf(x[i * axis.inner] - shift);
  sum = blockReduce(sum, 0.0f, SumOf());
  float inverse = sum == 0 ? 0.0f : 1.0f / sum, logarithm = sum == 0 ? 0.0f : logf(sum);
  for (int64_t i = threadIdx.x; i < axis.length; i += kBlock) {
    float value = x[i * axis.inner] - shift;
    y[i * axis.inner] = Log ? value - logarithm : expf(value) * inverse;
  }
}

template <bool Log>
__global__ void backwardRows(const float *cotangent, const float *y, float *result, Axis axis) {
  int64_t start = axis.start(blockIdx.x);
  float sum = 0;
  for (int64_t i = threadIdx.x; i < axis.length; i += kBlock) {
    int64_t at = start + i * axis.inner;
    sum += Log ? cotangent[at] : cotangent[at] * y[at];
  }
  sum = blockReduce(sum, 0.0f, SumOf());
  for (int64_t i = threadIdx.x; i < axis.length; i += kBlock) {
    int64_t at = start + i * axis.inner;
    result[at] = Log ? cotangent[at] - expf(y[at]) * sum : y[at] * (cotangent[at] - sum);
  }
}

int readAxis(const tw_call *call, Axis &axis, char *message, size_t capacity) {
  const tw_tensor &input = call->inputs[0];
  int64_t at = integer(call, "axis", -1);
  if (at < 0 || at >= input.rank)
    return fail(message, capacity, "axis %lld is not a dimension of a tensor of rank %d", (long long)at, input.rank);
  axis.inner = extent(input, int(at) + 1, input.rank);
  axis.length = input.shape[at];
  axis.rows = extent(input, 0, int(at)) * axis.inner;
  return 0;
}

template <bool Log>
int forward(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(1, 1, 1);
  Axis axis{};
  if (int status = readAxis(call, axis, message, capacity))
    return status;
  if (axis.rows > 0)
    forwardRows<Log><<<unsigned(axis.rows), kBlock, 0, streamOf(call)>>>(in(call, 0), out(call, 0), axis);
  return launched("softmax", message, capacity);
}

template <bool Log>
int backward(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(2, 2, 1);
  Axis axis{};
  if (int status = readAxis(call, axis, message, capacity))
    return status;
  if (axis.rows > 0)
    backwardRows<Log><<<unsigned(axis.rows), kBlock, 0, streamOf(call)>>>(in(call, 0), in(call, 1), out(call, 0), axis);
  return launched("softmax_backward", message, capacity);
}

} // namespace

extern "C" int softmax_f32_cuda(const tw_call *call, char *message, size_t capacity) {
  return forward<false>(call, message, capacity);
}
extern "C" int log_softmax_f32_cuda(const tw_call *call, char *message, size_t capacity) {
  return forward<true>(call, message, capacity);
}
extern "C" int softmax_backward_f32_cuda(const tw_call *call, char *message, size_t capacity) {
  return backward<false>(call, message, capacity);
}
extern "C" int log_softmax_backward_f32_cuda(const tw_call *call, char *message, size_t capacity) {
  return backward<true>(call, message, capacity);
}
