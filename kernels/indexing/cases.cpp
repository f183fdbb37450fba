#include "kernels/testing/Case.h"

namespace tw::kernels::testing {

static void indexCases(std::vector<Case> &cases, Shape shape, Shape indices, int64_t axis, bool benchmark = false) {
  Shape picked(shape.begin(), shape.begin() + axis);
  picked.insert(picked.end(), indices.begin(), indices.end());
  picked.insert(picked.end(), shape.begin() + axis + 1, shape.end());
  std::vector<Attribute> attributes = {ints("axis", {axis})};
  const std::pair<const char *, int32_t> types[] = {{"f32", TW_F32},   {"f64", TW_F64}, {"f16", TW_F16},
                                                    {"bf16", TW_BF16}, {"i32", TW_I32}, {"i64", TW_I64}};
  for (auto [suffix, type] : {std::pair<const char *, int32_t>{"_i32", TW_I32}, {"_i64", TW_I64}}) {
    Operand where = integers(type, indices, -shape[axis], shape[axis]);
    for (auto &[name, element] : types) {
      Case gather{std::string("gather_") + name + suffix,
                  gather_reference,
                  {integers(element, shape, 0, 1000), where},
                  {integers(element, picked, 0, 1000)},
                  attributes};
      gather.benchmark = benchmark;
      cases.push_back(gather);
    }
    Case scatter{std::string("scatter_add_f32") + suffix,
                 scatter_add_reference,
                 {floats(picked), where},
                 {floats(shape)},
                 attributes};
    scatter.length = 16;
    scatter.benchmark = benchmark;
    addStored(cases, scatter);
    addHalves(cases, scatter, {}, {0}); // half updates, f32 sums
  }
}

void addIndexingCases(std::vector<Case> &cases) {
  indexCases(cases, {17}, {}, 0);
  indexCases(cases, {65, 3}, {17}, 0);
  indexCases(cases, {65, 200}, {3, 70}, 0);
  indexCases(cases, {3, 17, 5}, {65}, 1);
  indexCases(cases, {3, 17}, {2, 3}, 1);
  indexCases(cases, {1, 1000, 3}, {900, 9}, 1);
  indexCases(cases, {5, 17}, {0}, 0);
  indexCases(cases, {50257, 768}, {1024}, 0, true);
}

} // namespace tw::kernels::testing
