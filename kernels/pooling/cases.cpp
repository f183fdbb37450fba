#include "kernels/testing/Case.h"

namespace tw::kernels::testing {

struct PoolSpec {
  std::vector<int64_t> window, strides, pads, dilations;
};

static void poolCases(std::vector<Case> &cases, Shape shape, const PoolSpec &spec, bool benchmark = false) {
  Shape pooled = {shape[0], shape[1]};
  size_t spatial = spec.window.size();
  double window = 1;
  for (size_t i = 0; i < spatial; ++i) {
    window *= double(spec.window[i]);
    pooled.push_back(
        (shape[2 + i] + spec.pads[i] + spec.pads[spatial + i] - spec.dilations[i] * (spec.window[i] - 1) - 1) /
            spec.strides[i] +
        1);
  }
  std::vector<Attribute> attributes = {ints("window", spec.window), ints("strides", spec.strides),
                                       ints("pads", spec.pads), ints("dilations", spec.dilations)};
  auto add = [&](const char *kernel, Reference reference, std::vector<Operand> inputs, Operand output) {
    Case made{kernel, reference, std::move(inputs), {std::move(output)}, attributes};
    made.length = window;
    made.benchmark = benchmark;
    addStored(cases, made);
  };
  add("max_pool_f32", max_pool_reference, {floats(shape)}, floats(pooled));
  add("max_pool_backward_f32", max_pool_backward_reference, {floats(pooled), floats(shape)}, floats(shape));
  // Whole numbers make ties.
  Operand ties = floats(shape, 0, 0);
  add("max_pool_backward_f32", max_pool_backward_reference, {floats(pooled), ties}, floats(shape));
  for (int padding = 0; padding < 2; ++padding) {
    add("average_pool_f32", average_pool_reference, {floats(shape)}, floats(pooled));
    add("average_pool_backward_f32", average_pool_backward_reference, {floats(pooled)}, floats(shape));
    attributes.push_back(unit("count_include_pad"));
  }
}

void addPoolingCases(std::vector<Case> &cases) {
  poolCases(cases, {1, 1, 1}, {{1}, {1}, {0, 0}, {1}});
  poolCases(cases, {2, 3, 17}, {{3}, {2}, {1, 1}, {1}});
  poolCases(cases, {2, 3, 9, 17}, {{3, 3}, {2, 2}, {1, 1, 1, 1}, {1, 1}});
  poolCases(cases, {1, 5, 8, 8}, {{2, 2}, {2, 2}, {0, 0, 0, 0}, {1, 1}});
  poolCases(cases, {1, 2, 7, 8}, {{3, 2}, {1, 3}, {1, 0, 2, 1}, {2, 3}});
  poolCases(cases, {2, 2, 5, 6, 7}, {{2, 3, 2}, {1, 2, 3}, {0, 1, 1, 1, 1, 0}, {1, 1, 2}});
  poolCases(cases, {2, 65, 7, 7}, {{7, 7}, {1, 1}, {0, 0, 0, 0}, {1, 1}});
  poolCases(cases, {8, 64, 112, 112}, {{3, 3}, {2, 2}, {1, 1, 1, 1}, {1, 1}}, true);
}

} // namespace tw::kernels::testing
