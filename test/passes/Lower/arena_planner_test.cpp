#include "passes/Lower/ArenaPlanner.h"

#include <gtest/gtest.h>
#include <random>

using namespace tw::lower;

static void expectNoOverlap(llvm::ArrayRef<Lifetime> lifetimes, const Placement &placement) {
  for (size_t a = 0; a < lifetimes.size(); ++a) {
    EXPECT_EQ(placement.offsets[a] % arenaAlignment, 0);
    EXPECT_LE(placement.offsets[a] + lifetimes[a].bytes, placement.bytes);
    for (size_t b = a + 1; b < lifetimes.size(); ++b) {
      bool together = lifetimes[a].first <= lifetimes[b].last && lifetimes[b].first <= lifetimes[a].last;
      bool overlap = placement.offsets[a] < placement.offsets[b] + lifetimes[b].bytes &&
                     placement.offsets[b] < placement.offsets[a] + lifetimes[a].bytes;
      EXPECT_FALSE(together && overlap) << a << " and " << b;
    }
  }
}

TEST(ArenaPlanner, NothingTakesNothing) {
  EXPECT_EQ(placeLifetimes({}).bytes, 0);
  EXPECT_EQ(largestLiveBytes({}), 0);
}

TEST(ArenaPlanner, ReusesMemoryOfTheDead) {
  Lifetime lifetimes[] = {{128, 0, 1}, {64, 1, 2}, {128, 2, 3}};
  Placement placement = placeLifetimes(lifetimes);
  expectNoOverlap(lifetimes, placement);
  EXPECT_EQ(placement.bytes, 192);
  EXPECT_EQ(largestLiveBytes(lifetimes), 192);
}

TEST(ArenaPlanner, AlignsSizes) {
  Lifetime lifetimes[] = {{1, 0, 1}, {65, 0, 1}};
  EXPECT_EQ(largestLiveBytes(lifetimes), 64 + 128);
  EXPECT_EQ(placeLifetimes(lifetimes).bytes, 64 + 128);
}

// The shape of a training step: activations that live from forward to backward, and short-lived temporaries.
TEST(ArenaPlanner, StaysNearTheLowerBoundOfTrainingSteps) {
  std::mt19937 random(1);
  for (int round = 0; round < 5; ++round) {
    std::vector<Lifetime> lifetimes;
    const int layers = 40;
    for (int layer = 0; layer < layers; ++layer) {
      lifetimes.push_back({int64_t(1024) * (1 + int64_t(random() % 64)), layer, 2 * layers - layer});
      lifetimes.push_back({int64_t(1024) * (1 + int64_t(random() % 64)), layer, layer + 1});
      lifetimes.push_back({int64_t(1024) * (1 + int64_t(random() % 64)), 2 * layers - layer, 2 * layers - layer + 1});
    }
    Placement placement = placeLifetimes(lifetimes);
    expectNoOverlap(lifetimes, placement);
    EXPECT_LE(double(placement.bytes), 1.05 * double(largestLiveBytes(lifetimes)));
  }
}
