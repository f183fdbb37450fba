// Turns the instructions of a program into bound ones: kernels found, states prepared, call structures filled.
#ifndef TW_RUNTIME_EXEC_BINDER_H
#define TW_RUNTIME_EXEC_BINDER_H

#include "runtime/exec/Executor.h"

namespace tw::rt {

class Binder {
public:
  Binder(Executor &executor, Communicator &world, const KernelTable &kernels, int threads)
      : executor_(executor), program_(executor.program_), device_(executor.device_), world_(world), kernels_(kernels),
        threads_(threads) {}
  Status bindAll();

private:
  using Bound = Expected<std::unique_ptr<BoundInstruction>>;
  Bound bind(const planpb::Instruction &instruction);
  Bound bindKernel(const planpb::KernelCall &call, uint32_t stream);
  Bound bindGenerated(const planpb::GeneratedCall &call, uint32_t stream);
  Bound bindCollective(const planpb::Collective &call, uint32_t stream);
  Bound bindCopy(const planpb::Copy &call, uint32_t stream);
  Bound bindFill(const planpb::Fill &call, uint32_t stream);
  Expected<Communicator *> communicatorFor(const planpb::Collective &call);
  tw_tensor tensor(uint32_t buffer) const { return makeTensor(program_.buffers(int(buffer)), device_.base()); }

  Executor &executor_;
  const planpb::Program &program_;
  Device &device_;
  Communicator &world_;
  const KernelTable &kernels_;
  int threads_;
};

} // namespace tw::rt
#endif
