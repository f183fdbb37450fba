#include "runtime/device/MakeDevice.h"
#include "runtime/device/host/HostDevice.h"
#ifdef TW_CUDA
#include "runtime/device/cuda/CudaDevice.h"
#endif

namespace tw::rt {

Expected<std::unique_ptr<Device>> makeDevice(const planpb::Plan &plan) {
  if (plan.target() == "host" || plan.target().empty())
    return std::unique_ptr<Device>(std::make_unique<HostDevice>());
#ifdef TW_CUDA
  if (plan.target() == "cuda")
    return makeCudaDevice(plan);
#endif
  return Status::error("this program was compiled for '" + plan.target() +
                       "', which its runtime was built without: configure the build with -DTW_CUDA=ON and compile the "
                       "model again, or compile it with --target host");
}

} // namespace tw::rt
