// Conversion between float and the two 16-bit formats, rounding to nearest even (IEEE 754-2019, section 4.3.1).
#ifndef TW_RUNTIME_BASE_HALF_H
#define TW_RUNTIME_BASE_HALF_H

#include <cstdint>
#include <cstring>

namespace tw::rt {

inline uint32_t floatBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}
inline float bitsFloat(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

inline float bfloatToFloat(uint16_t bits) {
  return bitsFloat(uint32_t(bits) << 16);
}

inline uint16_t floatToBfloat(float value) {
  uint32_t bits = floatBits(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u)
    return uint16_t((bits >> 16) | 0x40); // a quiet NaN keeps its sign
  return uint16_t((bits + 0x7fffu + ((bits >> 16) & 1)) >> 16);
}

inline float halfToFloat(uint16_t half) {
  uint32_t sign = uint32_t(half & 0x8000) << 16;
  uint32_t exponent = (half >> 10) & 0x1f, mantissa = half & 0x3ff;
  if (exponent == 0x1f)
    return bitsFloat(sign | 0x7f800000u | (mantissa << 13));
  if (exponent == 0) { // zero or subnormal: mantissa * 2^-24
    float magnitude = float(mantissa) * 5.9604644775390625e-8f;
    return bitsFloat(floatBits(magnitude) | sign);
  }
  return bitsFloat(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

inline uint16_t floatToHalf(float value) {
  uint32_t bits = floatBits(value);
  uint16_t sign = uint16_t((bits >> 16) & 0x8000);
  uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u)
    return sign | 0x7e00;
  if (magnitude >= 0x477ff000u) // 65520 and more round to infinity
    return sign | 0x7c00;
  if (magnitude < 0x38800000u) { // below 2^-14: adding 0.5 leaves the rounded subnormal in the low mantissa bits
    float shifted = bitsFloat(magnitude) + 0.5f;
    return sign | uint16_t(floatBits(shifted) - 0x3f000000u);
  }
  uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1);
  return sign | uint16_t((rounded - 0x38000000u) >> 13);
}

} // namespace tw::rt
#endif
