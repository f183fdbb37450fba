// Vectors of the variant's width, by GCC's vector extensions: the operators of scalars work on them.
#ifndef TW_KERNELS_SUPPORT_VECTOR_H
#define TW_KERNELS_SUPPORT_VECTOR_H

#include "kernels/support/Variant.h"

#include <cmath>
#include <cstring>

namespace tw::kernels {
inline namespace TW_VARIANT {

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
#elif defined(__AVX__)
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;
#endif

template <typename T>
struct VectorOf {
  typedef T type __attribute__((vector_size(kVectorBytes)));
};
template <typename T>
using Vector = typename VectorOf<T>::type;
template <typename T>
constexpr int64_t kLanes = kVectorBytes / sizeof(T);

using Floats = Vector<float>;
using Ints32 = Vector<int32_t>;
constexpr int64_t kFloats = kLanes<float>;

template <typename T>
inline Vector<T> load(const T *from) {
  Vector<T> vector;
  memcpy(&vector, from, sizeof vector);
  return vector;
}
template <typename T>
inline void store(T *to, Vector<T> vector) {
  memcpy(to, &vector, sizeof vector);
}
template <typename T>
inline Vector<T> fill(T value) {
  return value - Vector<T>{};
}

/// The first `count` lanes from memory, the others `otherwise`.
template <typename T>
inline Vector<T> loadPart(const T *from, int64_t count, T otherwise) {
  Vector<T> vector = fill<T>(otherwise);
  memcpy(&vector, from, count * sizeof(T));
  return vector;
}
template <typename T>
inline void storePart(T *to, Vector<T> vector, int64_t count) {
  memcpy(to, &vector, count * sizeof(T));
}

template <typename To, typename From>
inline To bitCast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}

inline Floats max(Floats a, Floats b) {
  return a > b ? a : b;
}

/// Sum of the lanes, by halves: the same order in every call.
inline float sumLanes(Floats vector) {
  float lanes[kFloats];
  memcpy(lanes, &vector, sizeof lanes);
  for (int64_t half = kFloats / 2; half > 0; half /= 2)
    for (int64_t i = 0; i < half; ++i)
      lanes[i] += lanes[i + half];
  return lanes[0];
}
inline float maxLanes(Floats vector) {
  float lanes[kFloats];
  memcpy(lanes, &vector, sizeof lanes);
  for (int64_t half = kFloats / 2; half > 0; half /= 2)
    for (int64_t i = 0; i < half; ++i)
      lanes[i] = lanes[i] > lanes[i + half] ? lanes[i] : lanes[i + half];
  return lanes[0];
}

/// e^x to about 1 ulp where the result is a normal number; 0 below that, infinity above x = 88.37. NaN stays NaN.
/// Cody and Waite's reduction to |r| <= ln 2 / 2, then the polynomial of Cephes' expf (S. Moshier).
inline Floats exponential(Floats x) {
  constexpr float largest = 88.37f, smallest = -87.33f;
  Floats clamped = x < smallest ? fill(smallest) : x;
  clamped = clamped > largest ? fill(largest) : clamped;
  // Adding 1.5 * 2^23 rounds to the nearest integer and leaves it in the low bits.
  constexpr float magic = 12582912.0f;
  Floats shifted = clamped * 1.44269504088896341f + magic;
  Floats n = shifted - magic;
  Floats r = clamped - n * 0.693359375f;
  r = r + n * 2.12194440e-4f;
  Floats p = r * 1.9875691500e-4f + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * (r * r) + (r + 1.0f);
  Ints32 bits = bitCast<Ints32>(shifted);
  Ints32 scaleBits = (bits + 127) << 23; // the magic number's own bits are shifted out
  Floats scaled = p * bitCast<Floats>(scaleBits);
  scaled = x < smallest ? Floats{} : scaled;
  scaled = x > largest ? fill(float(INFINITY)) : scaled;
  return x != x ? x : scaled;
}

} // namespace TW_VARIANT
} // namespace tw::kernels
#endif
