#include "kernels/abi/types.h"
#include "kernels/testing/Case.h"

#include <cmath>

namespace tw::kernels::testing {

namespace {

struct AttentionSpec {
  int64_t batch, heads, groups, queries, keys, width, valueWidth;
  bool causal = false;
  int64_t window = 0;
  Shape bias = {};           // empty: none
  int32_t biasType = TW_F32; // TW_BOOL: a mask
  bool dBias = false;
  double dropout = 0;
  bool split = false; // memory is [b, s, h, d], as a projection leaves it
  int32_t type = TW_F32;
};

Operand stored(Operand operand, int32_t type) {
  operand.type = type;
  return operand;
}

/// What both ops have: operands that follow the plain ones, and attributes.
std::vector<Operand> extrasOf(const AttentionSpec &s) {
  std::vector<Operand> extras;
  if (!s.bias.empty())
    extras.push_back(s.biasType == TW_BOOL ? integers(TW_BOOL, s.bias, 0, 2) : stored(floats(s.bias), s.biasType));
  if (s.dropout > 0) {
    extras.push_back(integers(TW_I64, {}, 0, int64_t(1) << 52));
    extras.push_back(integers(TW_I64, {}, 0, int64_t(1) << 40));
    extras.push_back(integers(TW_I64, {}, 5, 6));
  }
  return extras;
}
std::vector<Attribute> attributesOf(const AttentionSpec &s) {
  std::vector<Attribute> attributes = {real("scale", 1 / std::sqrt(double(s.width))), ints("window", {s.window}),
                                       real("dropout", s.dropout), ints("id", {7})};
  if (s.causal)
    attributes.push_back(unit("causal"));
  return attributes;
}

void attentionCases(std::vector<Case> &cases, const AttentionSpec &s, bool benchmark = false) {
  auto tensor = [&](int64_t heads, int64_t rows, int64_t width) {
    Operand operand = stored(floats({s.batch, heads, rows, width}), s.type);
    return s.split ? permuted(operand, {0, 2, 1, 3}) : operand;
  };
  Operand query = tensor(s.heads, s.queries, s.width), key = tensor(s.groups, s.keys, s.width);
  Operand value = tensor(s.groups, s.keys, s.valueWidth), result = tensor(s.heads, s.queries, s.valueWidth);
  // Near what a forward pass leaves, so that exponentials stay near 1.
  int64_t seen = s.window > 0 && s.window < s.keys ? s.window : s.keys;
  Operand logsumexp = floats({s.batch, s.heads, s.queries}, std::log(double(seen + 1)) + 1, 0.3);
  std::string type = std::string("_") + tw_type_name(s.type);
  double products = double(s.batch * s.heads * s.queries * s.keys) * (s.causal ? 0.5 : 1);
  Case forward{"attention" + type,
               attention_reference,
               {query, key, value},
               {result, floats({s.batch, s.heads, s.queries})},
               attributesOf(s)};
  forward.length = double(s.keys + s.width);
  forward.benchmark = benchmark;
  forward.operations = 2 * products * double(s.width + s.valueWidth);
  Case backward{"attention_backward" + type,
                attention_backward_reference,
                {result, query, key, value, result, logsumexp},
                {query, key, value},
                attributesOf(s)};
  backward.length = double(s.keys + s.queries * (s.heads / s.groups) + s.width);
  backward.benchmark = benchmark;
  backward.operations = 2 * products * double(3 * s.width + 2 * s.valueWidth);
  if (s.dBias) {
    backward.outputs.push_back(stored(floats(s.bias), s.biasType));
    backward.length = double(s.batch * s.heads * s.queries + s.keys + s.width);
  }
  for (const Operand &extra : extrasOf(s)) {
    forward.inputs.push_back(extra);
    backward.inputs.push_back(extra);
  }
  cases.push_back(forward);
  cases.push_back(backward);
}

using Feature = void (*)(AttentionSpec &);

/// Each feature alone and each pair of them. A feature that a later one contradicts gives way to it.
void addPairs(std::vector<Case> &cases) {
  const Feature features[] = {
      [](AttentionSpec &s) { s.causal = true; },
      [](AttentionSpec &s) { s.window = 37; },
      [](AttentionSpec &s) { s.keys = 51; },
      [](AttentionSpec &s) { s.queries = 50; },
      [](AttentionSpec &s) { s.groups = 1; },
      [](AttentionSpec &s) { s.width = 37, s.valueWidth = 5; },
      [](AttentionSpec &s) { s.split = true; },
      [](AttentionSpec &s) { s.dropout = 0.3; },
      [](AttentionSpec &s) { s.type = TW_F16; },
      [](AttentionSpec &s) { s.type = TW_BF16; },
      [](AttentionSpec &s) { s.bias = {1, s.heads, s.queries, s.keys}; },
      [](AttentionSpec &s) { s.bias = {s.batch, 1, 1, s.keys}, s.dBias = true; },
      [](AttentionSpec &s) { s.bias = {1, 1, s.queries, s.keys}, s.biasType = s.type, s.dBias = true; },
      [](AttentionSpec &s) { s.bias = {s.batch, s.heads, s.queries, s.keys}, s.dBias = true; },
      [](AttentionSpec &s) { s.bias = {s.batch, 1, s.queries, s.keys}, s.biasType = TW_BOOL, s.dBias = false; },
      [](AttentionSpec &s) { s.bias = {1, s.heads, 1, s.keys}, s.biasType = TW_BOOL, s.dBias = false; },
  };
  for (const Feature &first : features)
    for (const Feature *second = &first; second != std::end(features); ++second) {
      AttentionSpec spec = {2, 2, 2, 177, 177, 8, 8};
      first(spec);
      (*second)(spec);
      attentionCases(cases, spec);
    }
}

} // namespace

void addAttentionCases(std::vector<Case> &cases) {
  for (bool causal : {false, true}) {
    auto add = [&](AttentionSpec spec) {
      spec.causal = causal;
      attentionCases(cases, spec);
      return spec;
    };
    add({1, 1, 1, 1, 1, 1, 1});
    add({2, 3, 3, 17, 17, 5, 5});
    add({2, 2, 1, 130, 130, 17, 3});
    add({1, 1, 1, 131, 50, 8, 8});
    add({1, 2, 2, 3, 0, 4, 4});
    add({1, 1, 1, 60, 70, 129, 37});
    add({1, 2, 1, 49, 140, 256, 256});
    add({1, 1, 1, 20, 33, 300, 523});
    AttentionSpec everything = {2, 4, 2, 65, 200, 16, 24};
    everything.split = true;
    everything.window = 50;
    everything.dropout = 0.1;
    everything.bias = {1, 4, 65, 200};
    everything.dBias = true;
    for (int32_t type : {TW_F32, TW_F16, TW_BF16}) {
      everything.type = type;
      add(everything);
    }
    // Windows of 1 and around the sizes of tiles, over several tiles of both sides.
    for (int64_t window : {1, 5, 48, 128, 129, 200}) {
      AttentionSpec spec = {1, 1, 1, 300, 290, 8, 8};
      spec.window = window;
      add(spec);
    }
  }
  addPairs(cases);
  AttentionSpec large = {8, 6, 6, 256, 256, 64, 64, true}, short_ = {4, 12, 12, 64, 64, 64, 64, true};
  large.split = short_.split = true;
  attentionCases(cases, large, true);
  attentionCases(cases, short_, true);
  AttentionSpec wide = {1, 8, 8, 2048, 2048, 64, 64}, dropped = wide, windowed = wide, half = wide, biased = wide;
  attentionCases(cases, wide, true);
  dropped.dropout = 0.1;
  attentionCases(cases, dropped, true);
  windowed.window = 256;
  windowed.causal = true;
  attentionCases(cases, windowed, true);
  half.type = TW_BF16;
  attentionCases(cases, half, true);
  biased.bias = {1, 8, 2048, 2048};
  biased.dBias = true;
  attentionCases(cases, biased, true);
}

} // namespace tw::kernels::testing
