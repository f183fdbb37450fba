// Sliding windows for references: visits pairs of (input position, window element) of one output position.
#ifndef TW_KERNELS_TESTING_WINDOW_H
#define TW_KERNELS_TESTING_WINDOW_H

#include "kernels/testing/Element.h"

namespace tw::kernels::testing {

/// Calls body(input coordinates, window coordinates) for each element of the window of output position `at` (spatial
/// coordinates only) that lies inside `sizes`.
template <typename Body>
void forWindow(const tw_call *call, const Shape &at, const Shape &window, const Shape &sizes, const Body &body) {
  size_t rank = at.size();
  Shape element(rank, 0);
  int64_t total = 1;
  for (int64_t size : window)
    total *= size;
  for (int64_t i = 0; i < total; ++i) {
    int64_t rest = i;
    bool inside = true;
    Shape position(rank);
    for (size_t d = rank; d-- > 0;) {
      element[d] = rest % window[d];
      rest /= window[d];
      position[d] = at[d] * entry(call, "strides", int(d)) - entry(call, "pads", int(d)) +
                    element[d] * entry(call, "dilations", int(d));
      inside &= position[d] >= 0 && position[d] < sizes[d];
    }
    if (inside)
      body(position, element);
  }
}

/// {a, b, spatial...}
inline Shape joined(int64_t a, int64_t b, const Shape &spatial) {
  Shape shape = {a, b};
  shape.insert(shape.end(), spatial.begin(), spatial.end());
  return shape;
}
/// Sizes of the spatial dimensions.
inline Shape spatialOf(const tw_tensor &tensor) {
  return Shape(tensor.shape + 2, tensor.shape + tensor.rank);
}

} // namespace tw::kernels::testing
#endif
