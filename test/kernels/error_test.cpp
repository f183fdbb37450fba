// What kernels say when data is wrong, and the values that rows without anything to normalise get.
#include "kernels/testing/Case.h"

#include "kernels/support/Call.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace tw::kernels;
using namespace tw::kernels::testing;

static Case crossEntropyCase() {
  return {"cross_entropy_f32_i64",
          cross_entropy_reference,
          {floats({4, 3}), integers(TW_I64, {4}, 0, 3)},
          {floats({}), floats({4})},
          {ints("ignore_index", {-100}), real("label_smoothing", 0)}};
}

TEST(Errors, labelOutOfRange) {
  for (double label : {3.0, -1.0, 1e12}) {
    TestCall call(crossEntropyCase(), 2);
    set(call.input(1), 2, label);
    std::string error = call.run("cross_entropy_f32_i64_host");
    EXPECT_NE(error.find("in row 2 is outside of [0, 3)"), std::string::npos) << error;
  }
}

TEST(Errors, ignoredLabelIsNoError) {
  TestCall call(crossEntropyCase(), 2);
  for (int64_t i = 0; i < 4; ++i)
    set(call.input(1), i, -100);
  EXPECT_EQ(call.run("cross_entropy_f32_i64_host"), "");
  EXPECT_EQ(get(call.output(0), 0), 0);
}

TEST(Errors, labelOutOfRangeInTheBackwardPass) {
  Case backward{"cross_entropy_backward_f32_i32",
                cross_entropy_backward_reference,
                {floats({}), floats({4, 3}), integers(TW_I32, {4}, 0, 3), floats({4})},
                {floats({4, 3})},
                {ints("ignore_index", {-100}), real("label_smoothing", 0)}};
  TestCall call(backward, 1);
  set(call.input(2), 0, 7);
  std::string error = call.run("cross_entropy_backward_f32_i32_host");
  EXPECT_NE(error.find("label 7 in row 0"), std::string::npos) << error;
}

TEST(Errors, indexOutOfRange) {
  Case gather{"gather_f32_i64",
              gather_reference,
              {floats({5, 3}), integers(TW_I64, {2}, 0, 5)},
              {floats({2, 3})},
              {ints("axis", {0})}};
  Case scatter{"scatter_add_f32_i64",
               scatter_add_reference,
               {floats({2, 3}), integers(TW_I64, {2}, 0, 5)},
               {floats({5, 3})},
               {ints("axis", {0})}};
  for (const Case &testCase : {gather, scatter})
    for (double index : {5.0, -6.0, 1e15}) {
      TestCall call(testCase, 1);
      set(call.input(1), 1, index);
      std::string error = call.run(testCase.kernel + "_host");
      EXPECT_NE(error.find("at position 1 is outside of an axis of size 5"), std::string::npos) << error;
    }
}

TEST(Errors, sliceOutside) {
  Case slice{"slice_b4", slice_reference, {floats({5})}, {floats({3})}, {ints("starts", {3}), ints("strides", {1})}};
  TestCall call(slice, 1);
  std::string error = call.run("slice_b4_host");
  EXPECT_NE(error.find("slice reaches outside dimension 0"), std::string::npos) << error;
}

TEST(Errors, operandsOfOtherRanks) {
  Case slice{"slice_b4", slice_reference, {floats({5, 2})}, {floats({3})}, {ints("starts", {1}), ints("strides", {1})}};
  EXPECT_EQ(TestCall(slice, 1).run("slice_b4_host"), "slice needs equal ranks, not 2 and 1");
  Case transpose{"transpose_b8", transpose_reference, {floats({5})}, {floats({5, 1})}, {ints("permutation", {0, 1})}};
  EXPECT_EQ(TestCall(transpose, 1).run("transpose_b8_host"), "transpose needs equal ranks, not 1 and 2");
  Case pad{"pad_f32", pad_reference, {floats({5})}, {floats({5, 1})}, {ints("low", {0, 0}), ints("interior", {0, 0})}};
  EXPECT_EQ(TestCall(pad, 1).run("pad_f32_host"), "pad needs equal ranks, not 1 and 2");
}

TEST(Errors, concatThatDoesNotFillItsResult) {
  Case concat{"concat_b4", concat_reference, {floats({2}), floats({3})}, {floats({6})}, {ints("axis", {0})}};
  TestCall call(concat, 1);
  set(call.output(0), 0, 7);
  EXPECT_EQ(call.run("concat_b4_host"), "concat's operands have 5 of 6 elements");
  EXPECT_EQ(get(call.output(0), 0), 7) << "nothing is written before all operands are known to fit";
}

/// A convolution of 5 x 5 images by 3 x 3 windows, and what is wrong with it.
static std::string convolutionError(Shape filter, Shape result, std::vector<int64_t> strides, int64_t groups = 1) {
  Case made{
      "convolution_f32",
      convolution_reference,
      {floats({2, 4, 5, 5}), floats(filter)},
      {floats(result)},
      {ints("strides", strides), ints("pads", {1, 1, 1, 1}), ints("dilations", {1, 1}), ints("groups", {groups})}};
  return TestCall(made, 1).run("convolution_f32_host");
}

