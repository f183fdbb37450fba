#include "runtime/base/Types.h"
#include "kernels/abi/types.h"
#include "runtime/base/Half.h"

namespace tw::rt {

size_t typeSize(int type) {
  return tw_type_size(type);
}
const char *typeName(int type) {
  return tw_type_name(type);
}
bool isFloat(int type) {
  return type == TW_F32 || type == TW_F64 || type == TW_F16 || type == TW_BF16;
}
bool isInteger(int type) {
  return type >= TW_I8 && type <= TW_U8;
}

template <typename T>
static T loadAs(const void *data, size_t index) {
  T value;
  std::memcpy(&value, static_cast<const char *>(data) + index * sizeof(T), sizeof(T));
  return value;
}
template <typename T>
static void storeAs(void *data, size_t index, T value) {
  std::memcpy(static_cast<char *>(data) + index * sizeof(T), &value, sizeof(T));
}

double loadNumber(int type, const void *data, size_t index) {
  switch (type) {
  case TW_F32:
    return loadAs<float>(data, index);
  case TW_F64:
    return loadAs<double>(data, index);
  case TW_F16:
    return halfToFloat(loadAs<uint16_t>(data, index));
  case TW_BF16:
    return bfloatToFloat(loadAs<uint16_t>(data, index));
  default:
    return double(loadInteger(type, data, index));
  }
}

void storeNumber(int type, void *data, size_t index, double value) {
  switch (type) {
  case TW_F32:
    return storeAs<float>(data, index, float(value));
  case TW_F64:
    return storeAs<double>(data, index, value);
  case TW_F16:
    return storeAs<uint16_t>(data, index, floatToHalf(float(value)));
  case TW_BF16:
    return storeAs<uint16_t>(data, index, floatToBfloat(float(value)));
  default:
    return storeInteger(type, data, index, int64_t(value));
  }
}

int64_t loadInteger(int type, const void *data, size_t index) {
  switch (type) {
  case TW_I8:
    return loadAs<int8_t>(data, index);
  case TW_I16:
    return loadAs<int16_t>(data, index);
  case TW_I32:
    return loadAs<int32_t>(data, index);
  case TW_I64:
    return loadAs<int64_t>(data, index);
  case TW_BOOL:
  case TW_U8:
    return loadAs<uint8_t>(data, index);
  default:
    return 0;
  }
}

void storeInteger(int type, void *data, size_t index, int64_t value) {
  switch (type) {
  case TW_I8:
    return storeAs<int8_t>(data, index, int8_t(value));
  case TW_I16:
    return storeAs<int16_t>(data, index, int16_t(value));
  case TW_I32:
    return storeAs<int32_t>(data, index, int32_t(value));
  case TW_I64:
    return storeAs<int64_t>(data, index, value);
  case TW_BOOL:
    return storeAs<uint8_t>(data, index, value != 0);
  case TW_U8:
    return storeAs<uint8_t>(data, index, uint8_t(value));
  default:
    return;
  }
}

int64_t elementCount(const int64_t *shape, size_t rank) {
  unsigned __int128 count = 1;
  bool empty = false;
  for (size_t i = 0; i < rank; ++i) {
    if (shape[i] < 0)
      return -1;
    empty |= shape[i] == 0;
    count *= shape[i] == 0 ? 1 : uint64_t(shape[i]);
    if (count > (uint64_t(1) << 62))
      return -1;
  }
  return empty ? 0 : int64_t(count);
}

} // namespace tw::rt
