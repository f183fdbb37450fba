// The 16-bit formats as references see them: to and from double, by the formats' definition (IEEE 754-2019,
// section 3.4; bf16 is the upper half of an f32), rounding once to nearest even.
#ifndef TW_KERNELS_TESTING_HALFBITS_H
#define TW_KERNELS_TESTING_HALFBITS_H

#include "kernels/abi/kernel.h"

#include <algorithm>
#include <cmath>

namespace tw::kernels::testing {

struct HalfFormat {
  int mantissaBits, bias;
  uint16_t infinity() const { return uint16_t((2 * bias + 1) << mantissaBits); }
};
constexpr HalfFormat kF16{10, 15}, kBF16{7, 127};

inline uint16_t encodeHalf(double value, HalfFormat format) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value))
    return uint16_t(format.infinity() | 1 << (format.mantissaBits - 1));
  if (std::isinf(value))
    return sign | format.infinity();
  double magnitude = std::fabs(value);
  if (magnitude == 0)
    return sign;
  int exponent = std::max(std::ilogb(magnitude), 1 - format.bias);
  // Units in the last place: below 2^mantissaBits only for subnormals; a carry moves on to the next exponent.
  double units = std::nearbyint(std::ldexp(magnitude, format.mantissaBits - exponent));
  int64_t bits = int64_t(units) + (int64_t(exponent + format.bias - 1) << format.mantissaBits);
  return sign | uint16_t(std::min<int64_t>(bits, format.infinity()));
}

inline double decodeHalf(uint16_t bits, HalfFormat format) {
  int magnitude = bits & 0x7fff, fraction = magnitude & ((1 << format.mantissaBits) - 1);
  int field = magnitude >> format.mantissaBits;
  double value = std::ldexp(field ? fraction + (1 << format.mantissaBits) : fraction,
                            std::max(field, 1) - format.bias - format.mantissaBits);
  if (magnitude >= format.infinity())
    value = fraction ? NAN : INFINITY;
  return bits & 0x8000 ? -value : value;
}

} // namespace tw::kernels::testing
#endif
