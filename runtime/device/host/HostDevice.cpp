#include "runtime/device/host/HostDevice.h"
#include "runtime/base/Text.h"
#include "runtime/device/host/StridedLoop.h"
#include "runtime/device/host/Team.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace tw::rt {

static constexpr size_t hugePage = size_t(2) << 20;
// Below this, rounding to huge pages would cost more than 2 % of the arena.
static constexpr size_t smallArena = size_t(128) << 20;

HostDevice::~HostDevice() {
  if (mapping_)
    ::munmap(mapping_, mappingSize_);
}

Status HostDevice::allocate(uint64_t bytes) {
  // The mapping reserves nothing, so that it would succeed and the first steps would fail.
  uint64_t memory = uint64_t(::sysconf(_SC_PHYS_PAGES)) * uint64_t(::sysconf(_SC_PAGESIZE));
  if (bytes > memory)
    return Status::error(text("the program needs an arena of ", bytesText(double(bytes)), ", and this machine has ",
                              bytesText(double(memory)), " of memory: compile it for smaller batches"));
  mappingSize_ = std::max<size_t>(bytes, 1) + hugePage;
  void *mapping =
      ::mmap(nullptr, mappingSize_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) {
    int number = errno;
    mappingSize_ = 0;
    return Status::error(text("cannot allocate the arena of ", bytesText(double(bytes)), ": ", systemError(number)));
  }
  mapping_ = mapping;
  base_ = reinterpret_cast<uint8_t *>((reinterpret_cast<uintptr_t>(mapping) + hugePage - 1) & ~(hugePage - 1));
  bytes_ = bytes;
  ::madvise(base_, bytes, bytes >= smallArena ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  return Status::ok();
}

Status HostDevice::upload(uint64_t offset, const void *data, size_t size) {
  std::memcpy(base_ + offset, data, size);
  return Status::ok();
}

Status HostDevice::download(void *data, uint64_t offset, size_t size) {
  std::memcpy(data, base_ + offset, size);
  return Status::ok();
}

namespace {

class HostLaunch : public GeneratedLaunch {
public:
  HostLaunch(const GeneratedArguments &arguments, tw_generated_run run) : arguments_(arguments), run_(run) {
    int64_t grain = std::max<int64_t>(arguments.grain, 1);
    int64_t useful = (arguments.extent + grain - 1) / grain;
    team_ = int(std::clamp<int64_t>(useful, 1, std::max(arguments.threads, 1)));
  }
  Status run() override {
    if (arguments_.extent == 0)
      return Status::ok();
    if (team_ == 1) {
      run_(arguments_.buffers.data(), arguments_.sizes.data(), 0, arguments_.extent);
      return Status::ok();
    }
    // Always the whole team, though some may have nothing to do: libgomp ends threads that a smaller team leaves over
    // and starts them again for the next.
    runTeam(arguments_.threads, [this](int index, int threads) {
      int64_t count = std::min(team_, threads);
      int64_t begin = arguments_.extent * index / count, end = arguments_.extent * (index + 1) / count;
      if (index < count && begin < end)
        run_(arguments_.buffers.data(), arguments_.sizes.data(), begin, end);
    });
    return Status::ok();
  }

private:
  GeneratedArguments arguments_;
  tw_generated_run run_;
  int team_;
};

} // namespace

Expected<std::unique_ptr<GeneratedLaunch>> HostDevice::bind(const GeneratedArguments &arguments,
                                                            tw_generated_run generated) {
  if (!generated)
    return Status::error(text("this program has no generated kernel '", arguments.name, "'"));
  return std::unique_ptr<GeneratedLaunch>(std::make_unique<HostLaunch>(arguments, generated));
}

Status HostDevice::copy(const tw_tensor &source, const tw_tensor &destination, int threads, uint32_t) {
  copyStrided(source, destination, threads);
  return Status::ok();
}

Status HostDevice::fill(const tw_tensor &tensor, double value, int threads, uint32_t) {
  fillStrided(tensor, value, threads);
  return Status::ok();
}

} // namespace tw::rt
