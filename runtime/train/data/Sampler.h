// Which rows a step sees. The order of an epoch is a counter-based function of (seed, epoch): the same under any
// layout, and no list is kept.
#ifndef TW_RUNTIME_TRAIN_DATA_SAMPLER_H
#define TW_RUNTIME_TRAIN_DATA_SAMPLER_H

#include <cstdint>

namespace tw::rt {

/// Where training stands in the data: the next step takes rows [index, index + rows per step) of the epoch's order.
struct DataPosition {
  int64_t epoch = 0, index = 0;
};

class Sampler {
public:
  Sampler(int64_t datasetRows, int64_t stepRows, uint64_t seed, bool shuffle)
      : datasetRows_(datasetRows), stepRows_(stepRows), seed_(seed), shuffle_(shuffle) {}
  /// The dataset's row at place `k` of the step at `position`. Datasets smaller than a step are repeated within it.
  int64_t row(DataPosition position, int64_t k) const;
  /// Rows that do not fill a step are left out at the end of an epoch.
  DataPosition next(DataPosition position) const;
  int64_t stepsPerEpoch() const { return datasetRows_ < stepRows_ ? 1 : datasetRows_ / stepRows_; }

private:
  int64_t datasetRows_, stepRows_;
  uint64_t seed_;
  bool shuffle_;
};

/// A permutation of [0, size): a Feistel network over the smallest even number of bits, walked until the result is in
/// range (Black and Rogaway, "Ciphers with Arbitrary Finite Domains", 2002).
uint64_t permuted(uint64_t index, uint64_t size, uint64_t key);
/// A mixing function of 64 bits (the finaliser of SplitMix64, Steele et al. 2014).
uint64_t mixBits(uint64_t x);

} // namespace tw::rt
#endif
