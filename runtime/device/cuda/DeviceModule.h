// The generated kernels of a plan, loaded on the current GPU.
//
// A generated kernel is a function `name(buffers..., sizes..., extent)`: pointers, then 64-bit integers. Thread t of a
// one-dimensional grid computes iterations t, t + threads, t + 2 * threads, ... below extent.
#ifndef TW_RUNTIME_DEVICE_CUDA_DEVICEMODULE_H
#define TW_RUNTIME_DEVICE_CUDA_DEVICEMODULE_H

#include "kernels/abi/plan.pb.h"
#include "runtime/base/Status.h"
#include <cuda_runtime_api.h>

namespace tw::rt {

/// 0 of `code`, or a sentence.
Status checkedCuda(cudaError_t code, const std::string &what);

// By the runtime library and not by libcuda: a program then starts, and says what is missing, where no driver is.
class DeviceModule {
public:
  DeviceModule() = default;
  DeviceModule(const DeviceModule &) = delete;
  DeviceModule &operator=(const DeviceModule &) = delete;
  ~DeviceModule();
  /// For GPU number `device`. A plan without device code has no generated kernels.
  Status load(const planpb::Plan &plan, int device);
  Expected<cudaKernel_t> kernel(const std::string &name) const;

private:
  cudaLibrary_t library_ = nullptr;
};

} // namespace tw::rt
#endif
