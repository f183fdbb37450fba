// Random numbers as a function of where they are used: Philox4x32-10 (J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel
// random numbers: as easy as 1, 2, 3", 2011). Shared by kernels and the reference interpreter, so that any layout of a
// program draws the same numbers. Plain C, no dependencies; usable on CUDA devices.
#ifndef TW_KERNELS_ABI_RANDOM_H
#define TW_KERNELS_ABI_RANDOM_H

#include <stdint.h>

#ifdef __CUDACC__
#define TW_RANDOM_FUNCTION static __host__ __device__ inline
#else
#define TW_RANDOM_FUNCTION static inline
#endif

/* One of the ten rounds, 0 to 9. */
TW_RANDOM_FUNCTION void tw_philox_round(uint32_t word[4], uint32_t key0, uint32_t key1, uint32_t round) {
  uint64_t product0 = (uint64_t)0xD2511F53u * word[0];
  uint64_t product1 = (uint64_t)0xCD9E8D57u * word[2];
  uint32_t next0 = (uint32_t)(product1 >> 32) ^ word[1] ^ (key0 + round * 0x9E3779B9u);
  uint32_t next2 = (uint32_t)(product0 >> 32) ^ word[3] ^ (key1 + round * 0xBB67AE85u);
  word[1] = (uint32_t)product1;
  word[3] = (uint32_t)product0;
  word[0] = next0;
  word[2] = next2;
}

/* Replaces the four counter words by four random ones. */
TW_RANDOM_FUNCTION void tw_philox4x32_10(uint32_t word[4], uint32_t key0, uint32_t key1) {
  for (uint32_t round = 0; round < 10; ++round)
    tw_philox_round(word, key0, key1, round);
}

/* The counter of elements 4 * block ... 4 * block + 3 of op `id` in step `step`. */
TW_RANDOM_FUNCTION void tw_random_counter(uint64_t step, uint64_t id, uint64_t block, uint32_t word[4]) {
  word[0] = (uint32_t)block;
  word[1] = (uint32_t)(block >> 32);
  word[2] = (uint32_t)id;
  word[3] = (uint32_t)step;
}

/* The four random words of elements 4 * block ... 4 * block + 3 of op `id` in step `step`. */
TW_RANDOM_FUNCTION void tw_random_block(uint64_t seed, uint64_t step, uint64_t id, uint64_t block, uint32_t word[4]) {
  tw_random_counter(step, id, block, word);
  tw_philox4x32_10(word, (uint32_t)seed, (uint32_t)(seed >> 32));
}

/* A multiple of 2^-24 in [0, 1) from a random word: exact in fp32. */
TW_RANDOM_FUNCTION float tw_random_unit(uint32_t word) {
  return (float)(word >> 8) * 0x1p-24f;
}

/* The number of one element. */
TW_RANDOM_FUNCTION float tw_random_uniform(uint64_t seed, uint64_t step, uint64_t id, uint64_t element) {
  uint32_t word[4];
  tw_random_block(seed, step, id, element / 4, word);
  return tw_random_unit(word[element % 4]);
}

#endif
