#include "runtime/train/data/Loader.h"
#include "runtime/train/data/Sampler.h"
#include "test/runtime/support/TestPlan.h"
#include <gtest/gtest.h>
#include <numeric>
#include <set>

using namespace tw;
using namespace tw::rt;

TEST(Sampler, EpochsArePermutationsAndDiffer) {
  for (int64_t rows : {1, 2, 7, 64, 1000}) {
    Sampler sampler(rows, 1, 5, true);
    std::vector<int64_t> orders[2];
    for (int64_t epoch : {0, 1}) {
      for (int64_t k = 0; k < rows; ++k)
        orders[epoch].push_back(sampler.row({epoch, k}, 0));
      std::set<int64_t> distinct(orders[epoch].begin(), orders[epoch].end());
      EXPECT_EQ(int64_t(distinct.size()), rows);
      EXPECT_EQ(*distinct.rbegin(), rows - 1);
    }
    if (rows > 10) {
      EXPECT_NE(orders[0], orders[1]);
    }
  }
}

TEST(Sampler, ShuffledOrderIsNotTheOrderOfTheFile) {
  Sampler sampler(1000, 1, 1, true);
  int64_t fixed = 0;
  for (int64_t k = 0; k < 1000; ++k)
    fixed += sampler.row({0, k}, 0) == k;
  EXPECT_LT(fixed, 10);
}

TEST(Sampler, SmallDatasetsRepeatWithinAStep) {
  Sampler sampler(3, 4, 0, false);
  std::vector<int64_t> rows;
  for (int64_t k = 0; k < 4; ++k)
    rows.push_back(sampler.row({2, 0}, k));
  EXPECT_EQ(rows, (std::vector<int64_t>{0, 1, 2, 0}));
  EXPECT_EQ(sampler.stepsPerEpoch(), 1);
  EXPECT_EQ(sampler.next({2, 0}).epoch, 3);
}

TEST(Sampler, RowsThatDoNotFillAStepAreLeftOut) {
  Sampler sampler(10, 4, 0, false);
  EXPECT_EQ(sampler.stepsPerEpoch(), 2);
  DataPosition second = sampler.next({0, 0});
  EXPECT_EQ(second.index, 4);
  EXPECT_EQ(sampler.next(second).epoch, 1);
  EXPECT_EQ(sampler.next(second).index, 0);
}

// The union of the ranks' rows of a step is the same under any number of ranks and micro-batches.
TEST(RowLayout, RanksShareAStep) {
  for (auto [ranks, micro] : {std::pair(1, 1), {2, 1}, {2, 2}, {4, 2}}) {
    std::vector<int64_t> places;
    for (int rank = 0; rank < ranks; ++rank) {
      RowLayout layout{micro, 16 / ranks / micro, ranks, rank};
      EXPECT_EQ(layout.stepRows(), 16);
      for (int64_t local = 0; local < layout.rankRows(); ++local)
        places.push_back(layout.place(local));
    }
    std::sort(places.begin(), places.end());
    std::vector<int64_t> all(16);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(places, all);
  }
  RowLayout layout{2, 4, 2, 1}; // micro-batch 1, row 2 of rank 1: 1 * (4 * 2) + 1 * 4 + 2
  EXPECT_EQ(layout.place(6), 14);
}

TEST(RowLayout, FollowsThePlan) {
  test::LinearOptions options;
  options.microBatches = 3;
  options.ranks = 2;
  planpb::Plan plan = test::linearPlan(options);
  RowLayout train = rowLayout(plan, plan.programs(3));
  EXPECT_EQ(train.microBatches, 3);
  EXPECT_EQ(train.microBatch, 4);
  EXPECT_EQ(train.rank, 1);
  RowLayout evaluation = rowLayout(plan, plan.programs(2));
  EXPECT_EQ(evaluation.stepRows(), 8);
}
