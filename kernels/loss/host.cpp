// Softmax cross-entropy with integer labels. Logits and their cotangent have the type T; all else is f32.
#include "kernels/support/Call.h"
#include "kernels/support/Half.h"
#include "kernels/support/Parallel.h"
#include "kernels/support/Rows.h"

namespace tw::kernels {
inline namespace TW_VARIANT {
namespace {

/// Fails on a label outside [0, classes) that is not the one to ignore.
template <typename Label>
int checkLabels(const Label *labels, int64_t rows, int64_t classes, int64_t ignored, char *message, size_t capacity) {
  for (int64_t row = 0; row < rows; ++row)
    if ((labels[row] < 0 || labels[row] >= classes) && labels[row] != ignored)
      return fail(message, capacity,
                  "label %lld in row %lld is outside of [0, %lld) and is not the ignored label %lld; correct the "
                  "labels or set ignore_index",
                  (long long)labels[row], (long long)row, (long long)classes, (long long)ignored);
  return 0;
}

/// logsumexp of a row.
template <typename T>
inline float logSumExp(const T *x, int64_t length) {
  float maximum = maximumOf(x, length);
  if (maximum == -INFINITY)
    return maximum;
  float sum = sumOver(length, [&](int64_t i, int64_t lanes) { return exponential(loadSome(x + i, lanes) - maximum); });
  return maximum + std::log(sum);
}

struct Sizes {
  int64_t rows, classes;
};
int readSizes(const tw_call *call, int logits, Sizes &sizes, char *message, size_t capacity) {
  const tw_tensor &tensor = call->inputs[logits], &labels = call->inputs[logits + 1];
  if (tensor.rank != 2 || elements(labels) != tensor.shape[0])
    return fail(message, capacity, "cross-entropy needs logits [rows, classes] and labels [rows]");
  sizes = {tensor.shape[0], tensor.shape[1]};
  return 0;
}

size_t lossWorkspace(const tw_call *call) {
  return size_t(call->threads) * sizeof(double);
}

template <typename T, typename Label>
int crossEntropy(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(2, 2, 2);
  Sizes sizes{};
  if (int status = readSizes(call, 0, sizes, message, capacity))
    return status;
  const T *logits = in<T>(call, 0);
  const Label *labels = in<Label>(call, 1);
  int64_t ignored = integer(call, "ignore_index", -1), classes = sizes.classes;
  if (int status = checkLabels(labels, sizes.rows, classes, ignored, message, capacity))
    return status;
  if (call->workspace_bytes < lossWorkspace(call))
    return fail(message, capacity, "cross_entropy needs %zu bytes of workspace, but has %zu", lossWorkspace(call),
                call->workspace_bytes);
  float *logsumexp = out(call, 1);
  double *partials = static_cast<double *>(call->workspace), smoothing = number(call, "label_smoothing");
  int team = teamSize(call->threads, sizes.rows, classes);
  for (int part = 0; part < team; ++part)
    partials[part] = 0;
  forRanges(team, sizes.rows, [&](int part, int64_t begin, int64_t end) {
    double total = 0;
    for (int64_t row = begin; row < end; ++row) {
      const T *x = logits + row * classes;
      logsumexp[row] = logSumExp(x, classes);
      if (labels[row] == ignored)
        continue;
      total += logsumexp[row] - (1 - smoothing) * toFloat(x[labels[row]]);
      if (smoothing > 0)
        total -= smoothing / double(classes) *
                 sumOver(classes, [&](int64_t i, int64_t lanes) { return loadSome(x + i, lanes); });
    }
    partials[part] = total;
  });
  double loss = 0;
  for (int part = 0; part < team; ++part)
    loss += partials[part];
  *out(call, 0) = float(loss);
  return 0;
}

template <typename T, typename Label>
int crossEntropyBackward(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(4, 4, 1);
  Sizes sizes{};
  if (int status = readSizes(call, 1, sizes, message, capacity))
    return status;
  const T *logits = in<T>(call, 1);
  const float *logsumexp = in(call, 3);
  const Label *labels = in<Label>(call, 2);
  int64_t ignored = integer(call, "ignore_index", -1), classes = sizes.classes;
  if (int status = checkLabels(labels, sizes.rows, classes, ignored, message, capacity))
    return status;
  T *result = out<T>(call, 0);
  float cotangent = *in(call, 0);
  double smoothing = number(call, "label_smoothing");
  float everywhere = float(cotangent * smoothing / double(classes)), atLabel = float(cotangent * (1 - smoothing));
  parallelFor(call->threads, sizes.rows, classes, [&](int, int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const T *x = logits + row * classes;
      T *dx = result + row * classes;
      if (labels[row] == ignored) {
        memset(dx, 0, classes * sizeof(T));
        continue;
      }
      float shift = logsumexp[row];
      auto gradient = [&](Floats logit) { return exponential(logit - shift) * cotangent - everywhere; };
      // Taken before the row is written, which may be where the logits are.
      float label = gradient(fill(toFloat(x[labels[row]])))[0] - atLabel;
      forVectors(classes,
                 [&](int64_t i, int64_t lanes) { storeSome(dx + i, gradient(loadSome(x + i, lanes)), lanes); });
      dx[labels[row]] = fromFloat<T>(label);
    }
  });
  return 0;
}

} // namespace
} // namespace TW_VARIANT
} // namespace tw::kernels

using namespace tw::kernels;

#define TW_CROSS_ENTROPY(type, T, label, Label)                                                                        \
  TW_RUN(cross_entropy_##type##_##label##_host) {                                                                      \
    return crossEntropy<T, Label>(call, message, capacity);                                                            \
  }                                                                                                                    \
  TW_WORKSPACE(cross_entropy_##type##_##label##_host) {                                                                \
    return lossWorkspace(call);                                                                                        \
  }                                                                                                                    \
  TW_RUN(cross_entropy_backward_##type##_##label##_host) {                                                             \
    return crossEntropyBackward<T, Label>(call, message, capacity);                                                    \
  }
#define TW_CROSS_ENTROPIES(type, T)                                                                                    \
  TW_CROSS_ENTROPY(type, T, i32, int32_t)                                                                              \
  TW_CROSS_ENTROPY(type, T, i64, int64_t)
TW_CROSS_ENTROPIES(f32, float)
TW_CROSS_ENTROPIES(f16, F16)
TW_CROSS_ENTROPIES(bf16, BF16)
