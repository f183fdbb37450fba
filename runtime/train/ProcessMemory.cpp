#include "runtime/train/ProcessMemory.h"

#include <fstream>
#include <string>

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
uint64_t anonymousBytes() {
  return statusField("RssAnon:") + statusField("RssShmem:");
}
uint64_t peakResidentBytes() {
  return statusField("VmHWM:");
}
// "5" resets the peak (proc(5), /proc/pid/clear_refs).
void resetPeak() {
  std::ofstream("/proc/self/clear_refs") << "5";
}

} // namespace tw::rt
