#include "kernels/testing/Case.h"

namespace tw::kernels::testing {

static void batchNormCases(std::vector<Case> &cases, Shape shape, bool benchmark = false) {
  Operand x = floats(shape, 0.5, 2), channel = floats({shape[1]}), variance = positive({shape[1]});
  int64_t count = 1;
  for (size_t i = 0; i < shape.size(); ++i)
    count *= i == 1 ? 1 : shape[i];
  Attribute epsilon = real("epsilon", 1e-5);
  auto add = [&](const char *kernel, Reference reference, std::vector<Operand> inputs, std::vector<Operand> outputs,
                 std::vector<Attribute> attributes, double length, int inPlaceInput, std::vector<int> wideInputs,
                 std::vector<int> wideOutputs) {
    Case made{kernel, reference, std::move(inputs), std::move(outputs), std::move(attributes)};
    made.length = length;
    made.inPlaceInput = inPlaceInput;
    made.benchmark = benchmark;
    addStored(cases, made, wideInputs, wideOutputs);
  };
  add("centered_square_sum_f32", centered_square_sum_reference, {x, channel}, {channel}, {}, double(count), -1, {1},
      {0});
  add("batch_norm_f32", batch_norm_reference, {x, channel, channel, channel, variance}, {x}, {epsilon}, 4, 0,
      {1, 2, 3, 4}, {});
  add("batch_norm_backward_reduce_f32", batch_norm_backward_reduce_reference, {floats(shape), x, channel, variance},
      {channel, channel}, {epsilon}, double(count), -1, {2, 3}, {0, 1});
  add("batch_norm_backward_apply_f32", batch_norm_backward_apply_reference,
      {floats(shape), x, channel, channel, variance, channel, channel}, {x}, {epsilon, ints("count", {count + 1})}, 8,
      0, {2, 3, 4, 5, 6}, {});
}

void addBatchNormCases(std::vector<Case> &cases) {
  batchNormCases(cases, {1, 1});
  batchNormCases(cases, {17, 65});
  batchNormCases(cases, {3, 17, 5});
  batchNormCases(cases, {5, 3, 7, 9});
  batchNormCases(cases, {2, 3, 4, 5, 6});
  batchNormCases(cases, {2, 65, 17, 17});
  batchNormCases(cases, {300, 9});
  batchNormCases(cases, {8, 64, 112, 112}, true);
}

} // namespace tw::kernels::testing
