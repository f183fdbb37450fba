// Every number of a half type, and every place between two of them, through the conversions of kernels/support/Half.h.
// The oracle is the definition of the format, in double. Compiled once for each instruction set, as kernels are, by the
// files beside this one; so nothing of the standard library that could be linked in place of another's is used.
#ifndef TW_TEST_KERNELS_SUPPORT_HALFCONVERSIONS_H
#define TW_TEST_KERNELS_SUPPORT_HALFCONVERSIONS_H

#include "kernels/support/Half.h"

#include <initializer_list>
#include <math.h>

namespace tw::kernels {
inline namespace TW_VARIANT {

/// A binary format with that many bits of exponent and mantissa below the sign.
struct HalfFormat {
  int exponent, mantissa;
  uint16_t infinity() const { return uint16_t(((1 << exponent) - 1) << mantissa); }
  double decode(uint16_t bits) const {
    int e = bits >> mantissa & ((1 << exponent) - 1), m = bits & ((1 << mantissa) - 1);
    int bias = (1 << (exponent - 1)) - 1;
    double magnitude = e == 0 ? ldexp(m, 1 - bias - mantissa) : ldexp(m + (1 << mantissa), e - bias - mantissa);
    if (e == (1 << exponent) - 1)
      magnitude = m ? NAN : INFINITY;
    return bits & 0x8000 ? -magnitude : magnitude;
  }
};

/// What went wrong at which bits; null when nothing did.
struct HalfError {
  const char *what = nullptr;
  uint32_t bits = 0;
};
#define TW_EXPECT_HALF(condition, bits)                                                                                \
  if (!(condition))                                                                                                    \
    return HalfError {                                                                                                 \
      #condition, bits                                                                                                 \
    }

/// The bits that every way of storing gives; 0x12345 if they differ.
template <typename T>
uint32_t rounded(float value) {
  T stored[kFloats];
  store(stored, fill(value));
  bool same = stored[kFloats - 1].bits == stored[0].bits && fromFloat<T>(value).bits == stored[0].bits;
  return same ? stored[0].bits : 0x12345;
}

template <typename T>
HalfError checkLoads(HalfFormat format) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    T stored[kFloats] = {{uint16_t(bits)}};
    double expected = format.decode(uint16_t(bits)), actual = load(stored)[0], scalar = toFloat(stored[0]);
    uint32_t again = rounded<T>(float(actual));
    if (expected != expected) {
      TW_EXPECT_HALF(actual != actual && scalar != scalar, bits);
      TW_EXPECT_HALF(format.decode(uint16_t(again)) != format.decode(uint16_t(again)), bits);
      continue;
    }
    TW_EXPECT_HALF(actual == expected && scalar == expected, bits);
    TW_EXPECT_HALF(again == bits, bits);
  }
  return {};
}

/// Halfway between two neighbours goes to the even one, anything nearer to one of them goes there.
template <typename T>
HalfError checkRounding(HalfFormat format) {
  for (uint16_t bits = 0; bits + 1 < format.infinity(); ++bits) {
    uint16_t next = uint16_t(bits + 1), even = bits & 1 ? next : bits;
    float middle = float((format.decode(bits) + format.decode(next)) / 2);
    TW_EXPECT_HALF(rounded<T>(middle) == even, bits);
    TW_EXPECT_HALF(rounded<T>(-middle) == (even | 0x8000u), bits);
    TW_EXPECT_HALF(rounded<T>(nextafterf(middle, 0)) == bits, bits);
    TW_EXPECT_HALF(rounded<T>(nextafterf(middle, INFINITY)) == next, bits);
  }
  uint32_t infinity = format.infinity();
  double largest = format.decode(uint16_t(infinity - 1)), below = format.decode(uint16_t(infinity - 2));
  float limit = float(largest + (largest - below) / 2);
  TW_EXPECT_HALF(rounded<T>(limit) == infinity, infinity);
  TW_EXPECT_HALF(rounded<T>(-INFINITY) == (infinity | 0x8000u), infinity);
  TW_EXPECT_HALF(rounded<T>(nextafterf(limit, 0)) == infinity - 1, infinity);
  return {};
}

/// Parts of a vector: what lies beyond them is not touched, and reads as 0.
template <typename T>
HalfError checkParts() {
  for (int64_t lanes = 1; lanes <= kFloats; ++lanes) {
    T from[kFloats], to[kFloats];
    for (int64_t i = 0; i < kFloats; ++i) {
      from[i] = fromFloat<T>(float(i + 1));
      to[i] = fromFloat<T>(-1.0f);
    }
    Floats value = loadSome(from, lanes);
    storeSome(to, value, lanes);
    for (int64_t i = 0; i < kFloats; ++i) {
      TW_EXPECT_HALF(value[i] == (i < lanes ? float(i + 1) : 0.0f), uint32_t(lanes));
      TW_EXPECT_HALF(toFloat(to[i]) == (i < lanes ? float(i + 1) : -1.0f), uint32_t(lanes));
    }
  }
  return {};
}

inline HalfError checkTypes() {
  auto typeOf = [](int32_t type) { return withFloatType(type, [](auto zero) { return kTypeOf<decltype(zero)>; }); };
  for (int32_t type : {TW_F16, TW_BF16, TW_F32})
    TW_EXPECT_HALF(typeOf(type) == type, uint32_t(type));
  return {};
}

inline HalfError checkHalfConversions() {
  HalfFormat f16 = {5, 10}, bf16 = {8, 7};
  for (const HalfError &error : {checkLoads<F16>(f16), checkLoads<BF16>(bf16), checkRounding<F16>(f16),
                                 checkRounding<BF16>(bf16), checkParts<F16>(), checkParts<BF16>(), checkTypes()})
    if (error.what)
      return error;
  return {};
}

} // namespace TW_VARIANT
} // namespace tw::kernels
#endif
