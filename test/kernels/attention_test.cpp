// What attention promises beside agreeing with its reference: accuracy, memory, threads, values and errors.
#include "kernels/testing/Case.h"

#include "kernels/support/Call.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

using namespace tw::kernels;
using namespace tw::kernels::testing;

namespace {

struct Sizes {
  int64_t batch, heads, queries, keys, width;
};

std::vector<Operand> operandsOf(const Sizes &s, int32_t type = TW_F32) {
  Operand query = floats({s.batch, s.heads, s.queries, s.width}), key = floats({s.batch, s.heads, s.keys, s.width});
  query.type = key.type = type;
  return {query, key, key};
}

Case forwardCase(const Sizes &s, std::vector<Attribute> attributes, const std::vector<Operand> &extras = {}) {
  attributes.push_back(real("scale", 1 / std::sqrt(double(s.width))));
  std::vector<Operand> inputs = operandsOf(s);
  inputs.insert(inputs.end(), extras.begin(), extras.end());
  return {"attention_f32",
          attention_reference,
          inputs,
          {floats({s.batch, s.heads, s.queries, s.width}), floats({s.batch, s.heads, s.queries})},
          attributes};
}
/// d_bias comes with `dBias`; the bias is the first extra then.
Case backwardCase(const Sizes &s, std::vector<Attribute> attributes, const std::vector<Operand> &extras = {},
                  bool dBias = false) {
  Case forward = forwardCase(s, std::move(attributes), extras);
  Case made{
      "attention_backward_f32", attention_backward_reference, {forward.outputs[0]}, operandsOf(s), forward.attributes};
  made.inputs.insert(made.inputs.end(), forward.inputs.begin(), forward.inputs.begin() + 3);
  made.inputs.insert(made.inputs.end(), forward.outputs.begin(), forward.outputs.end());
  made.inputs.insert(made.inputs.end(), extras.begin(), extras.end());
  if (dBias)
    made.outputs.push_back(extras[0]);
  return made;
}
Case inDouble(Case made) {
  for (std::vector<Operand> *operands : {&made.inputs, &made.outputs})
    for (Operand &operand : *operands)
      operand.type = operand.type == TW_F32 ? int32_t(TW_F64) : operand.type;
  return made;
}

void copyValues(const tw_tensor &from, const tw_tensor &to) {
  ASSERT_EQ(elements(from), elements(to));
  for (int64_t i = 0; i < elements(from); ++i)
    set(to, i, get(from, i));
}
/// A backward call's operands from a forward call that has run. The cotangent is left as it is.
void takeForward(TestCall &forward, TestCall &backward) {
  for (int i = 0; i < 3; ++i)
    copyValues(forward.input(i), backward.input(1 + i));
  copyValues(forward.output(0), backward.input(4));
  copyValues(forward.output(1), backward.input(5));
}

/// The largest difference, relative to the largest magnitude.
double relativeError(const tw_tensor &actual, const tw_tensor &exact) {
  double worst = 0, largest = 0;
  for (int64_t i = 0; i < elements(exact); ++i) {
    worst = std::fmax(worst, std::fabs(get(actual, i) - get(exact, i)));
    largest = std::fmax(largest, std::fabs(get(exact, i)));
  }
  return worst / largest;
}

size_t workspaceOf(const Case &made, int threads) {
  TestCall call(made, threads);
  return tw_find_kernel((made.kernel + "_host").c_str())->workspace_bytes(&call.call());
}

std::vector<Operand> randomOperands(int64_t row) {
  return {integers(TW_I64, {}, 77, 78), integers(TW_I64, {}, 5, 6), integers(TW_I64, {}, row, row + 1)};
}

} // namespace