TEST(Errors, convolutionsThatDoNotFit) {
  EXPECT_EQ(convolutionError({6, 4, 3, 3}, {2, 6, 5, 5}, {1, 1}), "");
  EXPECT_EQ(convolutionError({6, 4, 3, 3}, {2, 6, 5, 4}, {1, 1}),
            "convolution's window has 5 places along dimension 3, its result 4");
  EXPECT_EQ(convolutionError({6, 3, 3, 3}, {2, 6, 5, 5}, {1, 1}),
            "convolution's batch, channels and filters do not fit each other");
  EXPECT_EQ(convolutionError({6, 1, 3, 3}, {2, 6, 5, 5}, {1, 1}, 4),
            "convolution's 4 groups do not divide its 6 filters");
  EXPECT_EQ(convolutionError({6, 4, 3, 3}, {2, 6, 5, 5}, {0, 1}),
            "convolution needs positive strides and dilations, and pads of at least 0");
}

TEST(Errors, wrongNumberOfOperands) {
  Case matmul{"matmul_f32", matmul_reference, {floats({5, 5})}, {floats({5, 5})}, {}};
  TestCall call(matmul, 1);
  EXPECT_NE(call.run("matmul_f32_host").find("but the call has 1"), std::string::npos);
}

TEST(Errors, matmulOperandsThatDoNotFit) {
  Case matmul{"matmul_f32", matmul_reference, {floats({5, 4}), floats({5, 3})}, {floats({5, 3})}, {}};
  TestCall call(matmul, 1);
  EXPECT_NE(call.run("matmul_f32_host").find("do not fit"), std::string::npos);
}

TEST(Errors, kernelsWithoutTheirWorkspace) {
  for (const Case &testCase : allCases()) {
    const tw_kernel *kernel = tw_find_kernel((testCase.kernel + "_host").c_str());
    if (testCase.benchmark || !kernel->workspace_bytes || kernel->prepare)
      continue;
    TestCall call(testCase, 2);
    if (kernel->workspace_bytes(&call.call()) == 0)
      continue;
    call.call().workspace_bytes = 0;
    char message[512] = "";
    EXPECT_NE(kernel->run(&call.call(), message, sizeof message), 0) << testCase.label();
    EXPECT_NE(strstr(message, "bytes of workspace, but has 0"), nullptr) << testCase.label() << ": " << message;
  }
}

TEST(Errors, convolutionWithTooLittleWorkspace) {
  Case made{"convolution_f32",
            convolution_reference,
            {floats({2, 16, 9, 9}), floats({16, 16, 3, 3})},
            {floats({2, 16, 9, 9})},
            {ints("strides", {1, 1}), ints("pads", {1, 1, 1, 1}), ints("dilations", {1, 1}), ints("groups", {1})}};
  TestCall call(made, 1);
  const tw_kernel *kernel = tw_find_kernel("convolution_f32_host");
  ASSERT_TRUE(kernel);
  call.call().workspace_bytes = 0;
  if (kernel->workspace_bytes(&call.call()) == 0)
    GTEST_SKIP() << "oneDNN needs no workspace on this processor";
  char message[512];
  void *state = nullptr;
  EXPECT_NE(kernel->prepare(&call.call(), &state, message, sizeof message), 0);
  EXPECT_NE(strstr(message, "compile the model again"), nullptr) << message;
}

TEST(Values, softmaxOfMinusInfinities) {
  Case made{"softmax_f32", softmax_reference, {floats({2, 37})}, {floats({2, 37})}, {ints("axis", {1})}};
  TestCall call(made, 1);
  for (int64_t i = 0; i < 37; ++i)
    set(call.input(0), i, -INFINITY);
  set(call.input(0), 40, NAN);
  ASSERT_EQ(call.run("softmax_f32_host"), "");
  for (int64_t i = 0; i < 37; ++i) {
    EXPECT_EQ(get(call.output(0), i), 0);
    EXPECT_TRUE(std::isnan(get(call.output(0), 37 + i))) << "NaN must not vanish";
  }
}

TEST(Values, attentionRowThatSeesNothing) {
  Case made{"attention_f32",
            attention_reference,
            {floats({1, 1, 3, 4}), floats({1, 1, 5, 4}), floats({1, 1, 5, 4}), floats({1, 1, 3, 5})},
            {floats({1, 1, 3, 4}), floats({1, 1, 3})},
            {real("scale", 1)}};
  TestCall call(made, 1);
  for (int64_t i = 0; i < 5; ++i)
    set(call.input(3), 5 + i, -INFINITY);
  ASSERT_EQ(call.run("attention_f32_host"), "");
  for (int64_t i = 0; i < 4; ++i)
    EXPECT_EQ(get(call.output(0), 4 + i), 0);
  EXPECT_EQ(get(call.output(1), 1), -INFINITY);
  EXPECT_TRUE(std::isfinite(get(call.output(1), 0)));
}

TEST(Values, reduceLetsNaNThrough) {
  Case made{
      "reduce_f32", reduce_reference, {floats({100})}, {floats({})}, {text("kind", "max"), ints("dimensions", {0})}};
  for (int64_t at : {0, 50, 99}) {
    TestCall call(made, 1);
    set(call.input(0), at, NAN);
    ASSERT_EQ(call.run("reduce_f32_host"), "");
    EXPECT_TRUE(std::isnan(get(call.output(0), 0)));
  }
}

TEST(Values, equalCallsGiveEqualBits) {
  for (const Case &testCase : allCases()) {
    if (testCase.benchmark || testCase.outputs.empty())
      continue;
    TestCall first(testCase, 2), second(testCase, 2);
    ASSERT_EQ(first.run(testCase.kernel + "_host"), "");
    ASSERT_EQ(second.run(testCase.kernel + "_host"), "");
    for (int i = 0; i < first.outputCount(); ++i)
      for (int64_t j = 0; j < elements(first.output(i)); ++j) {
        double a = get(first.output(i), j), b = get(second.output(i), j);
        ASSERT_TRUE(a == b || (std::isnan(a) && std::isnan(b))) << testCase.label();
      }
  }
}
