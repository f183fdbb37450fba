#include "kernels/abi/random.h"

#include <gtest/gtest.h>

#include <array>

namespace {

using Words = std::array<uint32_t, 4>;

Words philox(Words counter, uint32_t key0, uint32_t key1) {
  tw_philox4x32_10(counter.data(), key0, key1);
  return counter;
}

// Known answers that the authors publish with their implementation (kat_vectors, philox4x32 with 10 rounds).
TEST(Philox, givesItsKnownAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, 0, 0), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({~0u, ~0u, ~0u, ~0u}, ~0u, ~0u), (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0xa4093822, 0x299f31d0),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(RandomUniform, takesTheWordOfItsElement) {
  uint32_t block[4];
  uint64_t seed = 0x123456789abcdef0, step = 7, id = 3, first = 0x300000000;
  tw_random_block(seed, step, id, first / 4, block);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(tw_random_uniform(seed, step, id, first + i), static_cast<float>(block[i] >> 8) / (1 << 24));
}

TEST(RandomUniform, isBelowOne) {
  EXPECT_EQ(tw_random_unit(0), 0.0f);
  EXPECT_LT(tw_random_unit(~0u), 1.0f);
}

TEST(RandomUniform, dependsOnSeedStepAndOp) {
  float number = tw_random_uniform(1, 2, 3, 4);
  EXPECT_NE(number, tw_random_uniform(2, 2, 3, 4));
  EXPECT_NE(number, tw_random_uniform(1ull << 32 | 1, 2, 3, 4)); // the seed's high half counts
  EXPECT_NE(number, tw_random_uniform(1, 3, 3, 4));
  EXPECT_NE(number, tw_random_uniform(1, 2, 4, 4));
  EXPECT_NE(number, tw_random_uniform(1, 2, 3, 5));
}

} // namespace
