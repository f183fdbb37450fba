#define TW_VARIANT base
#include "test/kernels/support/HalfConversions.h"

extern "C" const char *tw_test_half_base(uint32_t *bits) {
  tw::kernels::HalfError error = tw::kernels::checkHalfConversions();
  *bits = error.bits;
  return error.what;
}
