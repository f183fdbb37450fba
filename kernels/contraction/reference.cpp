#include "kernels/testing/Element.h"

using namespace tw::kernels;
using namespace tw::kernels::testing;

TW_REFERENCE(matmul) {
  const tw_tensor &lhs = call->inputs[0], &rhs = call->inputs[1], &result = call->outputs[0];
  int rank = result.rank;
  bool transposeLhs = flag(call, "transpose_lhs"), transposeRhs = flag(call, "transpose_rhs");
  int64_t depth = lhs.shape[transposeLhs ? rank - 2 : rank - 1];
  for (int64_t i = 0; i < elements(result); ++i) {
    Shape at = coordinates(result, i), left = at, right = at;
    double sum = 0;
    if (call->input_count > 2)
      sum = call->inputs[2].rank == 1 ? get(call->inputs[2], at[rank - 1]) : get(call->inputs[2], i);
    for (int64_t k = 0; k < depth; ++k) {
      left[rank - 2] = transposeLhs ? k : at[rank - 2];
      left[rank - 1] = transposeLhs ? at[rank - 2] : k;
      right[rank - 2] = transposeRhs ? at[rank - 1] : k;
      right[rank - 1] = transposeRhs ? k : at[rank - 1];
      sum += get(lhs, left) * get(rhs, right);
    }
    set(result, i, sum);
  }
  return 0;
}
