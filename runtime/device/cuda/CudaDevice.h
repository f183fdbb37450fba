// One NVIDIA GPU: the arena by cudaMalloc, streams and events as the plan says, generated kernels from its device code.
#ifndef TW_RUNTIME_DEVICE_CUDA_CUDADEVICE_H
#define TW_RUNTIME_DEVICE_CUDA_CUDADEVICE_H

#include "kernels/abi/plan.pb.h"
#include "runtime/device/Device.h"

namespace tw::rt {

/// The GPU of this rank (its local rank modulo the GPUs of the machine), with the plan's generated kernels loaded.
/// Fails with a sentence where there is no GPU or none that the code runs on.
Expected<std::unique_ptr<Device>> makeCudaDevice(const planpb::Plan &plan);

} // namespace tw::rt
#endif
