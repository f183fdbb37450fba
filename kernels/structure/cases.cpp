#include "kernels/testing/Case.h"

namespace tw::kernels::testing {

static const struct {
  const char *suffix;
  int32_t type;
} kMoved[] = {{"_b1", TW_U8}, {"_b2", TW_I16}, {"_b4", TW_F32}, {"_b8", TW_I64}};

static void transposeCase(std::vector<Case> &cases, Shape shape, std::vector<int64_t> permutation, bool benchmark) {
  for (auto &moved : kMoved) {
    Shape result;
    for (int64_t dimension : permutation)
      result.push_back(shape[dimension]);
    Case made{std::string("transpose") + moved.suffix,
              transpose_reference,
              {integers(moved.type, shape, 0, 100)},
              {integers(moved.type, result, 0, 100)},
              {ints("permutation", permutation)}};
    made.benchmark = benchmark;
    cases.push_back(made);
  }
}

static void broadcastCase(std::vector<Case> &cases, Shape shape, std::vector<int64_t> dimensions, Shape result) {
  for (auto &moved : kMoved)
    cases.push_back({std::string("broadcast") + moved.suffix,
                     broadcast_reference,
                     {integers(moved.type, shape, 0, 100)},
                     {integers(moved.type, result, 0, 100)},
                     {ints("dimensions", dimensions)}});
}

static void sliceCase(std::vector<Case> &cases, Shape shape, std::vector<int64_t> starts, std::vector<int64_t> strides,
                      Shape result) {
  for (auto &moved : kMoved)
    cases.push_back({std::string("slice") + moved.suffix,
                     slice_reference,
                     {integers(moved.type, shape, 0, 100)},
                     {integers(moved.type, result, 0, 100)},
                     {ints("starts", starts), ints("strides", strides)}});
}

static void concatCase(std::vector<Case> &cases, std::vector<Shape> shapes, int64_t axis) {
  for (auto &moved : kMoved) {
    Case made{std::string("concat") + moved.suffix, concat_reference, {}, {}, {ints("axis", {axis})}};
    Shape result = shapes[0];
    result[axis] = 0;
    for (const Shape &shape : shapes) {
      made.inputs.push_back(integers(moved.type, shape, 0, 100));
      result[axis] += shape[axis];
    }
    made.outputs = {integers(moved.type, result, 0, 100)};
    cases.push_back(made);
  }
}

static void padCase(std::vector<Case> &cases, Shape shape, std::vector<int64_t> low, std::vector<int64_t> high,
                    std::vector<int64_t> interior) {
  Shape result;
  for (size_t i = 0; i < shape.size(); ++i)
    result.push_back(low[i] + high[i] + (shape[i] ? (shape[i] - 1) * (interior[i] + 1) + 1 : 0));
  const std::pair<const char *, int32_t> types[] = {{"pad_f32", TW_F32},   {"pad_f64", TW_F64}, {"pad_f16", TW_F16},
                                                    {"pad_bf16", TW_BF16}, {"pad_i32", TW_I32}, {"pad_i64", TW_I64}};
  for (auto &[kernel, type] : types)
    cases.push_back({kernel,
                     pad_reference,
                     {integers(type, shape, 0, 100)},
                     {integers(type, result, 0, 100)},
                     {ints("low", low), ints("high", high), ints("interior", interior), real("value", 7)}});
}

void addStructureCases(std::vector<Case> &cases) {
  transposeCase(cases, {3, 17}, {1, 0}, false);
  transposeCase(cases, {65, 129}, {1, 0}, false);
  transposeCase(cases, {1, 65, 3}, {2, 0, 1}, false);
  transposeCase(cases, {2, 65, 3, 17}, {0, 2, 1, 3}, false);
  transposeCase(cases, {2, 3, 33, 40}, {0, 3, 1, 2}, false);
  transposeCase(cases, {2, 3, 33, 40}, {3, 2, 1, 0}, false);
  transposeCase(cases, {3, 0, 5}, {2, 1, 0}, false);
  transposeCase(cases, {3, 5}, {0, 1}, false);
  transposeCase(cases, {1024, 1024}, {1, 0}, true);
  transposeCase(cases, {8, 256, 6, 64}, {0, 2, 1, 3}, true);
  broadcastCase(cases, {}, {}, {3, 65});
  broadcastCase(cases, {17}, {1}, {3, 17});
  broadcastCase(cases, {17}, {0}, {17, 65});
  broadcastCase(cases, {3, 1, 5}, {0, 1, 3}, {3, 17, 2, 5});
  broadcastCase(cases, {5}, {1}, {0, 5});
  broadcastCase(cases, {}, {}, {300000});
  sliceCase(cases, {17}, {16}, {-1}, {17});
  sliceCase(cases, {65, 17}, {3, 2}, {2, 1}, {31, 15});
  sliceCase(cases, {5, 65, 3}, {4, 1, 0}, {-2, 3, 1}, {3, 20, 3});
  sliceCase(cases, {5, 65}, {0, 60}, {1, 1}, {5, 0});
  sliceCase(cases, {3, 7, 65}, {0, 6, 0}, {1, -1, 1}, {3, 7, 65});
  concatCase(cases, {{3, 5}, {17, 5}, {0, 5}, {1, 5}}, 0);
  concatCase(cases, {{3, 5, 2}, {3, 17, 2}}, 1);
  concatCase(cases, {{65, 1}, {65, 64}, {65, 3}}, 1);
  padCase(cases, {3, 17}, {1, 2}, {0, 3}, {0, 0});
  padCase(cases, {3, 1, 5}, {0, 2, 1}, {4, 0, 0}, {2, 0, 1});
  padCase(cases, {3, 0}, {1, 2}, {1, 2}, {0, 0});
}

} // namespace tw::kernels::testing
