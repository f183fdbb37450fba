#include "runtime/exec/InProcess.h"
#include "runtime/base/Text.h"
#include "runtime/base/Types.h"
#include "runtime/comm/local/LocalCommunicator.h"
#include "runtime/device/host/HostDevice.h"
#include "runtime/exec/Arena.h"
#include "runtime/exec/Session.h"
#include "runtime/plan/Access.h"

#include <mutex>
#include <thread>

namespace tw::rt {

namespace {

class RankThread {
public:
  RankThread(LoadedPlan &loaded, const KernelTable &kernels, const InProcessRun &run, InProcessResult &result,
             Communicator &communicator)
      : loaded_(loaded), kernels_(kernels), run_(run), result_(result), communicator_(communicator) {}

  Status body() {
    TW_ASSIGN(session, Session::create(loaded_, device_, communicator_, kernels_, run_.threads, {run_.program}));
    if (!session->has(run_.program))
      return Status::error(text("the plan has no program '", run_.program, "'"));
    TW_TRY(setParameters());
    size_t rank = size_t(communicator_.rank());
    for (size_t step = 0; step < run_.steps.size(); ++step) {
      TW_TRY(setInputs(session->program(run_.program), run_.steps[step][rank]));
      TW_TRY(session->run(run_.program));
      for (const planpb::Binding &output : session->program(run_.program).outputs()) {
        const planpb::Buffer &buffer = session->program(run_.program).buffers(int(output.buffer()));
        HostTensor &tensor = result_.outputs[step][rank][output.name()];
        tensor = {
            buffer.type(), {buffer.shape().begin(), buffer.shape().end()}, std::vector<uint8_t>(bufferBytes(buffer))};
        TW_TRY(session->download(buffer, tensor.bytes.data()));
      }
    }
    return keepParameters(rank);
  }

private:
  static uint64_t bytesOf(const planpb::Parameter &parameter) {
    return uint64_t(elementCount(parameter.shape())) * typeSize(parameter.type());
  }

  Status setParameters() {
    TW_TRY(initializeParameters(loaded_, device_));
    for (const planpb::Parameter &parameter : loaded_.plan.parameters()) {
      auto found = run_.parameters.find(parameter.name());
      if (found == run_.parameters.end())
        continue;
      if (found->second.bytes.size() != bytesOf(parameter))
        return Status::error(text("the value given for parameter '", parameter.name(), "' has the wrong size"));
      TW_TRY(device_.upload(parameter.offset(), found->second.bytes.data(), found->second.bytes.size()));
    }
    return Status::ok();
  }

  Status setInputs(const planpb::Program &program, const NamedTensors &inputs) {
    for (const planpb::Binding &binding : program.inputs()) {
      const planpb::Buffer &buffer = program.buffers(int(binding.buffer()));
      auto found = inputs.find(binding.name());
      if (found == inputs.end() || found->second.bytes.size() != bufferBytes(buffer))
        return Status::error(text("input '", binding.name(), "' is missing or has the wrong size"));
      TW_TRY(device_.upload(buffer.offset(), found->second.bytes.data(), found->second.bytes.size()));
    }
    return Status::ok();
  }

  Status keepParameters(size_t rank) {
    for (const planpb::Parameter &parameter : loaded_.plan.parameters()) {
      HostTensor &tensor = result_.parameters[rank][parameter.name()];
      tensor = {parameter.type(),
                {parameter.shape().begin(), parameter.shape().end()},
                std::vector<uint8_t>(bytesOf(parameter))};
      TW_TRY(device_.download(tensor.bytes.data(), parameter.offset(), tensor.bytes.size()));
    }
    return Status::ok();
  }

  LoadedPlan &loaded_;
  const KernelTable &kernels_;
  const InProcessRun &run_;
  InProcessResult &result_;
  Communicator &communicator_;
  HostDevice device_;
};

} // namespace

Expected<InProcessResult> runPlanInProcess(LoadedPlan &loaded, const KernelTable &kernels, const InProcessRun &run) {
  if (loaded.plan.target() == "cuda")
    return Status::error(
        "the plan is for CUDA, but ranks in one process run on the host; compile it with --target host");
  size_t world = worldSize(loaded.plan);
  for (const auto &step : run.steps)
    if (step.size() != world)
      return Status::error(text("inputs for ", step.size(), " ranks were given, the plan has ", world));
  InProcessResult result;
  result.outputs.assign(run.steps.size(), std::vector<NamedTensors>(world));
  result.parameters.resize(world);
  std::vector<std::unique_ptr<Communicator>> communicators = makeLocalCommunicators(int(world));
  std::vector<Status> statuses(world);
  std::mutex first;
  int failed = -1;
  std::vector<std::thread> threads;
  threads.reserve(world);
  for (size_t rank = 0; rank < world; ++rank)
    threads.emplace_back([&, rank] {
      RankThread thread(loaded, kernels, run, result, *communicators[rank]);
      statuses[rank] = thread.body();
      if (!statuses[rank].failed())
        return;
      std::lock_guard<std::mutex> lock(first);
      if (failed < 0)
        failed = int(rank);
      communicators[rank]->abort();
    });
  for (std::thread &thread : threads)
    thread.join();
  if (failed >= 0)
    return std::move(statuses[size_t(failed)]).in(text("rank ", failed));
  return result;
}

} // namespace tw::rt
