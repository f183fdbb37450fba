// dropout by Philox4x32-10 (J. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011).
#include "kernels/support/Call.h"
#include "kernels/support/Parallel.h"
#include "kernels/support/Rows.h"

namespace tw::kernels {
inline namespace TW_VARIANT {
namespace {

constexpr int kBlocks = 16; // counters worked on side by side, for the vector unit

struct Stream {
  uint32_t key0, key1, id, step;
};

/// words[4 * b + w] is word w of the block with counter first + b.
inline void philox(const Stream &stream, uint64_t first, uint32_t *words) {
  uint32_t c0[kBlocks], c1[kBlocks], c2[kBlocks], c3[kBlocks];
  for (int b = 0; b < kBlocks; ++b) {
    uint64_t counter = first + uint64_t(b);
    c0[b] = uint32_t(counter);
    c1[b] = uint32_t(counter >> 32);
    c2[b] = stream.id;
    c3[b] = stream.step;
  }
  uint32_t key0 = stream.key0, key1 = stream.key1;
  for (int round = 0; round < 10; ++round) {
    for (int b = 0; b < kBlocks; ++b) {
      uint64_t product0 = uint64_t(0xD2511F53u) * c0[b], product1 = uint64_t(0xCD9E8D57u) * c2[b];
      uint32_t next0 = uint32_t(product1 >> 32) ^ c1[b] ^ key0, next2 = uint32_t(product0 >> 32) ^ c3[b] ^ key1;
      c0[b] = next0;
      c1[b] = uint32_t(product1);
      c2[b] = next2;
      c3[b] = uint32_t(product0);
    }
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  for (int b = 0; b < kBlocks; ++b) {
    words[4 * b] = c0[b];
    words[4 * b + 1] = c1[b];
    words[4 * b + 2] = c2[b];
    words[4 * b + 3] = c3[b];
  }
}

int dropout(const tw_call *call, char *message, size_t capacity) {
  TW_EXPECT_OPERANDS(4, 4, 1);
  const tw_tensor &tensor = call->inputs[0];
  const float *x = in(call, 0);
  float *y = out(call, 0);
  int64_t count = elements(tensor);
  if (tensor.rank < 1 || count == 0)
    return tensor.rank < 1 ? fail(message, capacity, "dropout needs a tensor of rank 1 or more") : 0;
  uint64_t seed = uint64_t(*in<int64_t>(call, 1)), step = uint64_t(*in<int64_t>(call, 2));
  Stream stream{uint32_t(seed), uint32_t(seed >> 32), uint32_t(integer(call, "id")), uint32_t(step)};
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
      philox(stream, firstBlock + uint64_t(i) * kBlocks, words);
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
