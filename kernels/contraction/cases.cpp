#include "kernels/testing/Case.h"

namespace tw::kernels::testing {

enum class Init { None, Row, Whole };

static void matmulCase(std::vector<Case> &cases, Shape batch, int64_t m, int64_t n, int64_t k, bool transposeLhs,
                       bool transposeRhs, Init init, bool benchmark = false) {
  auto shape = [&](int64_t a, int64_t b) {
    Shape made = batch;
    made.push_back(a);
    made.push_back(b);
    return made;
  };
  Case made{"matmul_f32",
            matmul_reference,
            {floats(transposeLhs ? shape(k, m) : shape(m, k)), floats(transposeRhs ? shape(n, k) : shape(k, n))},
            {floats(shape(m, n))},
            {}};
  if (init == Init::Row)
    made.inputs.push_back(floats({n}));
  if (init == Init::Whole) {
    made.inputs.push_back(floats(shape(m, n)));
    made.inPlaceInput = 2;
  }
  if (transposeLhs)
    made.attributes.push_back(unit("transpose_lhs"));
  if (transposeRhs)
    made.attributes.push_back(unit("transpose_rhs"));
  made.length = double(k);
  made.benchmark = benchmark;
  made.operations = 2.0 * m * n * k;
  for (int64_t size : batch)
    made.operations *= double(size);
  addStored(cases, made);
}

void addContractionCases(std::vector<Case> &cases) {
  for (int transposes = 0; transposes < 4; ++transposes)
    for (Init init : {Init::None, Init::Row, Init::Whole}) {
      bool left = transposes & 1, right = transposes & 2;
      matmulCase(cases, {}, 1, 1, 1, left, right, init);
      matmulCase(cases, {}, 3, 17, 65, left, right, init);
      matmulCase(cases, {}, 65, 1, 17, left, right, init);
      matmulCase(cases, {}, 1, 65, 3, left, right, init);
      matmulCase(cases, {}, 130, 70, 190, left, right, init);
      matmulCase(cases, {3}, 17, 5, 3, left, right, init);
      matmulCase(cases, {2, 4}, 65, 17, 33, left, right, init);
      matmulCase(cases, {}, 3, 5, 0, left, right, init);
      matmulCase(cases, {}, 0, 5, 4, left, right, init);
      matmulCase(cases, {}, 8200, 5, 3, left, right, init);
    }
  matmulCase(cases, {}, 2048, 384, 384, false, true, Init::Row, true);
  matmulCase(cases, {}, 2048, 1536, 384, false, false, Init::None, true);
  matmulCase(cases, {}, 384, 1536, 2048, true, false, Init::None, true);
  matmulCase(cases, {48}, 256, 64, 256, false, false, Init::None, true);
}

} // namespace tw::kernels::testing
