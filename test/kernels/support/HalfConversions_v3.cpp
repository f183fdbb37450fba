#ifdef __x86_64__
#define TW_VARIANT v3
#include "test/kernels/support/HalfConversions.h"

extern "C" const char *tw_test_half_v3(uint32_t *bits) {
  tw::kernels::HalfError error = tw::kernels::checkHalfConversions();
  *bits = error.bits;
  return error.what;
}
#endif
