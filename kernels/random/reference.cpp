#include "kernels/testing/Element.h"

using namespace tw::kernels;
using namespace tw::kernels::testing;

static uint32_t philoxWord(const uint32_t *counter, uint64_t key, int word) {
  uint32_t c[4] = {counter[0], counter[1], counter[2], counter[3]}, k[2] = {uint32_t(key), uint32_t(key >> 32)};
  for (int round = 0; round < 10; ++round) {
    uint64_t a = uint64_t(0xD2511F53u) * c[0], b = uint64_t(0xCD9E8D57u) * c[2];
    uint32_t next[4] = {uint32_t(b >> 32) ^ c[1] ^ k[0], uint32_t(b), uint32_t(a >> 32) ^ c[3] ^ k[1], uint32_t(a)};
    for (int i = 0; i < 4; ++i)
      c[i] = next[i];
    k[0] += 0x9E3779B9u;
    k[1] += 0xBB67AE85u;
  }
  return c[word];
}

TW_REFERENCE(dropout) {
  const tw_tensor &input = call->inputs[0];
  auto scalar = [&](int i) { return *static_cast<const int64_t *>(call->inputs[i].data); };
  double ratio = number(call, "ratio");
  for (int64_t i = 0; i < elements(input); ++i) {
    uint64_t index = uint64_t(scalar(3) * (elements(input) / input.shape[0]) + i), block = index / 4;
    uint32_t counter[4] = {uint32_t(block), uint32_t(block >> 32), uint32_t(integer(call, "id")), uint32_t(scalar(2))};
    double u = (philoxWord(counter, uint64_t(scalar(1)), int(index % 4)) >> 8) * 0x1p-24;
    set(call->outputs[0], i, u >= ratio ? get(input, i) / (1 - ratio) : 0);
  }
  return 0;
}
