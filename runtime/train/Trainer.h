// The training loop: rows in, a step, metrics and checkpoints out.
#ifndef TW_RUNTIME_TRAIN_TRAINER_H
#define TW_RUNTIME_TRAIN_TRAINER_H

#include "runtime/base/FolderLock.h"
#include "runtime/train/Checkpoint.h"
#include "runtime/train/data/Loader.h"
#include "runtime/train/Metrics.h"
#include "runtime/train/Options.h"
#include "runtime/train/Progress.h"

namespace tw::rt {

class Trainer {
public:
  /// `state` says where to begin. All arguments outlive the trainer.
  Trainer(Session &session, const Dataset &dataset, const Options &options, TrainingState state);
  /// Runs to the last step or a signal. The program "dump" takes the place of "train" in the first step when asked for.
  Status run();
  const TrainingState &state() const { return state_; }
  bool interrupted() const { return interrupted_; }
  int64_t lastStep() const { return lastStep_; }
  /// Seconds of each step, in order.
  const std::vector<double> &stepSeconds() const { return seconds_; }
  /// Prints the time that each kernel took, when options.profile.
  void printProfile() const;

private:
  Status openOutputs();
  Status step(Loader &loader, const std::string &program);
  Status report(const planpb::Program &program, double seconds);
  Status writeMetrics(const MetricValues &values);
  Status endInterrupted();
  Status afterStep();
  Status save();
  Status dumpStep();
  Status dump();
  bool isMain() const { return session_.communicator().rank() == 0; }

  Session &session_;
  const Dataset &dataset_;
  const Options &options_;
  TrainingState state_;
  RowLayout layout_;
  Sampler sampler_;
  int64_t lastStep_ = 0, savedStep_ = -1;
  bool interrupted_ = false;
  Status outputFailure_;
  FolderLock saveLock_;
  MetricsFile metrics_;
  EventFile events_;
  std::unique_ptr<Progress> progress_;
  std::vector<double> seconds_, profile_;
};

} // namespace tw::rt
#endif
