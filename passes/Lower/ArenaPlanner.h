// Offsets for pieces of memory that are needed during ranges of instructions.
#ifndef TW_PASSES_LOWER_ARENAPLANNER_H
#define TW_PASSES_LOWER_ARENAPLANNER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace tw::lower {

constexpr int64_t arenaAlignment = 64;
inline int64_t alignUp(int64_t bytes) {
  return (bytes + arenaAlignment - 1) / arenaAlignment * arenaAlignment;
}

/// Needed from instruction `first` to `last`, both included.
struct Lifetime {
  int64_t bytes;
  int64_t first;
  int64_t last;
};

/// The largest sum of (aligned) bytes needed at once: no placement takes less.
int64_t largestLiveBytes(llvm::ArrayRef<Lifetime> lifetimes);

struct Placement {
  llvm::SmallVector<int64_t> offsets; // multiples of arenaAlignment, from 0
  int64_t bytes = 0;                  // where the last one ends
};
/// Places each lifetime so that no two that overlap in time overlap in memory: takes the best of several orders, then
/// improves it for a bounded number of steps. Deterministic.
Placement placeLifetimes(llvm::ArrayRef<Lifetime> lifetimes);

} // namespace tw::lower
#endif
