#include "kernels/testing/Case.h"

#include <cmath>

namespace tw::kernels::testing {

struct AttentionSpec {
  int64_t batch, heads, groups, queries, keys, width, valueWidth;
  bool causal;
  Shape bias;         // empty: none
  bool split = false; // memory is [b, s, h, d], as a projection leaves it
};

static void attentionCases(std::vector<Case> &cases, const AttentionSpec &s, bool benchmark = false) {
  auto tensor = [&](int64_t heads, int64_t rows, int64_t width) {
    Operand operand = floats({s.batch, heads, rows, width});
    return s.split ? permuted(operand, {0, 2, 1, 3}) : operand;
  };
  Operand query = tensor(s.heads, s.queries, s.width), key = tensor(s.groups, s.keys, s.width);
  Operand value = tensor(s.groups, s.keys, s.valueWidth), result = tensor(s.heads, s.queries, s.valueWidth);
  // Near what a forward pass leaves, so that exponentials stay near 1.
  Operand logsumexp = floats({s.batch, s.heads, s.queries}, std::log(double(s.keys + 1)) + 1, 0.3);
  std::vector<Attribute> attributes = {real("scale", 1 / std::sqrt(double(s.width)))};
  if (s.causal)
    attributes.push_back(unit("causal"));
  double products = double(s.batch * s.heads * s.queries * s.keys) * (s.causal ? 0.5 : 1);
  Case forward{"attention_f32",
               attention_reference,
               {query, key, value},
               {result, floats({s.batch, s.heads, s.queries})},
               attributes};
  forward.length = double(s.keys + s.width);
  forward.benchmark = benchmark;
  forward.operations = 2 * products * double(s.width + s.valueWidth);
  Case backward{"attention_backward_f32",
                attention_backward_reference,
                {result, query, key, value, result, logsumexp},
                {query, key, value},
                attributes};
  backward.length = double(s.keys + s.queries + s.width);
  backward.benchmark = benchmark;
  backward.operations = 2 * products * double(3 * s.width + 2 * s.valueWidth);
  if (!s.bias.empty()) {
    forward.inputs.push_back(floats(s.bias));
    backward.inputs.push_back(floats(s.bias));
  }
  cases.push_back(forward);
  cases.push_back(backward);
}

void addAttentionCases(std::vector<Case> &cases) {
  for (bool causal : {false, true}) {
    attentionCases(cases, {1, 1, 1, 1, 1, 1, 1, causal, {}});
    attentionCases(cases, {2, 3, 3, 17, 17, 5, 5, causal, {}});
    attentionCases(cases, {1, 4, 2, 65, 65, 16, 24, causal, {}, true});
    attentionCases(cases, {2, 2, 1, 130, 130, 17, 3, causal, {}});
    attentionCases(cases, {1, 2, 2, 50, 131, 64, 64, causal, {}, true});
    attentionCases(cases, {1, 1, 1, 131, 50, 8, 8, causal, {}});
    attentionCases(cases, {2, 4, 4, 33, 40, 8, 8, causal, {2, 1, 33, 40}});
    attentionCases(cases, {2, 4, 4, 33, 40, 8, 8, causal, {1, 4, 1, 40}, true});
    attentionCases(cases, {1, 2, 2, 3, 0, 4, 4, causal, {}});
  }
  attentionCases(cases, {8, 6, 6, 256, 256, 64, 64, true, {}, true}, true);
  attentionCases(cases, {4, 12, 12, 64, 64, 64, 64, true, {}, true}, true);
}

} // namespace tw::kernels::testing
