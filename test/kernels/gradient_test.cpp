// Backward references against central differences of the forward references, in double. Kernels are compared with the
// references elsewhere, so this closes the chain.
#include "kernels/testing/Case.h"

#include "kernels/support/Call.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace tw::kernels;
using namespace tw::kernels::testing;

namespace {

constexpr int kCotangent = -1; // of forward output 0
constexpr int kOutput = 100;   // kOutput + j: forward output j

/// `sources`: what each backward input is. `gradients`: which forward input each backward output belongs to.
struct Rule {
  Case forward, backward;
  std::vector<int> sources, gradients;
};

Case inDouble(Case testCase) {
  for (std::vector<Operand> *operands : {&testCase.inputs, &testCase.outputs})
    for (Operand &operand : *operands)
      if (operand.type == TW_F32)
        operand.type = TW_F64;
  return testCase;
}

void copyTensor(const tw_tensor &from, const tw_tensor &to) {
  ASSERT_EQ(elements(from), elements(to));
  for (int64_t i = 0; i < elements(from); ++i)
    set(to, i, get(from, i));
}

double objective(TestCall &forward, const Case &testCase, const tw_tensor &cotangent) {
  EXPECT_EQ(forward.run(testCase.reference), "");
  double sum = 0;
  for (int64_t i = 0; i < elements(cotangent); ++i)
    sum += get(cotangent, i) * get(forward.output(0), i);
  return sum;
}

void checkRule(Rule rule) {
  SCOPED_TRACE(rule.forward.label());
  rule.forward = inDouble(rule.forward);
  Case shaped{rule.backward.kernel, rule.backward.reference, {}, {}, rule.backward.attributes};
  for (int source : rule.sources)
    shaped.inputs.push_back(source == kCotangent ? rule.forward.outputs[0]
                            : source >= kOutput  ? rule.forward.outputs[source - kOutput]
                                                 : rule.forward.inputs[source]);
  for (int gradient : rule.gradients)
    shaped.outputs.push_back(rule.forward.inputs[gradient]);
  TestCall forward(rule.forward, 1), backward(shaped, 1, false, 2);
  ASSERT_EQ(forward.run(rule.forward.reference), "");
  const tw_tensor *cotangent = nullptr;
  for (size_t i = 0; i < rule.sources.size(); ++i) {
    int source = rule.sources[i];
    if (source == kCotangent)
      cotangent = &backward.input(int(i));
    else
      copyTensor(source >= kOutput ? forward.output(source - kOutput) : forward.input(source), backward.input(int(i)));
  }
  ASSERT_TRUE(cotangent);
  ASSERT_EQ(backward.run(shaped.reference), "");
  constexpr double step = 1e-5;
  for (size_t k = 0; k < rule.gradients.size(); ++k) {
    const tw_tensor &input = forward.input(rule.gradients[k]);
    for (int64_t i = 0; i < elements(input); ++i) {
      double value = get(input, i);
      set(input, i, value + step);
      double above = objective(forward, rule.forward, *cotangent);
      set(input, i, value - step);
      double below = objective(forward, rule.forward, *cotangent);
      set(input, i, value);
      EXPECT_NEAR(get(backward.output(int(k)), i), (above - below) / (2 * step), 2e-7)
          << "input " << k << " element " << i;
    }
  }
}

Case forwardCase(Reference reference, std::vector<Operand> inputs, std::vector<Operand> outputs,
                 std::vector<Attribute> attributes) {
  return {"forward", reference, std::move(inputs), std::move(outputs), std::move(attributes)};
}
Case backwardCase(Reference reference, std::vector<Attribute> attributes) {
  return {"backward", reference, {}, {}, std::move(attributes)};
}

} // namespace

TEST(Gradient, layerNorm) {
  std::vector<Attribute> attributes = {ints("axis", {1}), real("epsilon", 1e-3)};
  Operand x = floats({3, 7}), row = floats({7}), statistic = floats({3});
  checkRule({forwardCase(layer_norm_reference, {x, row, row}, {x, statistic, statistic}, attributes),
             backwardCase(layer_norm_backward_reference, attributes),
             {kCotangent, 0, 1, kOutput + 1, kOutput + 2},
             {0, 1, 2}});
}