// tools/benchmark-attention prints the same errors beside PyTorch's.
TEST(Attention, errorAgainstDoubleStaysSmall) {
  for (bool causal : {false, true}) {
    Sizes sizes = {1, 8, 512, 512, 64};
    std::vector<Attribute> attributes;
    if (causal)
      attributes.push_back(unit("causal"));
    Case forward = forwardCase(sizes, attributes), backward = backwardCase(sizes, attributes);
    TestCall single(forward, 2), exact(inDouble(forward), 1);
    TestCall singleBack(backward, 2), exactBack(inDouble(backward), 1);
    for (int i = 0; i < 3; ++i)
      copyValues(single.input(i), exact.input(i));
    copyValues(singleBack.input(0), exactBack.input(0));
    ASSERT_EQ(single.run("attention_f32_host"), "");
    ASSERT_EQ(exact.run(attention_reference), "");
    takeForward(single, singleBack);
    takeForward(exact, exactBack);
    ASSERT_EQ(singleBack.run("attention_backward_f32_host"), "");
    ASSERT_EQ(exactBack.run(attention_backward_reference), "");
    EXPECT_LT(relativeError(single.output(0), exact.output(0)), 1.5e-6);
    for (int i = 0; i < 3; ++i)
      EXPECT_LT(relativeError(singleBack.output(i), exactBack.output(i)), 1.5e-6) << "output " << i;
  }
}

TEST(Attention, workspaceIsLinearInQueriesAndKeys) {
  for (bool dBias : {false, true})
    for (bool back : {false, true}) {
      auto bytes = [&](int64_t s, int64_t t) {
        std::vector<Operand> extras = {floats({1, 1, 1, t})};
        Sizes sizes = {1, 2, s, t, 64};
        return double(workspaceOf(back ? backwardCase(sizes, {}, extras, dBias) : forwardCase(sizes, {}, extras), 2));
      };
      double base = bytes(512, 512), more = bytes(1024, 1024), most = bytes(2048, 2048);
      EXPECT_LE(most - more, 2.01 * (more - base));
      EXPECT_EQ(bytes(2048, 512), base) << "queries are taken tile by tile";
      EXPECT_LT(most, 2048 * 2048 * sizeof(float)) << "less than one s x t matrix, for two threads";
    }
}

TEST(Attention, biasGradientIsTheSameForAnyNumberOfThreads) {
  for (const Shape &shape : {Shape{1, 1, 1, 300}, Shape{1, 4, 210, 300}, Shape{2, 1, 210, 300}}) {
    Sizes sizes = {2, 4, 210, 300, 16};
    std::vector<Operand> extras = {floats(shape)};
    for (const Operand &operand : randomOperands(0))
      extras.push_back(operand);
    Case made = backwardCase(sizes, {unit("causal"), real("dropout", 0.2)}, extras, true);
    TestCall one(made, 1);
    ASSERT_EQ(one.run("attention_backward_f32_host"), "");
    for (int threads : {2, 3, 7}) {
      TestCall more(made, threads);
      ASSERT_EQ(more.run("attention_backward_f32_host"), "");
      for (int64_t i = 0; i < elements(one.output(3)); ++i)
        ASSERT_EQ(get(one.output(3), i), get(more.output(3), i)) << threads << " threads, element " << i;
    }
  }
}

TEST(Attention, fewHeadsStillUseAllThreads) {
  Case made = backwardCase({1, 1, 300, 300, 32}, {unit("causal")});
  EXPECT_EQ(compareWithReference(made, "host", {1, 2, 3, 5, 16}), "");
}

TEST(Attention, aPartOfTheBatchDropsWhatTheWholeDrops) {
  Sizes whole = {3, 2, 70, 61, 8}, part = {1, 2, 70, 61, 8};
  std::vector<Attribute> attributes = {real("dropout", 0.4), ints("id", {9})};
  TestCall all(forwardCase(whole, attributes, randomOperands(6)), 2);
  ASSERT_EQ(all.run("attention_f32_host"), "");
  for (int64_t sample = 0; sample < 3; ++sample) {
    TestCall one(forwardCase(part, attributes, randomOperands(6 + sample)), 1);
    for (int i = 0; i < 3; ++i)
      for (int64_t j = 0; j < elements(one.input(i)); ++j)
        set(one.input(i), j, get(all.input(i), sample * elements(one.input(i)) + j));
    ASSERT_EQ(one.run("attention_f32_host"), "");
    for (int64_t j = 0; j < elements(one.output(0)); ++j)
      ASSERT_EQ(get(one.output(0), j), get(all.output(0), sample * elements(one.output(0)) + j));
  }
}

