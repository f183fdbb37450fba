#include "kernels/testing/Case.h"

#include <algorithm>

namespace tw::kernels::testing {

static void reduceCase(std::vector<Case> &cases, Shape shape, std::vector<int64_t> dimensions, bool benchmark = false) {
  Shape result;
  double length = 1, count = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    count *= double(shape[i]);
    if (std::find(dimensions.begin(), dimensions.end(), int64_t(i)) == dimensions.end())
      result.push_back(shape[i]);
    else
      length *= double(shape[i]);
  }
  const std::pair<const char *, int32_t> types[] = {
      {"reduce_f32", TW_F32}, {"reduce_f64", TW_F64}, {"reduce_i32", TW_I32}, {"reduce_i64", TW_I64}};
  for (auto &[kernel, type] : types)
    for (const char *kind : {"sum", "max", "min", "prod"}) {
      bool integer = type == TW_I32 || type == TW_I64, product = kind[0] == 'p';
      if ((count == 0 && integer && kind[0] == 'm') || (benchmark && (type != TW_F32 || kind[0] != 's')))
        continue; // integers have no infinity to start an empty maximum with
      Operand input = integers(type, shape, product ? -1 : -50, product ? 2 : 50);
      input.mean = product ? 1 : 0;
      input.deviation = product ? 0.01 : 1;
      Operand output = input;
      output.shape = result;
      Case made{kernel, reduce_reference, {input}, {output}, {text("kind", kind), ints("dimensions", dimensions)}};
      made.length = product ? length * length : length;
      made.benchmark = benchmark;
      made.operations = count;
      cases.push_back(made);
      if (type == TW_F32) {
        addHalves(cases, made);
        addHalves(cases, made, {}, {0}); // half elements, f32 results
      }
    }
}

void addReductionCases(std::vector<Case> &cases) {
  reduceCase(cases, {}, {});
  reduceCase(cases, {1}, {0});
  reduceCase(cases, {17}, {0});
  reduceCase(cases, {65, 3}, {0});
  reduceCase(cases, {3, 65}, {1});
  reduceCase(cases, {65, 3}, {});
  reduceCase(cases, {300, 129}, {0});
  reduceCase(cases, {5, 17, 65}, {0, 2});
  reduceCase(cases, {5, 17, 3}, {1});
  reduceCase(cases, {5, 1, 17, 3}, {0, 1, 3});
  reduceCase(cases, {3, 5, 7, 9}, {0, 2});
  reduceCase(cases, {2, 40000}, {1});
  reduceCase(cases, {20000, 10}, {0});
  reduceCase(cases, {100003}, {0});
  reduceCase(cases, {0, 5}, {0});
  reduceCase(cases, {5, 0}, {0});
  reduceCase(cases, {2048, 1536}, {0}, true);
  reduceCase(cases, {2048, 1536}, {1}, true);
  reduceCase(cases, {4194304}, {0}, true);
  reduceCase(cases, {8, 64, 56, 56}, {0, 2, 3}, true);
}

} // namespace tw::kernels::testing
