#include "runtime/base/Half.h"
#include "runtime/base/Types.h"
#include "runtime/comm/Communicator.h"

#include <algorithm>

namespace tw::rt {

namespace {

// A NaN on either side stays a NaN in max and min, so that it cannot hide.
template <typename T>
T combineOne(Reduction reduction, T a, T b) {
  if (reduction == Reduction::Sum)
    return T(a + b);
  if (a != a || b != b)
    return a != a ? a : b;
  return reduction == Reduction::Max ? std::max(a, b) : std::min(a, b);
}

template <typename T>
void combineAll(Reduction reduction, const void *from, void *into, int64_t count) {
  const T *in = static_cast<const T *>(from);
  T *out = static_cast<T *>(into);
  if (reduction == Reduction::Sum)
    for (int64_t i = 0; i < count; ++i)
      out[i] = T(out[i] + in[i]);
  else
    for (int64_t i = 0; i < count; ++i)
      out[i] = combineOne(reduction, out[i], in[i]);
}

template <float (*widen)(uint16_t), uint16_t (*narrow)(float)>
void combineHalf(Reduction reduction, const void *from, void *into, int64_t count) {
  const uint16_t *in = static_cast<const uint16_t *>(from);
  uint16_t *out = static_cast<uint16_t *>(into);
  for (int64_t i = 0; i < count; ++i)
    out[i] = narrow(combineOne(reduction, widen(out[i]), widen(in[i])));
}

// Booleans: sum and max are "or", min is "and".
void combineBool(Reduction reduction, const void *from, void *into, int64_t count) {
  const uint8_t *in = static_cast<const uint8_t *>(from);
  uint8_t *out = static_cast<uint8_t *>(into);
  for (int64_t i = 0; i < count; ++i)
    out[i] = reduction == Reduction::Min ? out[i] && in[i] : out[i] || in[i];
}

} // namespace

bool canReduce(int type) {
  return typeSize(type) != 0;
}

void combine(Reduction reduction, int type, const void *from, void *into, int64_t count) {
  switch (type) {
  case TW_F32:
    return combineAll<float>(reduction, from, into, count);
  case TW_F64:
    return combineAll<double>(reduction, from, into, count);
  case TW_F16:
    return combineHalf<halfToFloat, floatToHalf>(reduction, from, into, count);
  case TW_BF16:
    return combineHalf<bfloatToFloat, floatToBfloat>(reduction, from, into, count);
  case TW_I8:
    return combineAll<int8_t>(reduction, from, into, count);
  case TW_I16:
    return combineAll<int16_t>(reduction, from, into, count);
  case TW_I32:
    return combineAll<int32_t>(reduction, from, into, count);
  case TW_I64:
    return combineAll<int64_t>(reduction, from, into, count);
  case TW_BOOL:
    return combineBool(reduction, from, into, count);
  case TW_U8:
    return combineAll<uint8_t>(reduction, from, into, count);
  default:
    return;
  }
}

} // namespace tw::rt
