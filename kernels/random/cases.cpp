#include "kernels/testing/Case.h"

namespace tw::kernels::testing {

static void dropoutCase(std::vector<Case> &cases, Shape shape, int64_t row, double ratio, bool benchmark = false) {
  Operand x = floats(shape);
  Case made{"dropout_f32",
            dropout_reference,
            {x, integers(TW_I64, {}, 0, int64_t(1) << 52), integers(TW_I64, {}, 0, int64_t(1) << 40),
             integers(TW_I64, {}, row, row + 1)},
            {x},
            {real("ratio", ratio), ints("id", {7})}};
  made.inPlaceInput = 0;
  made.benchmark = benchmark;
  addStored(cases, made);
}

void addRandomCases(std::vector<Case> &cases) {
  dropoutCase(cases, {1}, 0, 0.5);
  dropoutCase(cases, {3, 17}, 5, 0.1);
  dropoutCase(cases, {65, 3, 17}, 1, 0.25);
  dropoutCase(cases, {17, 65}, int64_t(1) << 33, 0.5);
  dropoutCase(cases, {64, 512}, 64, 0);
  dropoutCase(cases, {300, 129}, 3, 0.9);
  dropoutCase(cases, {0, 5}, 0, 0.5);
  dropoutCase(cases, {2048, 1024}, 0, 0.1, true);
}

} // namespace tw::kernels::testing
