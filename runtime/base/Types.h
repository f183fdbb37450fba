// Element types of the plan: sizes, names and the numbers at an address.
#ifndef TW_RUNTIME_BASE_TYPES_H
#define TW_RUNTIME_BASE_TYPES_H

#include "kernels/abi/kernel.h"
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tw::rt {

/// Bytes of one element; 0 for an invalid type.
size_t typeSize(int type);
/// "f32", "i64", ...; "invalid" otherwise.
const char *typeName(int type);
bool isFloat(int type);
bool isInteger(int type);

/// Element `index` at `data`, as a number. 64-bit integers beyond 2^53 are rounded.
double loadNumber(int type, const void *data, size_t index);
/// Stores `value`, rounded to the type.
void storeNumber(int type, void *data, size_t index, double value);
int64_t loadInteger(int type, const void *data, size_t index);
void storeInteger(int type, void *data, size_t index, int64_t value);

/// Product of a shape; -1 when an extent is negative or the product exceeds 2^62.
int64_t elementCount(const int64_t *shape, size_t rank);
template <typename Range>
int64_t elementCount(const Range &shape) {
  std::vector<int64_t> copy(shape.begin(), shape.end());
  return elementCount(copy.data(), copy.size());
}

} // namespace tw::rt
#endif
