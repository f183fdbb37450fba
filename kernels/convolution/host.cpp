// Convolutions of half types: oneDNN computes on them only where the processor has instructions for it, and not on f16,
// so operands are widened into the workspace, the f32 kernel runs, and the result is rounded once.
#include "kernels/convolution/Floats.h"
#include "kernels/support/Call.h"
#include "kernels/support/Half.h"
#include "kernels/support/Parallel.h"

namespace tw::kernels {
inline namespace TW_VARIANT {
namespace {

using namespace convolution;

template <typename To, typename From>
void convert(const From *from, To *to, int64_t count, int threads) {
  int64_t vectors = (count + kFloats - 1) / kFloats;
  parallelFor(threads, vectors, kFloats, [&](int, int64_t begin, int64_t end) {
    int64_t first = begin * kFloats, last = end * kFloats < count ? end * kFloats : count;
    forVectors(last - first,
               [&](int64_t i, int64_t lanes) { storeSome(to + first + i, loadSome(from + first + i, lanes), lanes); });
  });
}

size_t workspaceBytes(const tw_call *call, Kind kind) {
  FloatCall floats(call);
  return floats.bytes + floatWorkspace(&floats.call, kind);
}

template <typename T>
int run(const tw_call *call, Kind kind, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(2, FloatCall::kInputs, 1);
  FloatCall floats(call);
  if (call->workspace_bytes < floats.bytes)
    return fail(message, capacity, "the convolution needs %zu bytes of workspace, but has %zu", floats.bytes,
                call->workspace_bytes);
  for (int i = 0; i < call->input_count; ++i)
    convert(in<T>(call, i), static_cast<float *>(floats.inputs[i].data), elements(call->inputs[i]), call->threads);
  if (int status = runFloats(&floats.call, kind, message, capacity))
    return status;
  convert(static_cast<const float *>(floats.output.data), out<T>(call, 0), elements(floats.output), call->threads);
  return 0;
}

} // namespace
} // namespace TW_VARIANT
} // namespace tw::kernels

using namespace tw::kernels;

#define TW_CONVOLUTION(name, T, kind)                                                                                  \
  TW_RUN(name) {                                                                                                       \
    return run<T>(call, kind, message, capacity);                                                                      \
  }                                                                                                                    \
  TW_WORKSPACE(name) {                                                                                                 \
    return workspaceBytes(call, kind);                                                                                 \
  }
#define TW_CONVOLUTIONS(type, T)                                                                                       \
  TW_CONVOLUTION(convolution_##type##_host, T, Kind::Forward)                                                          \
  TW_CONVOLUTION(convolution_backward_input_##type##_host, T, Kind::BackwardInput)                                     \
  TW_CONVOLUTION(convolution_backward_filter_##type##_host, T, Kind::BackwardFilter)
TW_CONVOLUTIONS(f16, F16)
TW_CONVOLUTIONS(bf16, BF16)
