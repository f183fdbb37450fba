// The host: one anonymous mapping (huge pages where they help), work on the calling thread and its OpenMP team.
#ifndef TW_RUNTIME_DEVICE_HOST_HOSTDEVICE_H
#define TW_RUNTIME_DEVICE_HOST_HOSTDEVICE_H

#include "runtime/device/Device.h"

namespace tw::rt {

class HostDevice : public Device {
public:
  ~HostDevice() override;
  const char *name() const override { return "host"; }
  Status allocate(uint64_t bytes) override;
  bool hostVisible() const override { return true; }
  Status upload(uint64_t offset, const void *data, size_t size) override;
  Status download(void *data, uint64_t offset, size_t size) override;
  // Instructions run in the order of the program, so streams and events need nothing here.
  Status prepare(uint32_t, const std::vector<uint32_t> &) override { return Status::ok(); }
  void *stream(uint32_t) override { return nullptr; }
  Status record(uint32_t, uint32_t) override { return Status::ok(); }
  Status wait(uint32_t, uint32_t) override { return Status::ok(); }
  Status synchronize() override { return Status::ok(); }
  Expected<std::unique_ptr<GeneratedLaunch>> bind(const GeneratedArguments &arguments,
                                                  tw_generated_run generated) override;
  Status copy(const tw_tensor &source, const tw_tensor &destination, int threads, uint32_t stream) override;
  Status fill(const tw_tensor &tensor, double value, int threads, uint32_t stream) override;

private:
  void *mapping_ = nullptr;
  size_t mappingSize_ = 0;
};

} // namespace tw::rt
#endif
