#include "runtime/exec/Session.h"
#include "runtime/base/Text.h"
#include "runtime/base/Types.h"
#include "runtime/device/host/StridedLoop.h"
#include "runtime/exec/Arena.h"
#include "runtime/plan/Access.h"

#include <algorithm>

namespace tw::rt {

Expected<std::unique_ptr<Session>> Session::create(LoadedPlan &loaded, Device &device, Communicator &communicator,
                                                   const KernelTable &kernels, int threads,
                                                   const std::vector<std::string> &programs) {
  const planpb::Plan &plan = loaded.plan;
  if (worldSize(plan) != uint64_t(communicator.size()))
    return Status::error(text("the program was compiled for ", worldSize(plan), " rank",
                              worldSize(plan) == 1 ? "" : "s", ", but ", communicator.size(),
                              " started; run it with `mpirun -n ", worldSize(plan), "`"));
  uint32_t rank = uint32_t(communicator.rank());
  uint64_t bytes = 0;
  for (const std::string &name : programs)
    if (const planpb::Program *program = findProgram(plan, name, rank))
      bytes = std::max<uint64_t>(bytes, program->arena_bytes());
  TW_TRY(device.allocate(bytes));
  std::unique_ptr<Session> session(new Session(loaded, device, communicator));
  for (const std::string &name : programs) {
    const planpb::Program *program = findProgram(plan, name, rank);
    if (!program)
      continue;
    TW_ASSIGN(executor, Executor::create(plan, *program, device, communicator, kernels, threads));
    session->executors_[name] = std::move(executor);
  }
  return session;
}

Status Session::enter(const std::string &program) {
  auto found = executors_.find(program);
  if (found == executors_.end())
    return Status::error(text("the plan has no program '", program, "'; compile it in"));
  if (last_ != program)
    TW_TRY(uploadConstants(loaded_, found->second->program(), device_));
  last_ = program;
  return Status::ok();
}

Status Session::run(const std::string &program) {
  TW_TRY(enter(program));
  return executors_[program]->run();
}

Status Session::runTimed(const std::string &program, std::vector<double> &seconds) {
  TW_TRY(enter(program));
  return executors_[program]->runTimed(seconds);
}

const planpb::Buffer *Session::input(const planpb::Program &program, const std::string &name) {
  for (const planpb::Binding &binding : program.inputs())
    if (binding.name() == name)
      return &program.buffers(int(binding.buffer()));
  return nullptr;
}

const planpb::Buffer *Session::output(const planpb::Program &program, const std::string &name) {
  for (const planpb::Binding &binding : program.outputs())
    if (binding.name() == name)
      return &program.buffers(int(binding.buffer()));
  return nullptr;
}

Expected<double> Session::scalar(const planpb::Program &program, const std::string &name) {
  const planpb::Buffer *buffer = output(program, name);
  if (!buffer || elementCount(buffer->shape()) != 1)
    return Status::error(text("program '", program.name(), "' has no output '", name, "' of one element"));
  char element[8] = {};
  TW_TRY(device_.download(element, buffer->offset(), typeSize(buffer->type())));
  return loadNumber(buffer->type(), element, 0);
}

Status Session::download(const planpb::Buffer &buffer, void *data) {
  if (isContiguous(buffer))
    return device_.download(data, buffer.offset(), bufferBytes(buffer));
  ByteRange hull = bufferHull(buffer);
  std::vector<char> whole(hull.end - hull.begin);
  TW_TRY(device_.download(whole.data(), hull.begin, whole.size()));
  tw_tensor source = makeTensor(buffer, nullptr);
  source.data = whole.data();
  planpb::Buffer packed = buffer;
  packed.clear_strides();
  tw_tensor destination = makeTensor(packed, nullptr);
  destination.data = data;
  copyStrided(source, destination, 1);
  return Status::ok();
}

} // namespace tw::rt
