// What references read and write tensors with: coordinates, any type, any strides, always double.
#ifndef TW_KERNELS_TESTING_ELEMENT_H
#define TW_KERNELS_TESTING_ELEMENT_H

#include "kernels/support/Call.h"
#include "kernels/testing/Case.h"

namespace tw::kernels::testing {

/// Row-major index from coordinates.
inline int64_t indexOf(const tw_tensor &tensor, const Shape &at) {
  int64_t index = 0;
  for (int i = 0; i < tensor.rank; ++i)
    index = index * tensor.shape[i] + at[i];
  return index;
}
/// Coordinates of a row-major index.
inline Shape coordinates(const tw_tensor &tensor, int64_t index) {
  Shape at(tensor.rank);
  for (int i = tensor.rank - 1; i >= 0; --i) {
    at[i] = index % tensor.shape[i];
    index /= tensor.shape[i];
  }
  return at;
}
inline double get(const tw_tensor &tensor, const Shape &at) {
  return get(tensor, indexOf(tensor, at));
}
inline void set(const tw_tensor &tensor, const Shape &at, double value) {
  set(tensor, indexOf(tensor, at), value);
}

} // namespace tw::kernels::testing
#endif
