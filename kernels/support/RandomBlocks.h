// The random numbers of kernels/abi/random.h, many at a time.
#ifndef TW_KERNELS_SUPPORT_RANDOMBLOCKS_H
#define TW_KERNELS_SUPPORT_RANDOMBLOCKS_H

#include "kernels/abi/random.h"
#include "kernels/support/Variant.h"

namespace tw::kernels {
inline namespace TW_VARIANT {

struct RandomStream {
  uint64_t seed, step, id;
};

/// words[4 * b + w] is word w of the block with counter first + b, for b below Blocks. Rounds are the outer loop, so
/// that the inner one, over blocks, becomes vector code.
template <int Blocks>
inline void randomBlocks(const RandomStream &stream, uint64_t first, uint32_t *words) {
  uint32_t c[4][Blocks], word[4];
  for (int b = 0; b < Blocks; ++b) {
    tw_random_counter(stream.step, stream.id, first + uint64_t(b), word);
    for (int w = 0; w < 4; ++w)
      c[w][b] = word[w];
  }
  for (uint32_t round = 0; round < 10; ++round)
    for (int b = 0; b < Blocks; ++b) {
      uint32_t block[4] = {c[0][b], c[1][b], c[2][b], c[3][b]};
      tw_philox_round(block, uint32_t(stream.seed), uint32_t(stream.seed >> 32), round);
      for (int w = 0; w < 4; ++w)
        c[w][b] = block[w];
    }
  for (int b = 0; b < Blocks; ++b)
    for (int w = 0; w < 4; ++w)
      words[4 * b + w] = c[w][b];
}

} // namespace TW_VARIANT
} // namespace tw::kernels
#endif
