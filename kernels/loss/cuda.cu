// Softmax cross-entropy: a block for each row, then one block that adds the rows' losses. A label outside of the
// classes makes the loss NaN.
#include "kernels/support/Cuda.cuh"

using namespace tw::kernels;

namespace {

template <typename Label>
__global__ void lossRows(const float *logits, const Label *labels, int64_t classes, int64_t ignored, float smoothing,
                         float *losses, float *logsumexp) {
  const float *x = logits + blockIdx.x * classes;
  float largest = -CUDART_INF_F, sum = 0, total = 0;
  for (int64_t i = threadIdx.x; i < classes; i += kBlock)
    largest = MaxOf()(largest, x[i]);
  largest = blockReduce(largest, -CUDART_INF_F, MaxOf());
  float shift = largest == -CUDART_INF_F ? 0.0f : largest;
  for (int64_t i = threadIdx.x; i < classes; i += kBlock) {
    sum += expf(x[i] - shift);
    total += x[i];
  }
  sum = blockReduce(sum, 0.0f, SumOf());
  total = blockReduce(total, 0.0f, SumOf());
  if (threadIdx.x != 0)
    return;
  int64_t label = labels[blockIdx.x];
  float value = shift + logf(sum);
  logsumexp[blockIdx.x] = value;
  bool inside = label >= 0 && label < classes;
  float loss = inside ? value - (1 - smoothing) * x[label] - (smoothing > 0 ? smoothing * total / float(classes) : 0.0f)
                      : CUDART_NAN_F;
  losses[blockIdx.x] = label == ignored ? 0.0f : loss;
}

__global__ void addLosses(const float *losses, int64_t rows, float *loss) {
  double sum = 0;
  for (int64_t i = threadIdx.x; i < rows; i += kBlock)
    sum += losses[i];
  sum = blockReduce(sum, 0.0, SumOf());
  if (threadIdx.x == 0)
    *loss = float(sum);
}

template <typename Label>
__global__ void gradientRows(const float *cotangent, const float *logits, const Label *labels, const float *logsumexp,
                             int64_t classes, int64_t ignored, float smoothing, float *result) {
  int64_t row = blockIdx.x, label = labels[row];
  float factor = label == ignored ? 0.0f : *cotangent, shift = logsumexp[row];
  for (int64_t i = threadIdx.x; i < classes; i += kBlock) {
    float value = expf(logits[row * classes + i] - shift) - smoothing / float(classes);
    if (i == label)
      value -= 1 - smoothing;
    result[row * classes + i] = factor == 0 ? 0.0f : factor * value;
  }
}

template <typename Label>
int crossEntropy(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(2, 2, 2);
  int64_t rows = call->inputs[0].shape[0], classes = call->inputs[0].shape[1];
  if (int status = expectWorkspace(call, size_t(rows) * sizeof(float), "cross_entropy", message, capacity))
    return status;
  float *losses = static_cast<float *>(call->workspace);
  if (rows > 0)
    lossRows<<<unsigned(rows), kBlock, 0, streamOf(call)>>>(
        in(call, 0), in<Label>(call, 1), classes, integer(call, "ignore_index", -1),
        float(number(call, "label_smoothing")), losses, out(call, 1));
  addLosses<<<1, kBlock, 0, streamOf(call)>>>(losses, rows, out(call, 0));
  return launched("cross_entropy", message, capacity);
}

template <typename Label>
int crossEntropyBackward(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(4, 4, 1);
  int64_t rows = call->inputs[1].shape[0], classes = call->inputs[1].shape[1];
  if (rows > 0)
    gradientRows<<<unsigned(rows), kBlock, 0, streamOf(call)>>>(in(call, 0), in(call, 1), in<Label>(call, 2),
                                                                in(call, 3), classes, integer(call, "ignore_index", -1),
                                                                float(number(call, "label_smoothing")), out(call, 0));
  return launched("cross_entropy_backward", message, capacity);
}

} // namespace

#define TW_CROSS_ENTROPY(type, Label)                                                                                  \
  extern "C" int cross_entropy_f32_##type##_cuda(const tw_call *call, char *message, size_t capacity) {                \
    return crossEntropy<Label>(call, message, capacity);                                                               \
  }                                                                                                                    \
  extern "C" int cross_entropy_backward_f32_##type##_cuda(const tw_call *call, char *message, size_t capacity) {       \
    return crossEntropyBackward<Label>(call, message, capacity);                                                       \
  }
TW_CROSS_ENTROPY(i32, int32_t)
TW_CROSS_ENTROPY(i64, int64_t)
