// The device that a plan's target names.
#ifndef TW_RUNTIME_DEVICE_MAKEDEVICE_H
#define TW_RUNTIME_DEVICE_MAKEDEVICE_H

#include "kernels/abi/plan.pb.h"
#include "runtime/device/Device.h"

namespace tw::rt {

Expected<std::unique_ptr<Device>> makeDevice(const planpb::Plan &plan);

} // namespace tw::rt
#endif
