// Loops over contiguous rows of floats, whatever their length.
#ifndef TW_KERNELS_SUPPORT_ROWS_H
#define TW_KERNELS_SUPPORT_ROWS_H

#include "kernels/support/Vector.h"

namespace tw::kernels {
inline namespace TW_VARIANT {

/// Calls body(i, vector or part) over [0, length): body is a generic lambda taking (index, lanes in use).
template <typename Body>
inline void forVectors(int64_t length, const Body &body) {
  int64_t i = 0;
  for (; i + kFloats <= length; i += kFloats)
    body(i, kFloats);
  if (i < length)
    body(i, length - i);
}
inline Floats loadSome(const float *from, int64_t lanes) {
  return lanes == kFloats ? load(from) : loadPart(from, lanes, 0.0f);
}
inline void storeSome(float *to, Floats value, int64_t lanes) {
  if (lanes == kFloats)
    store(to, value);
  else
    storePart(to, value, lanes);
}

/// Sum of value(i, lanes) over a row, in four running vectors.
template <typename Value>
inline float sumOver(int64_t length, const Value &value) {
  Floats a{}, b{}, c{}, d{};
  int64_t i = 0;
  for (; i + 4 * kFloats <= length; i += 4 * kFloats) {
    a += value(i, kFloats);
    b += value(i + kFloats, kFloats);
    c += value(i + 2 * kFloats, kFloats);
    d += value(i + 3 * kFloats, kFloats);
  }
  for (; i + kFloats <= length; i += kFloats)
    a += value(i, kFloats);
  float tail = 0;
  if (i < length) {
    Floats last = value(i, length - i);
    for (int64_t lane = 0; lane < length - i; ++lane)
      tail += last[lane];
  }
  return sumLanes((a + b) + (c + d)) + tail;
}

/// Largest element of a row, -inf for an empty one. T: float or a type of Half.h.
template <typename T>
inline float maximumOf(const T *row, int64_t length) {
  Floats largest = fill(float(-INFINITY));
  int64_t i = 0;
  for (; i + kFloats <= length; i += kFloats)
    largest = max(largest, load(row + i));
  if (i < length) {
    Floats last = loadSome(row + i, length - i);
    for (int64_t lane = length - i; lane < kFloats; ++lane)
      last[lane] = -INFINITY;
    largest = max(largest, last);
  }
  return maxLanes(largest);
}

/// Data of input or output i.
template <typename T = float>
inline const T *in(const tw_call *call, int i) {
  return static_cast<const T *>(call->inputs[i].data);
}
template <typename T = float>
inline T *out(const tw_call *call, int i) {
  return static_cast<T *>(call->outputs[i].data);
}

} // namespace TW_VARIANT
} // namespace tw::kernels
#endif