TEST(Gradient, rmsNorm) {
  std::vector<Attribute> attributes = {ints("axis", {1}), real("epsilon", 1e-3)};
  Operand x = floats({3, 7}), row = floats({7}), statistic = floats({3});
  checkRule({forwardCase(rms_norm_reference, {x, row}, {x, statistic}, attributes),
             backwardCase(rms_norm_backward_reference, attributes),
             {kCotangent, 0, 1, kOutput + 1},
             {0, 1}});
}

TEST(Gradient, softmax) {
  Operand x = floats({3, 5, 2});
  for (int64_t axis : {0, 1, 2}) {
    std::vector<Attribute> attributes = {ints("axis", {axis})};
    checkRule({forwardCase(softmax_reference, {x}, {x}, attributes),
               backwardCase(softmax_backward_reference, attributes),
               {kCotangent, kOutput},
               {0}});
    checkRule({forwardCase(log_softmax_reference, {x}, {x}, attributes),
               backwardCase(log_softmax_backward_reference, attributes),
               {kCotangent, kOutput},
               {0}});
  }
}

TEST(Gradient, crossEntropy) {
  for (double smoothing : {0.0, 0.1}) {
    std::vector<Attribute> attributes = {ints("ignore_index", {2}), real("label_smoothing", smoothing)};
    checkRule({forwardCase(cross_entropy_reference, {floats({9, 5}), integers(TW_I64, {9}, 0, 5)},
                           {floats({}), floats({9})}, attributes),
               backwardCase(cross_entropy_backward_reference, attributes),
               {kCotangent, 0, 1, kOutput + 1},
               {0}});
  }
}

static void checkAttention(std::vector<Attribute> attributes, const Operand *bias, bool dropped) {
  attributes.push_back(real("scale", 0.6));
  Operand query = floats({2, 4, 5, 3}), key = floats({2, 2, 6, 3}), value = floats({2, 2, 6, 2});
  Case forward =
      forwardCase(attention_reference, {query, key, value}, {floats({2, 4, 5, 2}), floats({2, 4, 5})}, attributes);
  std::vector<int> sources = {kCotangent, 0, 1, 2, kOutput, kOutput + 1}, gradients = {0, 1, 2};
  if (bias) {
    forward.inputs.push_back(*bias);
    sources.push_back(3);
    if (bias->type == TW_F32)
      gradients.push_back(3);
  }
  for (int64_t lower : {int64_t(1) << 50, int64_t(3), int64_t(11)})
    if (dropped) {
      sources.push_back(int(forward.inputs.size()));
      forward.inputs.push_back(integers(TW_I64, {}, lower, lower + 1));
    }
  checkRule({forward, backwardCase(attention_backward_reference, attributes), sources, gradients});
}

TEST(Gradient, attention) {
  checkAttention({}, nullptr, false);
  checkAttention({unit("causal")}, nullptr, false);
  checkAttention({ints("window", {3})}, nullptr, false);
  checkAttention({real("dropout", 0.3), ints("id", {4})}, nullptr, true);
}

TEST(Gradient, attentionWithABias) {
  for (const Shape &shape : {Shape{1, 4, 1, 6}, Shape{2, 4, 5, 6}, Shape{1, 1, 5, 6}, Shape{2, 1, 1, 6}}) {
    Operand bias = floats(shape), mask = integers(TW_BOOL, shape, 0, 2);
    checkAttention({}, &bias, false);
    checkAttention({unit("causal"), ints("window", {3}), real("dropout", 0.3)}, &bias, true);
    checkAttention({real("dropout", 0.3)}, &mask, true);
  }
}

