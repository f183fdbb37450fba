#include "runtime/train/Application.h"
#include "runtime/base/Log.h"
#include "runtime/base/Text.h"
#include "runtime/base/Types.h"
#include "runtime/comm/MakeCommunicator.h"
#include "runtime/device/MakeDevice.h"
#include "runtime/exec/Arena.h"
#include "runtime/plan/Access.h"
#include "runtime/train/Agree.h"
#include "runtime/train/CpuCheck.h"
#include "runtime/train/Evaluator.h"
#include "runtime/train/OnnxExport.h"
#include "runtime/train/ProcessMemory.h"
#include "runtime/train/Signals.h"
#include "runtime/train/Trainer.h"
#include "runtime/train/WarmLibraries.h"

#include <algorithm>
#include <cstdio>
#include <omp.h>

namespace tw::rt {

namespace {

class Application {
public:
  Application(LoadedPlan &loaded, const KernelTable &kernels, const Options &options)
      : loaded_(loaded), kernels_(kernels), options_(options) {}

  Status run() {
    TW_TRY(checkCpu(loaded_.plan.cpu(), loaded_.plan.cpu_features()));
    TW_ASSIGN(communicator, makeCommunicator(loaded_.plan));
    communicator_ = std::move(communicator);
    setLogRank(communicator_->rank(), communicator_->size());
    Status status = work();
    // A rank that fails alone must not leave the others waiting.
    if (status.failed() && !settled_ && communicator_->size() > 1) {
      logError(status.message());
      communicator_->abort();
    }
    return status;
  }

private:
  Status work() {
    settled_ = true; // until training starts, ranks agree on errors
    TW_TRY(agree(*communicator_, prepare()));
    TW_TRY(agree(*communicator_, makeSession()));
    TW_TRY(agree(*communicator_, setState()));
    settled_ = false;
    if (options_.trains() || !options_.dump.empty())
      TW_TRY(train());
    if (interrupted_)
      return Status::ok();
    if (options_.evaluate)
      TW_TRY(evaluateAll());
    if (!options_.exportOnnx.empty())
      TW_TRY(exportModel());
    return Status::ok();
  }

  Status prepare() {
    if (worldSize(loaded_.plan) != uint64_t(communicator_->size()))
      return Status::error(text("the program was compiled for ", worldSize(loaded_.plan), " rank",
                                worldSize(loaded_.plan) == 1 ? "" : "s", ", but ", communicator_->size(),
                                " started; run it with `mpirun -n ", worldSize(loaded_.plan),
                                "` or compile it for another mesh"));
    TW_TRY(verifyPlan(loaded_.plan, kernels_));
    int planned = int(loaded_.plan.threads());
    threads_ = options_.threads > 0 ? options_.threads : planned > 0 ? planned : omp_get_max_threads();
    omp_set_num_threads(threads_);
    TW_ASSIGN(device, makeDevice(loaded_.plan));
    device_ = std::move(device);
    if (!options_.data.empty()) {
      TW_ASSIGN(dataset, Dataset::open(options_.data, loaded_.plan));
      data_ = std::move(dataset);
    }
    if (!options_.evalData.empty()) {
      TW_ASSIGN(dataset, Dataset::open(options_.evalData, loaded_.plan));
      evalData_ = std::move(dataset);
    }
    if (options_.evaluate && !evaluationData())
      return Status::error("--eval needs --eval-data or --data");
    return Status::ok();
  }

  Status makeSession() {
    std::vector<std::string> programs;
    if (options_.trains() || !options_.dump.empty())
      programs.push_back("train");
    if (!options_.dump.empty())
      programs.push_back("dump");
    if (options_.evaluate)
      programs.push_back("evaluate");
    if (programs.empty()) // export only: any program's arena holds the parameters
      programs.push_back(loaded_.plan.programs(0).name());
    for (const std::string &name : programs)
      if (!findProgram(loaded_.plan, name, uint32_t(communicator_->rank())))
        return Status::error(
            text("this program was compiled without the program \"", name, "\"; compile it again with it"));
    if (options_.memory)
      measureFloor();
    TW_ASSIGN(session, Session::create(loaded_, *device_, *communicator_, kernels_, threads_, programs));
    session_ = std::move(session);
    return Status::ok();
  }

  // The floor: what the process holds once its libraries, threads, plan and data are there, before the arena is.
  void measureFloor() {
    warmLibraries(kernels_, threads_);
    watch_ = std::make_unique<MemoryWatch>();
    resetPeak();
    residentFloor_ = residentBytes();
    floor_ = watch_->restart();
  }

  Status setState() {
    state_.seed = options_.seed.value_or(0);
    state_.shuffle = options_.shuffle;
    if (data_)
      state_.datasetRows = data_->rows();
    if (options_.resume.empty()) {
      TW_TRY(initializeParameters(loaded_, *device_));
      loaded_.releaseWeights();
    } else {
      TW_TRY(resume());
    }
    return setSeed();
  }

