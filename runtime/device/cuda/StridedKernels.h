// Copies and fills of tensors of any strides, issued on a stream.
#ifndef TW_RUNTIME_DEVICE_CUDA_STRIDEDKERNELS_H
#define TW_RUNTIME_DEVICE_CUDA_STRIDEDKERNELS_H

#include "kernels/abi/kernel.h"
#include <cuda_runtime_api.h>

namespace tw::rt {

/// `size` is the bytes of an element. Shapes are equal, or both tensors are contiguous.
cudaError_t launchStridedCopy(const tw_tensor &source, const tw_tensor &destination, size_t size, cudaStream_t stream);
/// `bits` holds the element.
cudaError_t launchStridedFill(const tw_tensor &tensor, uint64_t bits, size_t size, cudaStream_t stream);

} // namespace tw::rt
#endif
