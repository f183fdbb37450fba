// What a call of attention or attention_backward means, checked, for the host and CUDA alike.
#ifndef TW_KERNELS_ATTENTION_PROBLEM_H
#define TW_KERNELS_ATTENTION_PROBLEM_H

#include "kernels/abi/types.h"
#include "kernels/support/Call.h"
#include "kernels/support/Variant.h"

#include <cmath>
#include <initializer_list>

#ifdef __CUDACC__
#define TW_ATTENTION_FUNCTION __host__ __device__ inline
#else
#define TW_ATTENTION_FUNCTION inline
#endif

namespace tw::kernels {
inline namespace TW_VARIANT {

/// Which keys a query sees by its place, as [begin, end). Both ends grow with the query.
struct Sight {
  int64_t keys, window; // window 0: none
  bool causal;
  TW_ATTENTION_FUNCTION int64_t begin(int64_t query) const {
    return window == 0 || query < window ? 0 : query - window + 1;
  }
  TW_ATTENTION_FUNCTION int64_t end(int64_t query) const {
    int64_t last = causal ? query + 1 : window > 0 ? query + window : keys;
    return last < keys ? last : keys;
  }
  /// The first query that sees the key, if any does.
  TW_ATTENTION_FUNCTION int64_t firstQuery(int64_t key) const {
    return causal ? key : window == 0 || key < window ? 0 : key - window + 1;
  }
  /// The query after the last one, of `queries`, that sees the key.
  TW_ATTENTION_FUNCTION int64_t endQuery(int64_t key, int64_t queries) const {
    return window > 0 && key + window < queries ? key + window : queries;
  }
};

/// Dropout of probabilities: kept where the random number of an element is at least the ratio, which is where the upper
/// 24 bits of its word are at least `threshold`.
struct Dropout {
  const int64_t *seed, *step, *row; // null: no dropout
  uint64_t id;
  uint32_t threshold;
  float factor; // 1 / (1 - ratio)
};

struct Problem {
  int64_t batch, heads, groups, queries, keys, width, valueWidth; // b, h, g, s, t, d, e
  float scale;
  Sight sight;
  Dropout dropout;
  const tw_tensor *query, *key, *value, *bias; // bias null: none
};

inline bool unitRows(const tw_tensor &tensor) {
  return tensor.rank == 4 && (tensor.shape[3] <= 1 || tensor.strides[3] == 1);
}
inline bool hasSizes(const tw_tensor &tensor, int64_t a, int64_t b, int64_t c, int64_t d) {
  const int64_t *shape = tensor.shape;
  return tensor.rank == 4 && shape[0] == a && shape[1] == b && shape[2] == c && shape[3] == d;
}

inline int readSizes(int32_t type, Problem &p, char *message, size_t capacity) {
  for (const tw_tensor *tensor : {p.query, p.key, p.value}) {
    if (!unitRows(*tensor))
      return fail(message, capacity,
                  "attention needs query, key and value of rank 4 with stride 1 in the last dimension");
    if (tensor->type != type)
      return fail(message, capacity, "attention of %s got a query, key or value of %s", tw_type_name(type),
                  tw_type_name(tensor->type));
  }
  p.batch = p.query->shape[0];
  p.heads = p.query->shape[1];
  p.groups = p.key->shape[1];
  p.queries = p.query->shape[2];
  p.keys = p.key->shape[2];
  p.width = p.query->shape[3];
  p.valueWidth = p.value->shape[3];
  if (p.groups == 0 || p.heads % p.groups != 0 || !hasSizes(*p.key, p.batch, p.groups, p.keys, p.width) ||
      !hasSizes(*p.value, p.batch, p.groups, p.keys, p.valueWidth))
    return fail(message, capacity, "attention's query, key and value do not fit each other");
  return 0;
}

inline int readBias(int32_t type, const Problem &p, char *message, size_t capacity) {
  const tw_tensor &bias = *p.bias;
  if (bias.rank != 4)
    return fail(message, capacity, "attention's bias needs rank 4, not %d", bias.rank);
  int64_t sizes[4] = {p.batch, p.heads, p.queries, p.keys};
  for (int i = 0; i < 4; ++i)
    if (bias.shape[i] != sizes[i] && (bias.shape[i] != 1 || i == 3))
      return fail(message, capacity, "dimension %d of attention's bias has size %lld, not %lld%s", i,
                  (long long)bias.shape[i], (long long)sizes[i], i == 3 ? "" : " or 1");
  if (bias.type != TW_F32 && bias.type != TW_BOOL && bias.type != type)
    return fail(message, capacity, "attention of %s takes no bias of %s", tw_type_name(type), tw_type_name(bias.type));
  return 0;
}

/// Seed, step and row are the inputs from `first` on, or there are none.
inline int readDropout(const tw_call *call, int first, Dropout &dropout, char *message, size_t capacity) {
  double ratio = number(call, "dropout");
  bool random = first < call->input_count;
  if (!(ratio >= 0 && ratio < 1) || random != (ratio > 0))
    return fail(message, capacity,
                "attention's dropout of %g does not fit: it is in [0, 1), and above 0 just when there are seed, step "
                "and row",
                ratio);
  dropout = {};
  if (!random)
    return 0;
  for (int i = 0; i < 3; ++i)
    if (call->inputs[first + i].rank != 0 || call->inputs[first + i].type != TW_I64)
      return fail(message, capacity, "attention's seed, step and row are i64 scalars");
  auto scalar = [&](int i) { return static_cast<const int64_t *>(call->inputs[first + i].data); };
  dropout = {scalar(0),
             scalar(1),
             scalar(2),
             uint64_t(integer(call, "id")),
             uint32_t(std::ceil(ratio * 16777216.0)),
             float(1 / (1 - ratio))};
  return 0;
}

/// Reads query, key and value of that type from inputs `first` on, and what follows `plain` inputs: the bias, if there
/// is one, then seed, step and row with dropout. Looks at no data.
inline int readProblem(const tw_call *call, int32_t type, int first, int plain, Problem &p, char *message,
                       size_t capacity) {
  int extras = call->input_count - plain;
  if (extras < 0 || extras > 4 || extras % 3 == 2)
    return fail(message, capacity,
                "attention takes %d inputs, one more for a bias and three more for dropout, but the call has %d", plain,
                call->input_count);
  p.query = &call->inputs[first];
  p.key = &call->inputs[first + 1];
  p.value = &call->inputs[first + 2];
  p.bias = extras % 3 == 1 ? &call->inputs[plain] : nullptr;
  if (int status = readSizes(type, p, message, capacity))
    return status;
  if (p.bias)
    if (int status = readBias(type, p, message, capacity))
      return status;
  p.scale = float(number(call, "scale", 1));
  int64_t window = integer(call, "window"), longest = p.queries > p.keys ? p.queries : p.keys;
  if (window < 0)
    return fail(message, capacity, "attention's window is %lld, below 0", (long long)window);
  p.sight = {p.keys, window < longest ? window : 0, flag(call, "causal")};
  return readDropout(call, plain + (p.bias ? 1 : 0), p.dropout, message, capacity);
}

/// The operands of a backward call beside the problem's.
struct BackwardOperands {
  const tw_tensor *cotangent, *result, *logsumexp, *dQuery, *dKey, *dValue, *dBias; // dBias null: none
};

inline int checkRows(const tw_tensor &tensor, const tw_tensor &like, int64_t width, const char *what, char *message,
                     size_t capacity) {
  if (!unitRows(tensor) || !hasSizes(tensor, like.shape[0], like.shape[1], like.shape[2], width) ||
      tensor.type != like.type)
    return fail(message, capacity, "attention's %s has another shape or type, or another stride than 1 in its rows",
                what);
  return 0;
}
inline int checkLogs(const Problem &p, const tw_tensor &logs, char *message, size_t capacity) {
  if (logs.type != TW_F32 || logs.rank != 3 || logs.shape[0] != p.batch || logs.shape[1] != p.heads ||
      logs.shape[2] != p.queries)
    return fail(message, capacity, "attention's logsumexp is not f32 of one number a query");
  return 0;
}

/// Reads attention's call: 3 to 7 inputs, result and logsumexp.
inline int readForward(const tw_call *call, int32_t type, Problem &p, char *message, size_t capacity) {
  if (int status = readProblem(call, type, 0, 3, p, message, capacity))
    return status;
  if (call->output_count != 2)
    return fail(message, capacity, "attention has 2 outputs, but the call has %d", call->output_count);
  if (int status = checkRows(call->outputs[0], *p.query, p.valueWidth, "result", message, capacity))
    return status;
  return checkLogs(p, call->outputs[1], message, capacity);
}

/// Reads attention_backward's call: 6 to 10 inputs, 3 or 4 outputs.
inline int readBackward(const tw_call *call, int32_t type, Problem &p, BackwardOperands &o, char *message,
                        size_t capacity) {
  if (int status = readProblem(call, type, 1, 6, p, message, capacity))
    return status;
  if (call->output_count != 3 && call->output_count != 4)
    return fail(message, capacity, "attention_backward has 3 or 4 outputs, but the call has %d", call->output_count);
  o = {&call->inputs[0],
       &call->inputs[4],
       &call->inputs[5],
       &call->outputs[0],
       &call->outputs[1],
       &call->outputs[2],
       call->output_count == 4 ? &call->outputs[3] : nullptr};
  struct Expected {
    const tw_tensor *tensor, *like;
    int64_t width;
    const char *what;
  } expected[] = {{o.cotangent, p.query, p.valueWidth, "cotangent"},
                  {o.result, p.query, p.valueWidth, "result"},
                  {o.dQuery, p.query, p.width, "d_query"},
                  {o.dKey, p.key, p.width, "d_key"},
                  {o.dValue, p.value, p.valueWidth, "d_value"}};
  for (const Expected &e : expected)
    if (int status = checkRows(*e.tensor, *e.like, e.width, e.what, message, capacity))
      return status;
  if (o.dBias && (!p.bias || p.bias->type == TW_BOOL))
    return fail(message, capacity, "attention_backward gives d_bias for a bias of floats alone");
  for (int i = 0; o.dBias && i < 4; ++i)
    if (o.dBias->rank != 4 || o.dBias->shape[i] != p.bias->shape[i] || o.dBias->type != p.bias->type)
      return fail(message, capacity, "attention_backward's d_bias has another shape or type than the bias");
  return checkLogs(p, *o.logsumexp, message, capacity);
}

} // namespace TW_VARIANT
} // namespace tw::kernels
#endif
