#include "kernels/testing/Case.h"

namespace tw::kernels::testing {

struct ConvolutionSpec {
  Shape input, filter; // filter [m, c / groups, window...]
  std::vector<int64_t> strides, pads, dilations;
  int64_t groups = 1;
};

static void convolutionCases(std::vector<Case> &cases, const ConvolutionSpec &spec, bool benchmark = false) {
  size_t spatial = spec.strides.size();
  Shape result = {spec.input[0], spec.filter[0]};
  double window = 1, outputs = double(spec.input[0]);
  for (size_t i = 0; i < spatial; ++i) {
    int64_t reach = spec.dilations[i] * (spec.filter[2 + i] - 1) + 1;
    result.push_back((spec.input[2 + i] + spec.pads[i] + spec.pads[spatial + i] - reach) / spec.strides[i] + 1);
    window *= double(spec.filter[2 + i]);
    outputs *= double(result.back());
  }
  std::vector<Attribute> attributes = {ints("strides", spec.strides), ints("pads", spec.pads),
                                       ints("dilations", spec.dilations), ints("groups", {spec.groups})};
  auto add = [&](const char *kernel, Reference reference, std::vector<Operand> inputs, Shape output, double length) {
    Case made{kernel, reference, std::move(inputs), {floats(std::move(output))}, attributes};
    made.length = length;
    made.benchmark = benchmark;
    made.operations = 2 * outputs * double(spec.filter[0]) * double(spec.filter[1]) * window;
    addStored(cases, made);
  };
  Operand x = floats(spec.input), w = floats(spec.filter), dy = floats(result);
  add("convolution_f32", convolution_reference, {x, w}, result, window * double(spec.filter[1]));
  if (!benchmark)
    add("convolution_f32", convolution_reference, {x, w, floats({spec.filter[0]})}, result,
        window * double(spec.filter[1]));
  add("convolution_backward_input_f32", convolution_backward_input_reference, {dy, w}, spec.input,
      window * double(spec.filter[0]));
  add("convolution_backward_filter_f32", convolution_backward_filter_reference, {dy, x}, spec.filter, outputs);
}

void addConvolutionCases(std::vector<Case> &cases) {
  convolutionCases(cases, {{1, 1, 1}, {1, 1, 1}, {1}, {0, 0}, {1}});
  convolutionCases(cases, {{2, 3, 17}, {5, 3, 3}, {2}, {1, 1}, {1}});
  convolutionCases(cases, {{3, 3, 17, 17}, {16, 3, 7, 7}, {2, 2}, {3, 3, 3, 3}, {1, 1}});
  convolutionCases(cases, {{2, 16, 9, 11}, {24, 16, 3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}});
  convolutionCases(cases, {{2, 16, 9, 11}, {17, 16, 1, 1}, {2, 2}, {0, 0, 0, 0}, {1, 1}});
  convolutionCases(cases, {{1, 6, 9, 8}, {4, 3, 3, 2}, {1, 2}, {0, 1, 2, 0}, {2, 1}, 2});
  convolutionCases(cases, {{2, 8, 7, 7}, {8, 1, 3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}, 8});
  convolutionCases(cases, {{2, 3, 5, 6, 7}, {4, 3, 2, 3, 2}, {1, 2, 1}, {0, 1, 0, 1, 1, 0}, {1, 1, 2}});
  convolutionCases(cases, {{0, 3, 5, 5}, {4, 3, 3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}});
  // ResNet-18 at batch 8.
  convolutionCases(cases, {{8, 3, 224, 224}, {64, 3, 7, 7}, {2, 2}, {3, 3, 3, 3}, {1, 1}}, true);
  convolutionCases(cases, {{8, 64, 56, 56}, {64, 64, 3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}}, true);
  convolutionCases(cases, {{8, 64, 56, 56}, {128, 64, 3, 3}, {2, 2}, {1, 1, 1, 1}, {1, 1}}, true);
  convolutionCases(cases, {{8, 64, 56, 56}, {128, 64, 1, 1}, {2, 2}, {0, 0, 0, 0}, {1, 1}}, true);
  convolutionCases(cases, {{8, 128, 28, 28}, {128, 128, 3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}}, true);
  convolutionCases(cases, {{8, 256, 14, 14}, {256, 256, 3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}}, true);
  convolutionCases(cases, {{8, 512, 7, 7}, {512, 512, 3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}}, true);
}

} // namespace tw::kernels::testing