TEST(Attention, dropoutKeepsTheMean) {
  Sizes sizes = {1, 2, 64, 512, 4};
  TestCall call(forwardCase(sizes, {real("dropout", 0.25)}, randomOperands(0)), 1);
  for (int64_t i = 0; i < elements(call.input(2)); ++i)
    set(call.input(2), i, 1);
  ASSERT_EQ(call.run("attention_f32_host"), "");
  double mean = 0, count = double(elements(call.output(0)));
  for (int64_t i = 0; i < elements(call.output(0)); ++i)
    mean += get(call.output(0), i) / count;
  EXPECT_NEAR(mean, 1, 0.03);
}

TEST(Attention, aRowThatSeesNothingGivesZeros) {
  Sizes sizes = {1, 1, 60, 20, 4};
  Operand mask = integers(TW_BOOL, {1, 1, 60, 20}, 1, 2);
  TestCall call(forwardCase(sizes, {}, {mask}), 1), back(backwardCase(sizes, {}, {mask}), 1);
  for (TestCall *made : {&call, &back})
    for (int64_t j = 0; j < 20; ++j)
      set(made->input(made == &call ? 3 : 6), 7 * 20 + j, 0);
  ASSERT_EQ(call.run("attention_f32_host"), "");
  takeForward(call, back);
  ASSERT_EQ(back.run("attention_backward_f32_host"), "");
  for (int64_t i = 0; i < 60 * 4; ++i) {
    EXPECT_EQ(get(call.output(0), i) == 0, i / 4 == 7) << i;
    EXPECT_EQ(get(back.output(0), i) == 0, i / 4 == 7) << i;
  }
  EXPECT_EQ(get(call.output(1), 7), -INFINITY);
  // With a window, queries beyond the keys see nothing either.
  TestCall windowed(forwardCase(sizes, {ints("window", {5})}), 1);
  ASSERT_EQ(windowed.run("attention_f32_host"), "");
  EXPECT_NE(get(windowed.output(0), 23 * 4), 0);
  EXPECT_EQ(get(windowed.output(0), 24 * 4), 0);
  EXPECT_EQ(get(windowed.output(1), 59), -INFINITY);
}

TEST(Attention, notANumberDoesNotVanish) {
  for (bool dropped : {false, true})
    for (int64_t bad : {0, 50}) {
      Sizes sizes = {1, 1, 60, 300, 4};
      std::vector<Attribute> attributes = {real("dropout", dropped ? 0.9 : 0)};
      std::vector<Operand> extras = dropped ? randomOperands(0) : std::vector<Operand>{};
      TestCall call(forwardCase(sizes, attributes, extras), 1), back(backwardCase(sizes, attributes, extras), 1);
      set(call.input(0), bad * 4 + 1, NAN);
      ASSERT_EQ(call.run("attention_f32_host"), "");
      takeForward(call, back);
      ASSERT_EQ(back.run("attention_backward_f32_host"), "");
      for (int64_t i = 0; i < 60 * 4; ++i) {
        EXPECT_EQ(std::isnan(get(call.output(0), i)), i / 4 == bad);
        EXPECT_EQ(std::isnan(get(back.output(0), i)), i / 4 == bad);
      }
      for (int64_t i = 0; i < 60; ++i)
        EXPECT_EQ(std::isnan(get(call.output(1), i)), i == bad);
      for (int64_t i = 0; i < 300 * 4; ++i) {
        EXPECT_TRUE(std::isnan(get(back.output(1), i)));
        EXPECT_TRUE(std::isnan(get(back.output(2), i)));
      }
    }
}

TEST(Attention, notANumberAmongHiddenScoresStaysHidden) {
  Sizes sizes = {1, 1, 4, 40, 4};
  TestCall call(forwardCase(sizes, {}, {integers(TW_BOOL, {1, 1, 1, 40}, 0, 1)}), 1);
  set(call.input(1), 0, NAN); // key 0's scores
  set(call.input(3), 5, 1);
  ASSERT_EQ(call.run("attention_f32_host"), "");
  for (int64_t i = 0; i < 4 * 4; ++i)
    EXPECT_EQ(get(call.output(0), i), get(call.input(2), 5 * 4 + i % 4));
}

