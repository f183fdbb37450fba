// dropout, with the host's numbers for the same elements.
#include "kernels/abi/random.h"
#include "kernels/support/Cuda.cuh"

#include <cmath>

using namespace tw::kernels;

namespace {

/// One thread for each block of four elements, aligned in global indices.
__global__ void dropElements(const float *x, const int64_t *seed, const int64_t *step, const int64_t *row, uint32_t id,
                             int64_t rowElements, uint32_t threshold, float scale, int64_t count, float *y) {
  uint64_t start = uint64_t(*row) * uint64_t(rowElements);
  int64_t lead = int64_t(start % 4), blocks = (lead + count + 3) / 4;
  TW_GRID_LOOP(i, blocks) {
    uint32_t words[4];
    tw_random_block(uint64_t(*seed), uint64_t(*step), id, start / 4 + uint64_t(i), words);
    for (int w = 0; w < 4; ++w) {
      int64_t at = i * 4 + w - lead;
      if (at >= 0 && at < count)
        y[at] = (words[w] >> 8) >= threshold ? x[at] * scale : 0.0f;
    }
  }
}

} // namespace

extern "C" int dropout_f32_cuda(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(4, 4, 1);
  const tw_tensor &tensor = call->inputs[0];
  if (tensor.rank < 1)
    return fail(message, capacity, "dropout needs a tensor of rank 1 or more");
  int64_t count = elements(tensor);
  if (count == 0)
    return 0;
  double ratio = number(call, "ratio");
  dropElements<<<blocksFor(count / 4 + 2), kBlock, 0, streamOf(call)>>>(
      in(call, 0), in<int64_t>(call, 1), in<int64_t>(call, 2), in<int64_t>(call, 3), uint32_t(integer(call, "id")),
      count / tensor.shape[0], uint32_t(std::ceil(ratio * 16777216.0)), float(1 / (1 - ratio)), count, out(call, 0));
  return launched("dropout", message, capacity);
}
