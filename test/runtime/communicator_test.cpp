#include "kernels/abi/kernel.h"
#include "runtime/base/Half.h"
#include "runtime/comm/local/LocalCommunicator.h"
#include "runtime/comm/self/SelfCommunicator.h"
#include "test/runtime/support/CommunicatorConformance.h"
#include <cmath>
#include <gtest/gtest.h>
#include <thread>

using namespace tw;

static void expectNone(const std::vector<std::string> &failures) {
  for (const std::string &failure : failures)
    ADD_FAILURE() << failure;
}

TEST(SelfCommunicator, Conforms) {
  rt::SelfCommunicator self;
  expectNone(test::checkCommunicator(self));
  float value = 1;
  EXPECT_TRUE(self.send(&value, 1, TW_F32, 1).failed());
  EXPECT_TRUE(self.broadcast(&value, 1, TW_F32, 1).failed());
}

TEST(LocalCommunicator, Conforms) {
  for (int size : {1, 2, 3, 4}) {
    auto ranks = rt::makeLocalCommunicators(size);
    std::vector<std::vector<std::string>> failures(ranks.size());
    std::vector<std::thread> threads;
    for (size_t r = 0; r < ranks.size(); ++r)
      threads.emplace_back([&, r] { failures[r] = test::checkCommunicator(*ranks[r]); });
    for (std::thread &thread : threads)
      thread.join();
    for (auto &list : failures)
      expectNone(list);
  }
}

TEST(LocalCommunicator, AbortEndsThoseThatWait) {
  auto ranks = rt::makeLocalCommunicators(2);
  rt::Status waiting;
  std::thread other([&] { waiting = ranks[1]->barrier(); });
  ranks[0]->abort();
  other.join();
  EXPECT_EQ(waiting.message(), "another rank has failed");
  EXPECT_TRUE(ranks[0]->barrier().failed());
}

TEST(Combine, HalfPrecisionAddsInFloat) {
  uint16_t a = rt::floatToHalf(0.1f), b = rt::floatToHalf(0.2f), sum = b;
  rt::combine(rt::Reduction::Sum, TW_F16, &a, &sum, 1);
  EXPECT_EQ(sum, rt::floatToHalf(rt::halfToFloat(a) + rt::halfToFloat(b)));
}

TEST(Combine, MaxAndMinKeepNaN) {
  float nan = NAN, one = 1;
  for (rt::Reduction reduction : {rt::Reduction::Max, rt::Reduction::Min}) {
    float into = one;
    rt::combine(reduction, TW_F32, &nan, &into, 1);
    EXPECT_TRUE(std::isnan(into));
    rt::combine(reduction, TW_F32, &one, &into, 1);
    EXPECT_TRUE(std::isnan(into));
  }
}
