// f16 (IEEE 754 binary16) and bf16 (the upper half of a float) in memory, float in registers: loads extend, stores
// round to nearest even. load, store, loadSome and storeSome take F16 and BF16 as they take float, so that one template
// is a kernel for all three:
//
//   template <typename T> void twice(const T *x, T *y, int64_t length) {
//     forVectors(length, [&](int64_t i, int64_t lanes) { storeSome(y + i, loadSome(x + i, lanes) * 2, lanes); });
//   }
#ifndef TW_KERNELS_SUPPORT_HALF_H
#define TW_KERNELS_SUPPORT_HALF_H

#include "kernels/support/Rows.h"

#if defined(__F16C__) || defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace tw::kernels {
inline namespace TW_VARIANT {

struct F16 {
  uint16_t bits;
};
struct BF16 {
  uint16_t bits;
};

/// The tw_type of what T stores.
template <typename T>
constexpr int32_t kTypeOf = TW_TYPE_INVALID;
template <>
inline constexpr int32_t kTypeOf<float> = TW_F32;
template <>
inline constexpr int32_t kTypeOf<F16> = TW_F16;
template <>
inline constexpr int32_t kTypeOf<BF16> = TW_BF16;

/// A vector of halves is one of floats: Vector<F16> is Floats.
template <>
struct VectorOf<F16> {
  using type = Floats;
};
template <>
struct VectorOf<BF16> {
  using type = Floats;
};

/// The bits of as many halves as Floats has lanes.
typedef uint16_t HalfBits __attribute__((vector_size(kVectorBytes / 2)));
using Unsigned32 = Vector<uint32_t>;

#ifdef __AVX512F__
constexpr __mmask16 kAllLanes = 0xffff; // GCC 12 warns about its own header where there is no mask
#endif

inline Floats extendF16(HalfBits half) {
#if defined(__AVX512F__)
  return reinterpret_cast<Floats>(_mm512_maskz_cvtph_ps(kAllLanes, reinterpret_cast<__m256i>(half)));
#elif defined(__F16C__)
  return reinterpret_cast<Floats>(_mm256_cvtph_ps(reinterpret_cast<__m128i>(half)));
#else
  Ints32 bits = __builtin_convertvector(half, Ints32), magnitude = (bits & 0x7fff) << 13;
  // The types' exponents are 112 apart; the product also normalises what is subnormal as f16.
  Ints32 number = bitCast<Ints32>(bitCast<Floats>(magnitude) * 0x1p112f);
  number = magnitude >= (0x7c00 << 13) ? magnitude | 0x7f800000 : number; // infinity and NaN
  return bitCast<Floats>(number | (bits & 0x8000) << 16);
#endif
}

inline HalfBits roundToF16(Floats value) {
#if defined(__AVX512F__)
  return reinterpret_cast<HalfBits>(
      _mm512_maskz_cvtps_ph(kAllLanes, reinterpret_cast<__m512>(value), _MM_FROUND_TO_NEAREST_INT));
#elif defined(__F16C__)
  return reinterpret_cast<HalfBits>(_mm256_cvtps_ph(reinterpret_cast<__m256>(value), _MM_FROUND_TO_NEAREST_INT));
#else
  constexpr int32_t smallestNormal = 113 << 23, tooLarge = 143 << 23; // 2^-14 and 2^16 as floats
  Ints32 bits = bitCast<Ints32>(value), magnitude = bits & 0x7fffffff;
  Ints32 normal = (magnitude - (112 << 23) + 0xfff + ((magnitude >> 13) & 1)) >> 13;
  // Subnormal numbers are multiples of 2^-24, the distance of floats from 1/2 on: adding 1/2 rounds to them.
  Ints32 subnormal = bitCast<Ints32>(bitCast<Floats>(magnitude) + 0.5f) - bitCast<int32_t>(0.5f);
  Ints32 half = magnitude < smallestNormal ? subnormal : normal;
  half = magnitude >= tooLarge ? fill(0x7c00) : half;
  half = magnitude > 0x7f800000 ? (magnitude >> 13 & 0x3ff) | 0x7e00 : half; // NaN stays NaN, quiet
  return __builtin_convertvector(half | (bits >> 16 & 0x8000), HalfBits);
#endif
}

inline Floats extendBF16(HalfBits half) {
  return bitCast<Floats>(__builtin_convertvector(half, Unsigned32) << 16);
}

inline HalfBits roundToBF16(Floats value) {
  Unsigned32 bits = bitCast<Unsigned32>(value);
  Unsigned32 rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16; // carries into the exponent, up to infinity
  rounded = value != value ? bits >> 16 | 0x40 : rounded;        // NaN stays NaN, quiet
  return __builtin_convertvector(rounded, HalfBits);
}

inline HalfBits loadBits(const void *from) {
  HalfBits bits;
  memcpy(&bits, from, sizeof bits);
  return bits;
}
inline HalfBits loadBits(const void *from, int64_t lanes) {
  HalfBits bits{};
  memcpy(&bits, from, lanes * sizeof(uint16_t));
  return bits;
}

inline Floats load(const F16 *from) {
  return extendF16(loadBits(from));
}
inline Floats load(const BF16 *from) {
  return extendBF16(loadBits(from));
}
inline void store(F16 *to, Floats value) {
  HalfBits bits = roundToF16(value);
  memcpy(to, &bits, sizeof bits);
}
inline void store(BF16 *to, Floats value) {
  HalfBits bits = roundToBF16(value);
  memcpy(to, &bits, sizeof bits);
}

/// The first `lanes` lanes; the others are 0.
inline Floats loadSome(const F16 *from, int64_t lanes) {
  return lanes == kFloats ? load(from) : extendF16(loadBits(from, lanes));
}
inline Floats loadSome(const BF16 *from, int64_t lanes) {
  return lanes == kFloats ? load(from) : extendBF16(loadBits(from, lanes));
}
inline void storeSome(F16 *to, Floats value, int64_t lanes) {
  HalfBits bits = roundToF16(value);
  memcpy(to, &bits, lanes * sizeof(uint16_t));
}
inline void storeSome(BF16 *to, Floats value, int64_t lanes) {
  HalfBits bits = roundToBF16(value);
  memcpy(to, &bits, lanes * sizeof(uint16_t));
}

inline float toFloat(float value) {
  return value;
}
inline float toFloat(F16 value) {
  return extendF16(HalfBits{value.bits})[0];
}
inline float toFloat(BF16 value) {
  return bitCast<float>(uint32_t(value.bits) << 16);
}
/// Rounded to nearest even.
template <typename T>
inline T fromFloat(float value) {
  if constexpr (kTypeOf<T> == TW_F16)
    return {roundToF16(Floats{value})[0]};
  else if constexpr (kTypeOf<T> == TW_BF16)
    return {roundToBF16(Floats{value})[0]};
  else
    return value;
}

/// Calls body with a zero of the C++ type that holds `type`: F16, BF16, else float.
template <typename Body>
inline auto withFloatType(int32_t type, const Body &body) {
  switch (type) {
  case TW_F16:
    return body(F16{});
  case TW_BF16:
    return body(BF16{});
  default:
    return body(0.0f);
  }
}

} // namespace TW_VARIANT
} // namespace tw::kernels
#endif
