// dropout by the random numbers of kernels/abi/random.h.
#include "kernels/support/Call.h"
#include "kernels/support/Parallel.h"
#include "kernels/support/RandomBlocks.h"
#include "kernels/support/Rows.h"

namespace tw::kernels {
inline namespace TW_VARIANT {
namespace {

constexpr int kBlocks = 16; // counters worked on side by side

int dropout(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(4, 4, 1);
  const tw_tensor &tensor = call->inputs[0];
  const float *x = in(call, 0);
  float *y = out(call, 0);
  int64_t count = elements(tensor);
  if (tensor.rank < 1 || count == 0)
    return tensor.rank < 1 ? fail(message, capacity, "dropout needs a tensor of rank 1 or more") : 0;
  RandomStream stream{uint64_t(*in<int64_t>(call, 1)), uint64_t(*in<int64_t>(call, 2)), uint64_t(integer(call, "id"))};
  uint64_t start = uint64_t(*in<int64_t>(call, 3)) * uint64_t(count / tensor.shape[0]);
  double ratio = number(call, "ratio");
  float scale = float(1 / (1 - ratio));
  // u >= ratio, u being a multiple of 2^-24, in integers.
  int32_t threshold = int32_t(std::ceil(ratio * 16777216.0));
  constexpr int64_t chunk = 4 * kBlocks;
  // Chunks are aligned in global indices: the first and last may be partial here.
  int64_t lead = int64_t(start % chunk), chunks = (lead + count + chunk - 1) / chunk;
  uint64_t firstBlock = (start - uint64_t(lead)) / 4;
  parallelFor(call->threads, chunks, 4 * chunk, [&](int, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      uint32_t words[chunk];
      randomBlocks<kBlocks>(stream, firstBlock + uint64_t(i) * kBlocks, words);
      int64_t base = i * chunk - lead, first = base < 0 ? -base : 0;
      int64_t last = count - base < chunk ? count - base : chunk;
      if (first == 0 && last == chunk) {
        for (int64_t j = 0; j < chunk; ++j)
          y[base + j] = int32_t(words[j] >> 8) >= threshold ? x[base + j] * scale : 0.0f;
      } else {
        for (int64_t j = first; j < last; ++j)
          y[base + j] = int32_t(words[j] >> 8) >= threshold ? x[base + j] * scale : 0.0f;
      }
    }
  });
  return 0;
}

} // namespace
} // namespace TW_VARIANT
} // namespace tw::kernels

using namespace tw::kernels;

TW_RUN(dropout_f32_host) {
  return dropout(call, message, capacity);
}
