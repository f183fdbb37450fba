// dropout by Philox4x32-10, as on the host: the same numbers for the same elements.
#include "kernels/support/Cuda.cuh"

#include <cmath>

using namespace tw::kernels;

namespace {

__device__ uint4 philox(uint4 counter, uint2 key) {
  for (int round = 0; round < 10; ++round) {
    uint32_t high0 = __umulhi(0xD2511F53u, counter.x), low0 = 0xD2511F53u * counter.x;
    uint32_t high1 = __umulhi(0xCD9E8D57u, counter.z), low1 = 0xCD9E8D57u * counter.z;
    counter = make_uint4(high1 ^ counter.y ^ key.x, low1, high0 ^ counter.w ^ key.y, low0);
    key.x += 0x9E3779B9u;
    key.y += 0xBB67AE85u;
  }
  return counter;
}

/// One thread for each block of four elements, aligned in global indices.
__global__ void dropElements(const float *x, const int64_t *seed, const int64_t *step, const int64_t *row, uint32_t id,
                             int64_t rowElements, uint32_t threshold, float scale, int64_t count, float *y) {
  uint64_t start = uint64_t(*row) * uint64_t(rowElements);
  int64_t lead = int64_t(start % 4), blocks = (lead + count + 3) / 4;
  uint2 key = make_uint2(uint32_t(uint64_t(*seed)), uint32_t(uint64_t(*seed) >> 32));
  TW_GRID_LOOP(i, blocks) {
    uint64_t block = start / 4 + uint64_t(i);
    uint4 words = philox(make_uint4(uint32_t(block), uint32_t(block >> 32), id, uint32_t(uint64_t(*step))), key);
    uint32_t each[4] = {words.x, words.y, words.z, words.w};
    for (int w = 0; w < 4; ++w) {
      int64_t at = i * 4 + w - lead;
      if (at >= 0 && at < count)
        y[at] = (each[w] >> 8) >= threshold ? x[at] * scale : 0.0f;
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
