// What a call of a convolution or of one of its backward ops means, checked, for oneDNN and cuDNN alike.
#ifndef TW_KERNELS_CONVOLUTION_PROBLEM_H
#define TW_KERNELS_CONVOLUTION_PROBLEM_H

#include "kernels/convolution/Floats.h"
#include "kernels/support/Call.h"

namespace tw::kernels::convolution {

enum Operand { Source, Filter, Destination, OperandCount };

constexpr int kMostSpatial = 3;

struct Problem {
  Kind kind;
  const tw_tensor *tensors[OperandCount]; // [n, c, ...], [m, c / groups, ...], [n, m, ...]
  const tw_tensor *bias = nullptr;        // [m]
  int spatial = 0;
  int64_t groups = 1;
  int64_t strides[kMostSpatial], dilations[kMostSpatial], begins[kMostSpatial], ends[kMostSpatial];

  const tw_tensor &result() const {
    return *tensors[kind == Kind::Forward ? Destination : kind == Kind::BackwardInput ? Source : Filter];
  }
  bool isEmpty() const {
    for (const tw_tensor *tensor : tensors)
      if (elements(*tensor) == 0)
        return true;
    return false;
  }
};

/// Places that a window of `size` elements has along a dimension.
inline int64_t windowPlaces(const Problem &p, int i, int64_t input, int64_t size) {
  int64_t room = input + p.begins[i] + p.ends[i] - ((size - 1) * p.dilations[i] + 1);
  return room < 0 ? 0 : room / p.strides[i] + 1;
}

inline int checkChannels(const Problem &p, char *message, size_t capacity) {
  const int64_t *source = p.tensors[Source]->shape, *filter = p.tensors[Filter]->shape;
  const int64_t *destination = p.tensors[Destination]->shape;
  if (p.groups < 1 || filter[0] % p.groups != 0)
    return fail(message, capacity, "convolution's %lld groups do not divide its %lld filters", (long long)p.groups,
                (long long)filter[0]);
  if (source[1] != filter[1] * p.groups || destination[1] != filter[0] || destination[0] != source[0])
    return fail(message, capacity, "convolution's batch, channels and filters do not fit each other");
  if (p.bias && elements(*p.bias) != filter[0])
    return fail(message, capacity, "convolution's bias has %lld elements for %lld filters",
                (long long)elements(*p.bias), (long long)filter[0]);
  return 0;
}

inline int checkWindows(const Problem &p, char *message, size_t capacity) {
  for (int i = 0; i < p.spatial; ++i) {
    int64_t input = p.tensors[Source]->shape[2 + i], window = p.tensors[Filter]->shape[2 + i];
    int64_t result = p.tensors[Destination]->shape[2 + i];
    if (p.strides[i] < 1 || p.dilations[i] < 1 || p.begins[i] < 0 || p.ends[i] < 0)
      return fail(message, capacity, "convolution needs positive strides and dilations, and pads of at least 0");
    if (windowPlaces(p, i, input, window) != result)
      return fail(message, capacity, "convolution's window has %lld places along dimension %d, its result %lld",
                  (long long)windowPlaces(p, i, input, window), i + 2, (long long)result);
  }
  return 0;
}

/// Fills `p` from the call; else writes a sentence.
inline int readProblem(const tw_call *call, Kind kind, Problem &p, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(2, kind == Kind::Forward ? 3 : 2, 1);
  p.kind = kind;
  const tw_tensor *first = &call->inputs[0], *second = &call->inputs[1], *result = &call->outputs[0];
  p.tensors[Source] = kind == Kind::Forward ? first : kind == Kind::BackwardInput ? result : second;
  p.tensors[Filter] = kind == Kind::BackwardFilter ? result : second;
  p.tensors[Destination] = kind == Kind::Forward ? result : first;
  p.bias = call->input_count > 2 ? &call->inputs[2] : nullptr;
  int rank = p.tensors[Source]->rank;
  for (const tw_tensor *tensor : p.tensors)
    if (tensor->rank != rank || rank < 3 || rank > 2 + kMostSpatial)
      return fail(message, capacity, "convolution needs operands of equal rank from 3 to %d", 2 + kMostSpatial);
  p.spatial = rank - 2;
  p.groups = integer(call, "groups", 1);
  for (int i = 0; i < p.spatial; ++i) {
    p.strides[i] = entry(call, "strides", i, 1);
    p.dilations[i] = entry(call, "dilations", i, 1);
    p.begins[i] = entry(call, "pads", i);
    p.ends[i] = entry(call, "pads", i + p.spatial);
  }
  int status = checkChannels(p, message, capacity);
  return status ? status : checkWindows(p, message, capacity);
}

} // namespace tw::kernels::convolution
#endif
