#include "runtime/train/data/Sampler.h"

namespace tw::rt {

uint64_t mixBits(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

uint64_t permuted(uint64_t index, uint64_t size, uint64_t key) {
  if (size <= 1)
    return 0;
  int half = 1;
  while (half < 32 && (uint64_t(1) << (2 * half)) < size)
    ++half;
  uint64_t mask = (uint64_t(1) << half) - 1;
  do {
    uint64_t left = index >> half, right = index & mask;
    for (uint64_t round = 0; round < 8; ++round) {
      uint64_t mixed = left ^ (mixBits(key ^ mixBits(right + (round << 56))) & mask);
      left = right;
      right = mixed;
    }
    index = left << half | right;
  } while (index >= size);
  return index;
}

int64_t Sampler::row(DataPosition position, int64_t k) const {
  int64_t place = (position.index + k) % datasetRows_;
  if (!shuffle_)
    return place;
  uint64_t key = mixBits(mixBits(seed_) + uint64_t(position.epoch));
  return int64_t(permuted(uint64_t(place), uint64_t(datasetRows_), key));
}

DataPosition Sampler::next(DataPosition position) const {
  position.index += stepRows_;
  if (position.index + stepRows_ > datasetRows_)
    return {position.epoch + 1, 0};
  return position;
}

} // namespace tw::rt
