#include "kernels/testing/Case.h"

namespace tw::kernels::testing {

static void softmaxCases(std::vector<Case> &cases, Shape shape, int64_t axis, bool benchmark = false) {
  Operand x = floats(shape, 0, 3), cotangent = floats(shape), logarithms = floats(shape, -3, 0.5);
  Operand probabilities = floats(shape, 1.0 / double(shape[axis] + 1), 0.1 / double(shape[axis] + 1));
  std::vector<Attribute> attributes = {ints("axis", {axis})};
  auto add = [&](const char *kernel, Reference reference, std::vector<Operand> inputs, int inPlaceInput) {
    Case made{kernel, reference, std::move(inputs), {x}, attributes};
    made.length = double(shape[axis]);
    made.inPlaceInput = inPlaceInput;
    made.benchmark = benchmark;
    addStored(cases, made);
  };
  add("softmax_f32", softmax_reference, {x}, 0);
  add("log_softmax_f32", log_softmax_reference, {x}, 0);
  add("softmax_backward_f32", softmax_backward_reference, {cotangent, probabilities}, 0);
  add("softmax_backward_f32", softmax_backward_reference, {cotangent, probabilities}, 1);
  add("log_softmax_backward_f32", log_softmax_backward_reference, {cotangent, logarithms}, 0);
  add("log_softmax_backward_f32", log_softmax_backward_reference, {cotangent, logarithms}, 1);
}

void addSoftmaxCases(std::vector<Case> &cases) {
  softmaxCases(cases, {1}, 0);
  softmaxCases(cases, {3, 17}, 1);
  softmaxCases(cases, {65, 65}, 1);
  softmaxCases(cases, {65, 3}, 0);
  softmaxCases(cases, {3, 17, 65}, 1);
  softmaxCases(cases, {200, 300}, 1);
  softmaxCases(cases, {17, 1}, 1);
  softmaxCases(cases, {0, 5}, 1);
  softmaxCases(cases, {2048, 1024}, 1, true);
  softmaxCases(cases, {8, 1024, 256}, 1, true);
}

} // namespace tw::kernels::testing
