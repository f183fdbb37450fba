// Runs one program of a plan on one rank. Everything is resolved when the executor is made; `run` walks a list and
// allocates nothing.
#ifndef TW_RUNTIME_EXEC_EXECUTOR_H
#define TW_RUNTIME_EXEC_EXECUTOR_H

#include "kernels/abi/plan.pb.h"
#include "runtime/comm/Communicator.h"
#include "runtime/device/Device.h"
#include "runtime/plan/VerifyPlan.h"
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tw::rt {

/// One instruction bound to memory.
class BoundInstruction {
public:
  virtual ~BoundInstruction() = default;
  virtual Status run() = 0;
};

class Executor {
public:
  /// `device` has its arena; `communicator` is the world. All of them, and the program, outlive the executor.
  /// The plan has passed verifyPlan. `threads` is how many threads each kernel may use.
  static Expected<std::unique_ptr<Executor>> create(const planpb::Plan &plan, const planpb::Program &program,
                                                    Device &device, Communicator &communicator,
                                                    const KernelTable &kernels, int threads);
  /// Runs all instructions and waits for them. Errors name program, rank, instruction, kernel and ONNX node.
  Status run();
  /// Runs and adds the seconds that each instruction took to `seconds`, for profiles; waits after each.
  Status runTimed(std::vector<double> &seconds);
  const planpb::Program &program() const { return program_; }

private:
  friend class Binder;
  explicit Executor(const planpb::Program &program, Device &device) : program_(program), device_(device) {}
  Status issue(size_t index);

  struct Step {
    std::unique_ptr<BoundInstruction> body;
    std::vector<uint32_t> waits;
    uint32_t stream = 0;
    bool awaited = false; // some other stream waits for it
  };
  const planpb::Program &program_;
  Device &device_;
  std::vector<Step> steps_;
  std::map<std::vector<int>, std::unique_ptr<Communicator>> groups_;
};

/// The buffer as kernels see it, at its place of the arena; `base` null leaves `data` null.
tw_tensor makeTensor(const planpb::Buffer &buffer, uint8_t *base);

} // namespace tw::rt
#endif
