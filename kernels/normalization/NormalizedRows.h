// The rows that a call of a normalization goes over, checked, for the host and CUDA alike.
#ifndef TW_KERNELS_NORMALIZATION_NORMALIZEDROWS_H
#define TW_KERNELS_NORMALIZATION_NORMALIZEDROWS_H

#include "kernels/support/Call.h"

namespace tw::kernels {
inline namespace TW_VARIANT {

struct Rows {
  int64_t count, length;
};

/// Dimensions before the attribute "axis" are counted, those from it on are one row; else writes a sentence.
inline int readRows(const tw_call *call, const tw_tensor &input, Rows &rows, char *message, size_t capacity) {
  int64_t axis = integer(call, "axis", -1);
  if (axis < 0 || axis > input.rank)
    return fail(message, capacity, "axis %lld is not a dimension of a tensor of rank %d", (long long)axis, input.rank);
  rows = {extent(input, 0, int(axis)), extent(input, int(axis), input.rank)};
  return 0;
}

} // namespace TW_VARIANT
} // namespace tw::kernels
#endif
