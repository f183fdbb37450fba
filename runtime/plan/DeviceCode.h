// What the device code of a plan for CUDA holds, read without CUDA.
#ifndef TW_RUNTIME_PLAN_DEVICECODE_H
#define TW_RUNTIME_PLAN_DEVICECODE_H

#include "kernels/abi/plan.pb.h"
#include "runtime/base/Status.h"
#include <map>
#include <string>

namespace tw::rt {

struct DeviceCode {
  int architecture = 0; // 90: sm_90
  /// Parameters of each kernel by name; -1 where the code does not say.
  std::map<std::string, int> kernels;
};

/// From PTX, which is text.
Expected<DeviceCode> readPtx(const std::string &ptx);
/// From a cubin: an ELF file with a section `.text.<kernel>` for each kernel.
Expected<DeviceCode> readCubin(const std::string &bytes);

/// Whether a cubin for `architecture` runs on a GPU of architecture `gpu`: the same major version, no older minor one.
constexpr bool runsOn(int architecture, int gpu) {
  return architecture / 10 == gpu / 10 && architecture <= gpu;
}
/// What a GPU of that architecture loads: the newest cubin that runs there, else the PTX, which its driver compiles.
/// The text ends with a zero and lives as long as the plan.
Expected<const std::string *> codeFor(const planpb::Plan &plan, int gpu);

} // namespace tw::rt
#endif
