// One NVIDIA GPU: the arena by cudaMalloc, streams and events as the plan says, generated kernels from its cubin.
//
// A generated kernel in the cubin is a function `name(buffers..., sizes..., extent)`: pointers, then 64-bit integers.
// Thread t of the one-dimensional grid (blockIdx.x * blockDim.x + threadIdx.x) computes iteration t, if t < extent.
#ifndef TW_RUNTIME_DEVICE_CUDA_CUDADEVICE_H
#define TW_RUNTIME_DEVICE_CUDA_CUDADEVICE_H

#include "runtime/device/Device.h"

namespace tw::rt {

/// The GPU of this rank: its local rank modulo the GPUs of the machine. `deviceCode` is the plan's cubin; it may be
/// empty.
Expected<std::unique_ptr<Device>> makeCudaDevice(const std::string &deviceCode);

} // namespace tw::rt
#endif
