#include "kernels/testing/Case.h"

#include <cmath>

namespace tw::kernels::testing {

static void crossEntropyCases(std::vector<Case> &cases, int64_t rows, int64_t classes, double smoothing,
                              int64_t ignored, bool benchmark = false) {
  for (auto [suffix, type] : {std::pair<const char *, int32_t>{"_i32", TW_I32}, {"_i64", TW_I64}}) {
    std::vector<Attribute> attributes = {ints("ignore_index", {ignored}), real("label_smoothing", smoothing)};
    Operand logits = floats({rows, classes}, 0, 2), labels = integers(type, {rows}, 0, classes);
    Operand total = floats({rows}, std::log(double(classes)) + 2, 0.1);
    Case forward{std::string("cross_entropy_f32") + suffix,
                 cross_entropy_reference,
                 {logits, labels},
                 {floats({}), total},
                 attributes};
    forward.length = double(classes + rows);
    forward.scale = 4;
    forward.benchmark = benchmark;
    addStored(cases, forward, {}, {0, 1});
    Case backward{std::string("cross_entropy_backward_f32") + suffix,
                  cross_entropy_backward_reference,
                  {floats({}, 1, 0.1), logits, labels, total},
                  {logits},
                  attributes};
    // An exponential's relative error is the absolute error of its argument.
    backward.length = 64;
    backward.inPlaceInput = 1;
    backward.benchmark = benchmark;
    addStored(cases, backward, {0, 3});
  }
}

void addLossCases(std::vector<Case> &cases) {
  crossEntropyCases(cases, 1, 3, 0, -100);
  crossEntropyCases(cases, 17, 65, 0, 3);
  crossEntropyCases(cases, 65, 17, 0.1, 5);
  crossEntropyCases(cases, 3, 1, 0.2, -1);
  crossEntropyCases(cases, 0, 5, 0, -1);
  crossEntropyCases(cases, 130, 500, 0.1, -100);
  crossEntropyCases(cases, 512, 50257, 0, -100, true);
}

} // namespace tw::kernels::testing
