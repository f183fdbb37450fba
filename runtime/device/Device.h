// Where a rank's arena lives and where its instructions run.
#ifndef TW_RUNTIME_DEVICE_DEVICE_H
#define TW_RUNTIME_DEVICE_DEVICE_H

#include "kernels/abi/kernel.h"
#include "runtime/base/Status.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tw::rt {

/// One call of a generated kernel, bound to memory.
class GeneratedLaunch {
public:
  virtual ~GeneratedLaunch() = default;
  virtual Status run() = 0;
};

/// What a GeneratedCall says, with addresses in place of buffers.
struct GeneratedArguments {
  std::string name;
  std::vector<void *> buffers;
  std::vector<int64_t> sizes;
  int64_t extent = 0, grain = 1;
  int threads = 1;
  uint32_t stream = 0;
};

class Device {
public:
  virtual ~Device() = default;
  /// "host" or "cuda", as in Plan.target.
  virtual const char *name() const = 0;
  /// The one allocation: `bytes` of zeros, aligned to 64 at least.
  virtual Status allocate(uint64_t bytes) = 0;
  uint8_t *base() const { return base_; }
  uint64_t bytes() const { return bytes_; }
  /// True when the host may read and write the arena directly.
  virtual bool hostVisible() const = 0;
  /// Blocking copies between host memory and the arena.
  virtual Status upload(uint64_t offset, const void *data, size_t size) = 0;
  virtual Status download(void *data, uint64_t offset, size_t size) = 0;

  /// Before the first launch: how many streams the program uses and which instructions others wait for.
  virtual Status prepare(uint32_t streams, const std::vector<uint32_t> &awaited) = 0;
  virtual void *stream(uint32_t index) = 0;
  /// Marks `instruction`, just issued on `stream`, so that others can wait for it.
  virtual Status record(uint32_t instruction, uint32_t stream) = 0;
  virtual Status wait(uint32_t instruction, uint32_t stream) = 0;
  /// Blocks until all issued work is done.
  virtual Status synchronize() = 0;

  /// `generated` is the host's function, null on devices that load the plan's device code.
  virtual Expected<std::unique_ptr<GeneratedLaunch>> bind(const GeneratedArguments &arguments,
                                                          tw_generated_run generated) = 0;
  /// Same type and number of elements; any strides.
  virtual Status copy(const tw_tensor &source, const tw_tensor &destination, int threads, uint32_t stream) = 0;
  virtual Status fill(const tw_tensor &tensor, double value, int threads, uint32_t stream) = 0;

protected:
  uint8_t *base_ = nullptr;
  uint64_t bytes_ = 0;
};

} // namespace tw::rt
#endif
