#include "kernels/testing/Case.h"

namespace tw::kernels::testing {

static void normCases(std::vector<Case> &cases, Shape rows, Shape row, bool benchmark = false) {
  Shape whole = rows;
  whole.insert(whole.end(), row.begin(), row.end());
  double length = 1, count = 1;
  for (int64_t size : row)
    length *= double(size);
  for (int64_t size : rows)
    count *= double(size);
  std::vector<Attribute> backward = {ints("axis", {int64_t(rows.size())})}, forward = backward;
  forward.push_back(real("epsilon", 1e-5));
  Operand x = floats(whole, 0.5, 2), scale = floats(row, 1, 0.5), statistic = positive(rows);
  Case layer{"layer_norm_f32", layer_norm_reference, {x, scale, floats(row)}, {x, statistic, statistic}, forward};
  layer.length = length;
  layer.inPlaceInput = 0;
  layer.benchmark = benchmark;
  addStored(cases, layer, {1, 2}, {1, 2});
  if (!benchmark) {
    layer.inputs.pop_back(); // without bias
    addStored(cases, layer, {1}, {1, 2});
  }
  Case rms = layer;
  rms.kernel = "rms_norm_f32";
  rms.reference = rms_norm_reference;
  rms.inputs = {x, scale};
  rms.outputs = {x, statistic};
  addStored(cases, rms, {1}, {1});
  Case layerBackward{"layer_norm_backward_f32",
                     layer_norm_backward_reference,
                     {floats(whole), x, scale, floats(rows), statistic},
                     {x, scale, scale},
                     backward};
  layerBackward.length = length + count;
  layerBackward.inPlaceInput = 0;
  layerBackward.benchmark = benchmark;
  addStored(cases, layerBackward, {2, 3, 4}, {1, 2});
  Case rmsBackward = layerBackward;
  rmsBackward.kernel = "rms_norm_backward_f32";
  rmsBackward.reference = rms_norm_backward_reference;
  rmsBackward.inputs = {floats(whole), x, scale, statistic};
  rmsBackward.outputs = {x, scale};
  addStored(cases, rmsBackward, {2, 3}, {1});
}

void addNormalizationCases(std::vector<Case> &cases) {
  normCases(cases, {1}, {3});
  normCases(cases, {17}, {65});
  normCases(cases, {3, 5}, {17});
  normCases(cases, {65}, {3, 17});
  normCases(cases, {0}, {17});
  normCases(cases, {130}, {384});
  normCases(cases, {2048}, {384}, true);
  normCases(cases, {1024}, {768}, true);
}

} // namespace tw::kernels::testing
