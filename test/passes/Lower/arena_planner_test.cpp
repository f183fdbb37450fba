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
    EXPECT_LE(double(placement.bytes), 1.001 * double(largestLiveBytes(lifetimes)));
  }
}

// A small convolutional network's step, in units of 64 bytes: the first orders are 6 % above the bound.
TEST(ArenaPlanner, ImprovesTheFirstOrders) {
  const int64_t step[][3] = {
      {117672, 46, 46}, {78409, 0, 0},  {78400, 42, 46}, {78400, 5, 42},  {78400, 0, 45},  {59088, 41, 41},
      {59088, 40, 40},  {59088, 8, 8},  {39200, 36, 41}, {39200, 13, 36}, {39200, 8, 39},  {19600, 40, 42},
      {19600, 7, 41},   {19600, 6, 43}, {17352, 35, 35}, {17352, 34, 34}, {17352, 16, 16}, {9800, 34, 36},
      {9800, 15, 35},   {9800, 14, 37}, {6400, 28, 35},  {6400, 21, 29},  {6400, 16, 33},  {4900, -1, 46},
      {1600, 22, 31},   {1152, 35, 53}, {640, 29, 56},   {288, 41, 50},   {63, 23, 30},
  };
  std::vector<Lifetime> lifetimes;
  for (auto [units, first, last] : step)
    lifetimes.push_back({units * 64, first, last});
  Placement placement = placeLifetimes(lifetimes);
  expectNoOverlap(lifetimes, placement);
  EXPECT_LE(double(placement.bytes), 1.001 * double(largestLiveBytes(lifetimes)));
}

// Nothing is left to chance: the same program gets the same plan.
TEST(ArenaPlanner, IsDeterministic) {
  std::vector<Lifetime> lifetimes;
  for (int64_t i = 0; i < 60; ++i)
    lifetimes.push_back({64 * (1 + i * 37 % 23), i % 29, i % 29 + i % 7});
  Placement first = placeLifetimes(lifetimes), second = placeLifetimes(lifetimes);
  EXPECT_EQ(first.offsets, second.offsets);
  expectNoOverlap(lifetimes, first);
}
