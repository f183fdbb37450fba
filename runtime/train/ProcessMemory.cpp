#include "runtime/train/ProcessMemory.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <pthread.h>
#include <signal.h>
#include <string>
#include <unistd.h>

namespace tw::rt {

static uint64_t statusField(const std::string &field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.compare(0, field.size(), field) == 0)
      return std::stoull(line.substr(field.size())) * 1024;
  return 0;
}

uint64_t residentBytes() {
  return statusField("VmRSS:");
}
uint64_t peakResidentBytes() {
  return statusField("VmHWM:");
}
// "5" resets the peak (proc(5), /proc/pid/clear_refs).
void resetPeak() {
  std::ofstream("/proc/self/clear_refs") << "5";
}

MemoryWatch::MemoryWatch() : statm_(::open("/proc/self/statm", O_RDONLY | O_CLOEXEC)) {
  // Signals are for the thread that trains.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  thread_ = std::thread([this] {
    while (!stop_) {
      look();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

MemoryWatch::~MemoryWatch() {
  stop_ = true;
  thread_.join();
  if (statm_ >= 0)
    ::close(statm_);
}

// Pages: "size resident shared ..." (proc(5)); shared are those of files and of shared memory.
uint64_t MemoryWatch::anonymousBytes() const {
  char line[256] = "";
  unsigned long long size = 0, resident = 0, shared = 0;
  if (statm_ < 0 || ::pread(statm_, line, sizeof line - 1, 0) <= 0 ||
      std::sscanf(line, "%llu %llu %llu", &size, &resident, &shared) != 3)
    return 0;
  return (resident - std::min(resident, shared)) * uint64_t(::sysconf(_SC_PAGESIZE));
}

void MemoryWatch::look() {
  uint64_t now = anonymousBytes(), most = peak_;
  while (now > most && !peak_.compare_exchange_weak(most, now)) {
  }
}

uint64_t MemoryWatch::peak() const {
  return std::max<uint64_t>(peak_, anonymousBytes());
}

uint64_t MemoryWatch::restart() {
  uint64_t now = anonymousBytes();
  peak_ = now;
  return now;
}

} // namespace tw::rt
