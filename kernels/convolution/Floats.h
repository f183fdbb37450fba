// The f32 convolutions of library.cpp as functions, and the f32 call that a call on half types becomes.
#ifndef TW_KERNELS_CONVOLUTION_FLOATS_H
#define TW_KERNELS_CONVOLUTION_FLOATS_H

#include "kernels/support/Call.h"
#include "kernels/support/Variant.h"

namespace tw::kernels {
namespace convolution {

enum class Kind { Forward, BackwardInput, BackwardFilter };

/// The functions of an f32 kernel: kernels/abi/kernel.h says what each does.
size_t floatWorkspace(const tw_call *call, Kind kind);
int prepareFloats(const tw_call *call, Kind kind, void **state, char *message, size_t capacity);
int runFloats(const tw_call *call, Kind kind, char *message, size_t capacity);

} // namespace convolution

inline namespace TW_VARIANT {

/// The call with f32 tensors in place of its own. They lie in its workspace, the inputs' first, each aligned to 64
/// bytes; what is left of the workspace is that of the f32 kernel.
struct FloatCall {
  static constexpr int kInputs = 3;
  tw_call call;
  tw_tensor inputs[kInputs], output;
  size_t bytes = 0; // of the tensors

  explicit FloatCall(const tw_call *halves) : call(*halves) {
    char *next = static_cast<char *>(halves->workspace);
    for (int i = 0; i < halves->input_count && i < kInputs; ++i)
      inputs[i] = place(halves->inputs[i], next);
    output = place(halves->outputs[0], next);
    call.inputs = inputs;
    call.outputs = &output;
    call.workspace = next ? next + bytes : nullptr;
    call.workspace_bytes = halves->workspace_bytes < bytes ? 0 : halves->workspace_bytes - bytes;
  }
  FloatCall(const FloatCall &) = delete;
  FloatCall &operator=(const FloatCall &) = delete;

private:
  tw_tensor place(tw_tensor tensor, char *memory) {
    tensor.data = memory ? memory + bytes : nullptr;
    tensor.type = TW_F32;
    bytes += (size_t(elements(tensor)) * sizeof(float) + 63) / 64 * 64;
    return tensor;
  }
};

} // namespace TW_VARIANT
} // namespace tw::kernels
#endif
