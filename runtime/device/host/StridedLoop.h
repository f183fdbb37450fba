// Copying and filling tensors of any strides on the host.
#ifndef TW_RUNTIME_DEVICE_HOST_STRIDEDLOOP_H
#define TW_RUNTIME_DEVICE_HOST_STRIDEDLOOP_H

#include "kernels/abi/kernel.h"

namespace tw::rt {

/// Copies element by element; the shapes are equal, or both tensors are contiguous with equal counts.
void copyStrided(const tw_tensor &source, const tw_tensor &destination, int threads);
void fillStrided(const tw_tensor &tensor, double value, int threads);

} // namespace tw::rt
#endif
