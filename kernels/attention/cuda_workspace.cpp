#include "kernels/support/Call.h"

/// A number for each query: the sum of its output times the output's cotangent.
extern "C" size_t attention_backward_f32_cuda_workspace(const tw_call *call) {
  return size_t(tw::kernels::elements(call->inputs[5])) * sizeof(float);
}
