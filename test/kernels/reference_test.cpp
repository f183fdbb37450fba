// Every host kernel of Kernels.def against its reference, over the cases of its family.
#include "kernels/testing/Case.h"

#include <gtest/gtest.h>
#include <set>

using namespace tw::kernels::testing;

static std::vector<Case> smallCases() {
  std::vector<Case> small;
  for (const Case &testCase : allCases())
    if (!testCase.benchmark)
      small.push_back(testCase);
  return small;
}

class KernelTest : public ::testing::TestWithParam<std::string> {};

TEST_P(KernelTest, agreesWithItsReference) {
  for (const Case &testCase : smallCases()) {
    if (testCase.kernel + "_host" != GetParam())
      continue;
    EXPECT_EQ(compareWithReference(testCase, "host", {1, 2, 3}), "") << testCase.label();
  }
}

TEST_P(KernelTest, hasCases) {
  std::set<std::string> covered;
  for (const Case &testCase : smallCases())
    covered.insert(testCase.kernel + "_host");
  EXPECT_TRUE(covered.count(GetParam()));
}

static std::vector<std::string> hostKernels() {
  std::vector<std::string> names;
#define TW_KERNEL(name, family, flags) names.push_back(#name);
#include "kernels/abi/Kernels.def"
#undef TW_KERNEL
  return names;
}
INSTANTIATE_TEST_SUITE_P(All, KernelTest, ::testing::ValuesIn(hostKernels()),
                         [](const auto &info) { return info.param; });

TEST(Registry, findsEveryKernelOnce) {
  std::set<std::string> seen;
  for (const tw_kernel *kernel = tw_all_kernels(); kernel->name; ++kernel) {
    EXPECT_TRUE(seen.insert(kernel->name).second) << kernel->name;
    EXPECT_EQ(tw_find_kernel(kernel->name), kernel);
  }
  EXPECT_EQ(tw_find_kernel("no_such_kernel"), nullptr);
}
