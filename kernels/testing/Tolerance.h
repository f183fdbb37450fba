// How far a kernel may be from its reference: one formula for all of them.
#ifndef TW_KERNELS_TESTING_TOLERANCE_H
#define TW_KERNELS_TESTING_TOLERANCE_H

#include "kernels/abi/kernel.h"

#include <cmath>

namespace tw::kernels::testing {

/// Distance from 1 to the next number of the type; 0 for integers, which must agree exactly.
inline double epsilon(int32_t type) {
  switch (type) {
  case TW_F32:
    return 0x1p-23;
  case TW_F64:
    return 0x1p-52;
  case TW_F16:
    return 0x1p-10;
  case TW_BF16:
    return 0x1p-7;
  }
  return 0;
}

/// Rounding errors of a sum of `length` terms grow like a random walk, so the bound is a few standard deviations of
/// that walk, relative to `scale`, the largest magnitude among the results. The constant 8 covers the few operations
/// around the sum (a division, an exponential of 2 ulp). Half types are computed in f32.
inline double tolerance(int32_t type, double length, double scale) {
  bool half = type == TW_F16 || type == TW_BF16;
  return epsilon(half ? TW_F32 : type) * (8 + 4 * std::sqrt(length)) * scale;
}

/// What storing adds to that for half types: the reference and the kernel each round once, so that they may end up on
/// neighbouring numbers. `value` is the reference's.
inline double rounding(int32_t type, double value) {
  if (type == TW_F16)
    return std::fmax(epsilon(type) * std::fabs(value), 0x1p-24); // the distance of subnormal numbers
  return type == TW_BF16 ? epsilon(type) * std::fabs(value) : 0;
}

} // namespace tw::kernels::testing
#endif