static std::string errorOf(const Case &made, const char *kernel) {
  return TestCall(made, 1).run(std::string(kernel) + "_host");
}

TEST(AttentionErrors, operandsThatDoNotFit) {
  Sizes sizes = {1, 2, 6, 8, 4};
  auto forward = [&](std::vector<Attribute> attributes, std::vector<Operand> extras, const char *type = "f32") {
    return errorOf(forwardCase(sizes, std::move(attributes), extras), (std::string("attention_") + type).c_str());
  };
  EXPECT_EQ(forward({}, {}), "");
  EXPECT_EQ(forward({}, {}, "bf16"), "attention of bf16 got a query, key or value of f32");
  EXPECT_EQ(forward({ints("window", {-1})}, {}), "attention's window is -1, below 0");
  EXPECT_EQ(forward({}, {floats({1, 2, 6, 1})}), "dimension 3 of attention's bias has size 1, not 8");
  EXPECT_EQ(forward({}, {floats({1, 3, 6, 8})}), "dimension 1 of attention's bias has size 3, not 2 or 1");
  EXPECT_EQ(forward({}, {floats({6, 8})}), "attention's bias needs rank 4, not 2");
  EXPECT_EQ(forward({}, {integers(TW_I32, {1, 1, 6, 8}, 0, 2)}), "attention of f32 takes no bias of i32");
  EXPECT_EQ(forward({}, {floats({1, 1, 6, 8}), floats({})}),
            "attention takes 3 inputs, one more for a bias and three more for dropout, but the call has 5");
  EXPECT_EQ(forward({real("dropout", 0.5)}, {}),
            "attention's dropout of 0.5 does not fit: it is in [0, 1), and above 0 just when there are seed, step and "
            "row");
  EXPECT_NE(forward({}, randomOperands(0)).find("dropout of 0 does not fit"), std::string::npos);
  EXPECT_NE(forward({real("dropout", 1)}, randomOperands(0)).find("dropout of 1 does not fit"), std::string::npos);
  EXPECT_EQ(forward({real("dropout", 0.5)}, {floats({}), floats({}), floats({})}),
            "attention's seed, step and row are i64 scalars");
}

TEST(AttentionErrors, cotangentsThatDoNotFit) {
  Sizes sizes = {1, 2, 6, 8, 4};
  Operand bias = floats({1, 1, 6, 8}), mask = integers(TW_BOOL, {1, 1, 6, 8}, 0, 2);
  EXPECT_EQ(errorOf(backwardCase(sizes, {}, {bias}, true), "attention_backward_f32"), "");
  EXPECT_EQ(errorOf(backwardCase(sizes, {}, {mask}, true), "attention_backward_f32"),
            "attention_backward gives d_bias for a bias of floats alone");
  Case made = backwardCase(sizes, {}, {bias}, true);
  made.outputs[3].shape = {1, 2, 6, 8};
  EXPECT_EQ(errorOf(made, "attention_backward_f32"),
            "attention_backward's d_bias has another shape or type than the bias");
  made = backwardCase(sizes, {});
  made.outputs[1].shape = {1, 2, 7, 4};
  EXPECT_EQ(errorOf(made, "attention_backward_f32"),
            "attention's d_key has another shape or type, or another stride than 1 in its rows");
  made = backwardCase(sizes, {});
  made.inputs[5].type = TW_F64;
  EXPECT_EQ(errorOf(made, "attention_backward_f32"), "attention's logsumexp is not f32 of one number a query");
  made = forwardCase(sizes, {});
  made.outputs.pop_back();
  EXPECT_EQ(errorOf(made, "attention_f32"), "attention has 2 outputs, but the call has 1");
}

TEST(AttentionErrors, tooLittleWorkspace) {
  TestCall call(forwardCase({1, 1, 4, 4, 4}, {}), 1);
  ASSERT_EQ(call.run("attention_f32_host"), "");
  call.call().workspace_bytes = 8;
  EXPECT_NE(call.run("attention_f32_host").find("bytes of workspace, but has 8"), std::string::npos);
}
