#include "runtime/train/Trainer.h"
#include "runtime/base/Log.h"
#include "runtime/base/Text.h"
#include "runtime/base/Types.h"
#include "runtime/plan/Access.h"
#include "runtime/train/Agree.h"
#include "runtime/train/Signals.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <limits>
#include <map>

namespace tw::rt {

using Clock = std::chrono::steady_clock;

static int64_t totalSteps(const Options &options, const Sampler &sampler) {
  int64_t epochs = options.epochs >= 0 ? options.epochs : 1;
  return options.steps >= 0 ? options.steps : epochs * sampler.stepsPerEpoch();
}

Trainer::Trainer(Session &session, const Dataset &dataset, const Options &options, TrainingState state)
    : session_(session), dataset_(dataset), options_(options), state_(state),
      layout_(rowLayout(session.plan(), session.program("train"))),
      sampler_(dataset.rows(), layout_.stepRows(), state.seed, state.shuffle) {
  lastStep_ = options.trains() ? totalSteps(options, sampler_) : 0;
  if (!options.dump.empty())
    lastStep_ = std::max(lastStep_, state_.step + 1);
}

Status Trainer::openOutputs() {
  if (!isMain())
    return Status::ok();
  // A folder that cannot be written is told before the first step, not after the last.
  if (!options_.save.empty()) {
    TW_TRY(makeFolders(options_.save));
    TW_ASSIGN(lock, FolderLock::take(options_.save));
    saveLock_ = std::move(lock);
  }
  if (!options_.metrics.empty()) {
    TW_ASSIGN(file, MetricsFile::open(options_.metrics, state_.step));
    metrics_ = std::move(file);
  }
  if (!options_.tensorboard.empty()) {
    TW_ASSIGN(file, EventFile::open(options_.tensorboard));
    events_ = std::move(file);
  }
  if (!options_.dump.empty())
    TW_TRY(makeFolders(options_.dump));
  const char *unit = session_.plan().batch().tokens_per_row() ? "tokens" : "samples";
  progress_ = std::make_unique<Progress>(options_.progress, state_.step, lastStep_, options_.logEvery, unit);
  return Status::ok();
}

Status Trainer::run() {
  if (!session_.has("train"))
    return Status::error("this program was compiled without the program \"train\"");
  if (!options_.dump.empty() && !session_.has("dump"))
    return Status::error("--dump needs the program \"dump\", which this executable was compiled without");
  TW_TRY(agree(session_.communicator(), openOutputs()));
  if (state_.step >= lastStep_)
    return Status::ok();
  seconds_.reserve(size_t(std::min<int64_t>(lastStep_ - state_.step, 1 << 20)));
  if (!options_.dump.empty())
    TW_TRY(dumpStep());
  Loader loader(session_.program("train"), dataset_, sampler_, layout_, state_.position);
  while (state_.step < lastStep_ && !interrupted_) {
    TW_TRY(step(loader, "train"));
    TW_TRY(afterStep());
  }
  if (progress_)
    progress_->finish();
  return interrupted_ && isMain() ? endInterrupted() : Status::ok();
}

Status Trainer::endInterrupted() {
  std::string where = options_.save.empty() ? "nothing is saved (no --save)"
                                            : text("saved in ", options_.save, "/", checkpointName(state_.step));
  if (outputFailure_.failed())
    return Status::error(
        text(outputFailure_.message(), "; training stopped after step ", state_.step, " for it, ", where));
  logInfo(text("stopped by ", stopSignal() == SIGINT ? "SIGINT" : "SIGTERM", " after step ", state_.step, "; ", where));
  return Status::ok();
}

// Every program has its inputs at places of its own, so the first step gets a loader of its own.
Status Trainer::dumpStep() {
  Loader loader(session_.program("dump"), dataset_, sampler_, layout_, state_.position);
  TW_TRY(step(loader, "dump"));
  TW_TRY(agree(session_.communicator(), dump()));
  return afterStep();
}

Status Trainer::step(Loader &loader, const std::string &program) {
  auto start = Clock::now();
  TW_TRY(loader.next(session_.device()));
  TW_TRY(options_.profile && program == "train" ? session_.runTimed(program, profile_) : session_.run(program));
  double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  ++state_.step;
  state_.position = loader.position();
  if (seconds_.size() < seconds_.capacity())
    seconds_.push_back(seconds);
  return report(session_.program(program), seconds);
}

Status Trainer::report(const planpb::Program &program, double seconds) {
  auto value = [&](const char *output) -> double {
    auto found = Session::output(program, output) ? session_.scalar(program, output) : Status::error("none");
    return found.failed() ? std::numeric_limits<double>::quiet_NaN() : *found;
  };
  TW_ASSIGN(loss, session_.scalar(program, "loss"));
  if (!std::isfinite(loss)) {
    if (progress_)
      progress_->finish();
    std::string last = savedStep_ >= 0 ? text("; the checkpoint of step ", savedStep_, " is kept") : "";
    return Status::error(text("the loss of step ", state_.step, " is ", std::isnan(loss) ? "NaN" : "infinite",
                              ": training stops and saves nothing", last,
                              "; a lower learning rate or gradient clipping "
                              "may help"));
  }
  if (!isMain())
    return Status::ok();
  int64_t perRow = std::max<int64_t>(session_.plan().batch().tokens_per_row(), 1);
  double perSecond = double(layout_.stepRows() * perRow) / seconds, rate = value("learning_rate");
  MetricValues values = {{"loss", loss},
                         {"lr", rate},
                         {"grad_norm", value("gradient_norm")},
                         {"tokens_or_samples_per_second", perSecond},
                         {"step_seconds", seconds},
                         {"epoch", double(state_.position.epoch)}};
  outputFailure_ = writeMetrics(values);
  progress_->step(state_.step, loss, rate, perSecond);
  return Status::ok();
}

Status Trainer::writeMetrics(const MetricValues &values) {
  if (!options_.metrics.empty())
    TW_TRY(metrics_.write(state_.step, values));
  if (!options_.tensorboard.empty()) {
    double now = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
    TW_TRY(events_.write(state_.step, now, values));
  }
  return Status::ok();
}

Status Trainer::afterStep() {
  // Metrics that cannot be written stop training like a signal: what was learnt is saved first.
  int32_t stop = stopSignal() != 0 || outputFailure_.failed();
  Communicator &communicator = session_.communicator();
  if (communicator.size() > 1) // all ranks stop after the same step
    TW_TRY(communicator.allReduce(&stop, &stop, 1, TW_I32, Reduction::Max));
  interrupted_ = stop != 0;
  bool due = options_.saveEvery > 0 && state_.step % options_.saveEvery == 0;
  if (!options_.save.empty() && (due || interrupted_ || state_.step == lastStep_))
    TW_TRY(agree(communicator, save()));
  return Status::ok();
}

Status Trainer::save() {
  if (!isMain())
    return Status::ok();
  Status status = saveCheckpoint(session_, state_, options_.save, options_.keep);
  if (status.failed() && progress_)
    progress_->finish();
  if (!status.failed())
    savedStep_ = state_.step;
  return status;
}

Status Trainer::dump() {
  if (!isMain())
    return Status::ok();
  const planpb::Program &program = session_.program("dump");
  std::vector<TensorSource> tensors;
  for (const planpb::Binding &output : program.outputs())
    tensors.push_back(bufferSource(session_, program.buffers(int(output.buffer())), output.name()));
  for (const planpb::Parameter &parameter : session_.plan().parameters())
    if (parameter.role() == planpb::TRAINABLE || parameter.role() == planpb::BUFFER)
      tensors.push_back(parameterSource(session_, parameter, "parameter/" + parameter.name()));
  return writeSafetensors(options_.dump + "/step0.safetensors", tensors, {{"producer", "trainwright"}});
}

void Trainer::printProfile() const {
  const planpb::Program &program = session_.program("train");
  std::map<std::string, std::pair<double, int64_t>> kernels;
  double total = 0;
  for (size_t i = 0; i < profile_.size(); ++i) {
    auto &entry = kernels[instructionText(program.instructions(int(i)))];
    entry.first += profile_[i];
    ++entry.second;
    total += profile_[i];
  }
  std::vector<std::pair<double, std::string>> sorted;
  sorted.reserve(kernels.size());
  for (auto &[name, entry] : kernels)
    sorted.push_back({entry.first, text(name, " x ", entry.second)});
  std::sort(sorted.rbegin(), sorted.rend());
  for (auto &[seconds, name] : sorted)
    std::printf("%10.3f ms %5.1f %%  %s\n", seconds * 1e3 / double(std::max<size_t>(seconds_.size(), 1)),
                100 * seconds / total, name.c_str());
}

} // namespace tw::rt
