// Scaled dot-product attention in tiles, after FlashAttention (T. Dao et al., 2022): scores exist only for kQueries x
// kKeys at a time, the softmax is kept up to date by running maxima and sums, and the backward pass recomputes the
// probabilities from logsumexp. Parts of tiles that no query sees by its place are left out. f16 and bf16 are extended
// when rows are packed, so that all arithmetic is in f32, and rounded once when results are stored.
#include "kernels/attention/Backward.h"
#include "kernels/attention/BiasGradient.h"
#include "kernels/attention/Forward.h"

namespace tw::kernels {
inline namespace TW_VARIANT {
namespace {

size_t backwardBytes(const tw_call *call, const Problem &p, bool bias) {
  int64_t floats = floatsOf<BackwardScratch>(p), more = bias ? floatsOf<BiasScratch>(p) : 0;
  return size_t(call->threads) * size_t(floats > more ? floats : more) * sizeof(float);
}

size_t backwardWorkspace(const tw_call *call, int32_t type) {
  Problem p{};
  if (readProblem(call, type, 1, 6, p, nullptr, 0))
    return 0;
  return backwardBytes(call, p, call->output_count == 4);
}

int attentionBackward(const tw_call *call, int32_t type, char *message, size_t capacity) {
  Problem p{};
  BackwardOperands o{};
  if (int status = readBackward(call, type, p, o, message, capacity))
    return status;
  size_t needed = backwardBytes(call, p, o.dBias);
  if (call->workspace_bytes < needed)
    return fail(message, capacity, "attention_backward needs %zu bytes of workspace, but has %zu", needed,
                call->workspace_bytes);
  DropoutFactors dropout(p);
  inputGradients(p, o, dropout, call);
  if (o.dBias)
    biasGradient(p, o, dropout, call);
  return 0;
}

} // namespace
} // namespace TW_VARIANT
} // namespace tw::kernels

using namespace tw::kernels;

TW_RUN(attention_f32_host) {
  return attention(call, TW_F32, message, capacity);
}
TW_WORKSPACE(attention_f32_host) {
  return forwardWorkspace(call, TW_F32);
}
TW_RUN(attention_f16_host) {
  return attention(call, TW_F16, message, capacity);
}
TW_WORKSPACE(attention_f16_host) {
  return forwardWorkspace(call, TW_F16);
}
TW_RUN(attention_bf16_host) {
  return attention(call, TW_BF16, message, capacity);
}
TW_WORKSPACE(attention_bf16_host) {
  return forwardWorkspace(call, TW_BF16);
}
TW_RUN(attention_backward_f32_host) {
  return attentionBackward(call, TW_F32, message, capacity);
}
TW_WORKSPACE(attention_backward_f32_host) {
  return backwardWorkspace(call, TW_F32);
}
TW_RUN(attention_backward_f16_host) {
  return attentionBackward(call, TW_F16, message, capacity);
}
TW_WORKSPACE(attention_backward_f16_host) {
  return backwardWorkspace(call, TW_F16);
}
TW_RUN(attention_backward_bf16_host) {
  return attentionBackward(call, TW_BF16, message, capacity);
}
TW_WORKSPACE(attention_backward_bf16_host) {
  return backwardWorkspace(call, TW_BF16);
}
