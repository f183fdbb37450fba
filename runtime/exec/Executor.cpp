#include "runtime/exec/Executor.h"
#include "runtime/exec/Binder.h"
#include "runtime/plan/Access.h"

#include <chrono>

namespace tw::rt {

Expected<std::unique_ptr<Executor>> Executor::create(const planpb::Plan &plan, const planpb::Program &program,
                                                     Device &device, Communicator &communicator,
                                                     const KernelTable &kernels, int threads) {
  std::unique_ptr<Executor> executor(new Executor(program, device));
  Binder binder(*executor, communicator, kernels, threads);
  TW_TRY(binder.bindAll());
  return executor;
}

Status Executor::issue(size_t index) {
  Step &step = steps_[index];
  for (uint32_t wait : step.waits)
    TW_TRY(device_.wait(wait, step.stream));
  TW_TRY(step.body->run());
  return step.awaited ? device_.record(uint32_t(index), step.stream) : Status::ok();
}

Status Executor::run() {
  for (size_t i = 0; i < steps_.size(); ++i)
    if (Status status = issue(i); status.failed())
      return std::move(status).in(instructionPlace(program_, int(i)));
  return device_.synchronize();
}

Status Executor::runTimed(std::vector<double> &seconds) {
  seconds.resize(steps_.size());
  for (size_t i = 0; i < steps_.size(); ++i) {
    auto start = std::chrono::steady_clock::now();
    Status status = issue(i);
    if (!status.failed())
      status = device_.synchronize();
    if (status.failed())
      return std::move(status).in(instructionPlace(program_, int(i)));
    seconds[i] += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  return Status::ok();
}

} // namespace tw::rt
