// All ranks of a plan in one process, as threads: for `tw-plan check` and tests.
#ifndef TW_RUNTIME_EXEC_INPROCESS_H
#define TW_RUNTIME_EXEC_INPROCESS_H

#include "runtime/plan/LoadPlan.h"
#include "runtime/plan/VerifyPlan.h"
#include <map>
#include <string>
#include <vector>

namespace tw::rt {

/// A tensor in ordinary memory, row-major.
struct HostTensor {
  int type = 0;
  std::vector<int64_t> shape;
  std::vector<uint8_t> bytes;
};
using NamedTensors = std::map<std::string, HostTensor>;

struct InProcessRun {
  std::string program = "train";
  /// For each step, for each rank: the inputs by name, of exactly the bytes of their buffers.
  std::vector<std::vector<NamedTensors>> steps;
  /// Values that replace the sources of parameters before the first step; for all ranks alike.
  NamedTensors parameters;
  int threads = 1;
};

struct InProcessResult {
  /// For each step, for each rank: all outputs.
  std::vector<std::vector<NamedTensors>> outputs;
  /// For each rank: all parameters after the last step.
  std::vector<NamedTensors> parameters;
};

/// Runs `run.program` of every rank on host devices. The plan must have passed verifyPlan.
Expected<InProcessResult> runPlanInProcess(LoadedPlan &loaded, const KernelTable &kernels, const InProcessRun &run);

} // namespace tw::rt
#endif
