// dropout by the random numbers of kernels/abi/random.h.
#include "kernels/support/Call.h"
#include "kernels/support/Half.h"
#include "kernels/support/Parallel.h"
#include "kernels/support/RandomBlocks.h"
#include "kernels/support/Rows.h"

namespace tw::kernels {
inline namespace TW_VARIANT {
namespace {

constexpr int kBlocks = 16; // counters worked on side by side
constexpr int64_t kChunk = 4 * kBlocks;

/// y = x * scale where the element's word says so, else 0, for elements [first, last) of a chunk.
template <typename T>
inline void dropChunk(const uint32_t *words, int32_t threshold, float scale, const T *x, T *y, int64_t first,
                      int64_t last) {
  float factors[kChunk];
  for (int64_t i = 0; i < kChunk; ++i)
    factors[i] = int32_t(words[i] >> 8) >= threshold ? scale : 0.0f;
  forVectors(last - first, [&](int64_t i, int64_t lanes) {
    Floats factor = loadSome(factors + first + i, lanes), value = loadSome(x + first + i, lanes) * factor;
    storeSome(y + first + i, factor == 0.0f ? Floats{} : value, lanes); // 0 even where x is not finite
  });
}

template <typename T>
int dropout(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(4, 4, 1);
  const tw_tensor &tensor = call->inputs[0];
  const T *x = in<T>(call, 0);
  T *y = out<T>(call, 0);
  int64_t count = elements(tensor);
  if (tensor.rank < 1 || count == 0)
    return tensor.rank < 1 ? fail(message, capacity, "dropout needs a tensor of rank 1 or more") : 0;
  RandomStream stream{uint64_t(*in<int64_t>(call, 1)), uint64_t(*in<int64_t>(call, 2)), uint64_t(integer(call, "id"))};
  uint64_t start = uint64_t(*in<int64_t>(call, 3)) * uint64_t(count / tensor.shape[0]);
  double ratio = number(call, "ratio");
  float scale = float(1 / (1 - ratio));
  // u >= ratio, u being a multiple of 2^-24, in integers.
  int32_t threshold = int32_t(std::ceil(ratio * 16777216.0));
  // Chunks are aligned in global indices: the first and last may be partial here.
  int64_t lead = int64_t(start % kChunk), chunks = (lead + count + kChunk - 1) / kChunk;
  uint64_t firstBlock = (start - uint64_t(lead)) / 4;
  parallelFor(call->threads, chunks, 4 * kChunk, [&](int, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      uint32_t words[kChunk];
      randomBlocks<kBlocks>(stream, firstBlock + uint64_t(i) * kBlocks, words);
      int64_t base = i * kChunk - lead, first = base < 0 ? -base : 0;
      int64_t last = count - base < kChunk ? count - base : kChunk;
      if (first == 0 && last == kChunk)
        dropChunk(words, threshold, scale, x + base, y + base, 0, kChunk);
      else
        dropChunk(words, threshold, scale, x + base, y + base, first, last);
    }
  });
  return 0;
}

} // namespace
} // namespace TW_VARIANT
} // namespace tw::kernels

using namespace tw::kernels;

TW_RUN(dropout_f32_host) {
  return dropout<float>(call, message, capacity);
}
TW_RUN(dropout_f16_host) {
  return dropout<F16>(call, message, capacity);
}
TW_RUN(dropout_bf16_host) {
  return dropout<BF16>(call, message, capacity);
}
