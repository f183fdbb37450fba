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
/// around the sum (a division, an exponential of 2 ulp).
inline double tolerance(int32_t type, double length, double scale) {
  return epsilon(type) * (8 + 4 * std::sqrt(length)) * scale;
}

} // namespace tw::kernels::testing
#endif
