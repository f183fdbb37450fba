#include "passes/Lower/Layout.h"

#include <gtest/gtest.h>

using namespace tw::lower;
using Sizes = llvm::SmallVector<int64_t>;

TEST(Layout, RowMajor) {
  EXPECT_EQ(rowMajorStrides({2, 3, 4}), Sizes({12, 4, 1}));
  EXPECT_TRUE(isRowMajor({5, {12, 4, 1}}, {2, 3, 4}));
  EXPECT_TRUE(isRowMajor({0, {99, 4, 1}}, {1, 3, 4}));
  EXPECT_FALSE(isRowMajor({0, {1, 2}}, {2, 3}));
}

TEST(Layout, ReshapeSplitsAndJoins) {
  std::optional<Layout> split = reshapeLayout({8, {24, 1}}, {10, 8}, {2, 5, 2, 4});
  ASSERT_TRUE(split);
  EXPECT_EQ(split->offset, 8);
  EXPECT_EQ(split->strides, Sizes({120, 24, 4, 1}));
  std::optional<Layout> joined = reshapeLayout({0, {120, 24, 4, 1}}, {2, 5, 2, 4}, {10, 8});
  ASSERT_TRUE(joined);
  EXPECT_EQ(joined->strides, Sizes({24, 1}));
}

TEST(Layout, ReshapeOfScatteredElementsHasNone) {
  EXPECT_FALSE(reshapeLayout({0, {1, 6}}, {6, 4}, {24}));
  EXPECT_FALSE(reshapeLayout({0, {24, 1}}, {10, 8}, {80}));
}

TEST(Layout, ReshapeIgnoresSizeOne) {
  std::optional<Layout> layout = reshapeLayout({0, {7, 1}}, {1, 4}, {4, 1, 1});
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->strides[0], 1);
  EXPECT_TRUE(reshapeLayout({3, {}}, {}, {1, 1}));
  EXPECT_TRUE(reshapeLayout({3, {9}}, {1}, {}));
}