TEST(Gradient, pooling) {
  std::vector<Attribute> attributes = {ints("window", {3, 2}), ints("strides", {2, 1}), ints("pads", {1, 0, 1, 1}),
                                       ints("dilations", {1, 2})};
  Operand x = floats({1, 2, 5, 6}), y = floats({1, 2, 3, 5});
  checkRule({forwardCase(max_pool_reference, {x}, {y}, attributes),
             backwardCase(max_pool_backward_reference, attributes),
             {kCotangent, 0},
             {0}});
  for (int padding = 0; padding < 2; ++padding) {
    checkRule({forwardCase(average_pool_reference, {x}, {y}, attributes),
               backwardCase(average_pool_backward_reference, attributes),
               {kCotangent},
               {0}});
    attributes.push_back(unit("count_include_pad"));
  }
}

TEST(Gradient, convolution) {
  std::vector<Attribute> attributes = {ints("strides", {2, 1}), ints("pads", {1, 0, 0, 1}), ints("dilations", {1, 2}),
                                       ints("groups", {2})};
  Operand x = floats({2, 4, 5, 6}), w = floats({6, 2, 2, 3}), y = floats({2, 6, 3, 3});
  Case forward = forwardCase(convolution_reference, {x, w}, {y}, attributes);
  checkRule({forward, backwardCase(convolution_backward_input_reference, attributes), {kCotangent, 1}, {0}});
  checkRule({forward, backwardCase(convolution_backward_filter_reference, attributes), {kCotangent, 0}, {1}});
}

TEST(Gradient, gather) {
  std::vector<Attribute> attributes = {ints("axis", {1})};
  checkRule({forwardCase(gather_reference, {floats({2, 5, 3}), integers(TW_I64, {4}, -5, 5)}, {floats({2, 4, 3})},
                         attributes),
             backwardCase(scatter_add_reference, attributes),
             {kCotangent, 1},
             {0}});
}

// Batch normalisation by the batch's own statistics, put together from its parts as the compiler does.
static int batchNormTraining(const tw_call *call, char *message, size_t capacity) {
  const tw_tensor &input = call->inputs[0];
  int64_t channels = input.shape[1], count = elements(input) / channels, plane = extent(input, 2, input.rank);
  for (int64_t c = 0; c < channels; ++c) {
    double mean = 0;
    for (int64_t i = 0; i < elements(input); ++i)
      mean += i / plane % channels == c ? get(input, i) / double(count) : 0;
    set(call->outputs[1], c, mean);
  }
  tw_tensor squareInputs[] = {input, call->outputs[1]};
  tw_call square = *call;
  square.inputs = squareInputs;
  square.outputs = &call->outputs[2];
  centered_square_sum_reference(&square, message, capacity);
  for (int64_t c = 0; c < channels; ++c)
    set(call->outputs[2], c, get(call->outputs[2], c) / double(count));
  tw_tensor inputs[] = {input, call->inputs[1], call->inputs[2], call->outputs[1], call->outputs[2]};
  tw_call apply = *call;
  apply.inputs = inputs;
  return batch_norm_reference(&apply, message, capacity);
}

static int batchNormBackward(const tw_call *call, char *message, size_t capacity) {
  // inputs: cotangent, input, scale, mean, variance; outputs: d_input, d_scale, d_bias
  tw_tensor reduceInputs[] = {call->inputs[0], call->inputs[1], call->inputs[3], call->inputs[4]};
  tw_call reduce = *call;
  reduce.inputs = reduceInputs;
  reduce.outputs = &call->outputs[1];
  batch_norm_backward_reduce_reference(&reduce, message, capacity);
  tw_tensor applyInputs[] = {call->inputs[0], call->inputs[1],  call->inputs[2], call->inputs[3],
                             call->inputs[4], call->outputs[1], call->outputs[2]};
  tw_call apply = *call;
  apply.inputs = applyInputs;
  return batch_norm_backward_apply_reference(&apply, message, capacity);
}

TEST(Gradient, batchNorm) {
  std::vector<Attribute> attributes = {real("epsilon", 1e-3), ints("count", {24})};
  Operand x = floats({2, 3, 4, 3}), channel = floats({3});
  checkRule({forwardCase(batchNormTraining, {x, channel, channel}, {x, channel, channel}, attributes),
             backwardCase(batchNormBackward, attributes),
             {kCotangent, 0, 1, kOutput + 1, kOutput + 2},
             {0, 1, 2}});
}