  Status resume() {
    TW_ASSIGN(state, loadCheckpoint(*session_, options_.resume));
    if (data_ && state.datasetRows != data_->rows()) {
      logWarning(text("the checkpoint's data had ", state.datasetRows, " rows, these have ", data_->rows(),
                      ": they are read from the start"));
      state.position = {state.position.epoch + 1, 0};
    }
    state.datasetRows = state_.datasetRows;
    if (options_.seed && *options_.seed != state.seed && communicator_->rank() == 0)
      logWarning(text("the checkpoint was trained with --seed ", state.seed, ", from here on --seed ", *options_.seed,
                      " decides about dropout and the order of rows: rows of this epoch may come twice or not at all"));
    if (options_.seed)
      state.seed = *options_.seed;
    state.shuffle = options_.shuffle;
    state_ = state;
    if (communicator_->rank() == 0)
      logInfo(text("resumed after step ", state_.step, " from ", options_.resume));
    return Status::ok();
  }

  // The plan's own random numbers (dropout) count from the parameter "seed".
  Status setSeed() {
    for (const planpb::Parameter &parameter : loaded_.plan.parameters())
      if (parameter.name() == "seed" && parameter.role() == planpb::COUNTER && elementCount(parameter.shape()) == 1 &&
          (options_.seed || options_.resume.empty())) {
        char element[8] = {};
        storeInteger(parameter.type(), element, 0, int64_t(state_.seed));
        TW_TRY(device_->upload(parameter.offset(), element, typeSize(parameter.type())));
      }
    return Status::ok();
  }

  Status train() {
    if (!data_)
      return Status::error("training needs --data or --tokens");
    catchStopSignals();
    Trainer trainer(*session_, *data_, options_, state_);
    TW_TRY(trainer.run());
    state_ = trainer.state();
    interrupted_ = trainer.interrupted();
    if (communicator_->rank() != 0)
      return Status::ok();
    if (options_.profile)
      trainer.printProfile();
    if (options_.time)
      printTime(trainer.stepSeconds());
    if (options_.memory)
      printMemory(stagingBytes(session_->program("train")));
    return Status::ok();
  }

  static void printTime(std::vector<double> seconds) {
    size_t warmup = std::min(seconds.size() / 2, std::max<size_t>(3, seconds.size() / 10));
    seconds.erase(seconds.begin(), seconds.begin() + int64_t(warmup));
    if (seconds.empty())
      return;
    std::sort(seconds.begin(), seconds.end());
    std::printf(
        "{\"median_step_ms\": %.4f, \"min_step_ms\": %.4f, \"max_step_ms\": %.4f, \"steps\": %zu, \"warmup\": %zu}\n",
        seconds[seconds.size() / 2] * 1e3, seconds.front() * 1e3, seconds.back() * 1e3, seconds.size(), warmup);
    std::fflush(stdout);
  }

  // What the process allocated above the floor must be what was planned (docs/architecture.md, "Memory").
  void printMemory(uint64_t staging) {
    auto above = [](uint64_t bytes, uint64_t floor) {
      return static_cast<unsigned long long>(bytes - std::min(bytes, floor));
    };
    unsigned long long arena = session_->arenaBytes(), planned = arena + staging, peak = above(watch_->peak(), floor_);
    std::printf("{\"planned_bytes\": %llu, \"planned_arena_bytes\": %llu, \"planned_staging_bytes\": %llu, "
                "\"peak_bytes\": %llu, \"measured_over_planned\": %.4f, \"floor_bytes\": %llu, "
                "\"peak_resident_above_floor_bytes\": %llu}\n",
                planned, arena, static_cast<unsigned long long>(staging), peak,
                double(peak) / double(std::max(planned, 1ull)), static_cast<unsigned long long>(floor_),
                above(peakResidentBytes(), residentFloor_));
    std::fflush(stdout);
  }

  /// Null where the user gave none.
  Dataset *evaluationData() { return evalData_ ? &*evalData_ : data_ ? &*data_ : nullptr; }

  Status evaluateAll() {
    TW_ASSIGN(evaluation, evaluate(*session_, *evaluationData()));
    if (communicator_->rank() == 0) {
      std::printf("evaluation: %s\n", evaluationText(evaluation).c_str());
      std::fflush(stdout);
    }
    return Status::ok();
  }

  Status exportModel() {
    Status status = communicator_->rank() == 0 ? exportOnnx(*session_, options_.exportOnnx) : Status::ok();
    return agree(*communicator_, std::move(status));
  }

  LoadedPlan &loaded_;
  const KernelTable &kernels_;
  const Options &options_;
  std::unique_ptr<Communicator> communicator_; // destroyed last: the session's kernels and groups go first
  std::unique_ptr<Device> device_;
  std::optional<Dataset> data_, evalData_;
  std::unique_ptr<Session> session_;
  TrainingState state_;
  std::unique_ptr<MemoryWatch> watch_;
  uint64_t floor_ = 0, residentFloor_ = 0; // anonymous, and all resident memory
  int threads_ = 1;
  bool interrupted_ = false, settled_ = true;
};

} // namespace

int runApplication(LoadedPlan &loaded, const KernelTable &kernels, const Options &options) {
  Application application(loaded, kernels, options);
  Status status = application.run();
  if (!status.failed())
    return 0;
  if (!status.message().empty())
    logError(status.message());
  return 1;
}

} // namespace tw::rt
