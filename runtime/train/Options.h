// The command line of a compiled program.
#ifndef TW_RUNTIME_TRAIN_OPTIONS_H
#define TW_RUNTIME_TRAIN_OPTIONS_H

#include "runtime/base/Status.h"
#include "runtime/train/data/Dataset.h"
#include <optional>
#include <string>

namespace tw::rt {

struct Options {
  DataOptions data, evalData;
  bool evaluate = false;
  int64_t steps = -1, epochs = -1; // totals, counted from the very first step; -1: not given
  std::optional<uint64_t> seed;
  bool shuffle = true;
  std::string resume, save, exportOnnx, metrics, tensorboard, dump;
  int64_t saveEvery = 0;
  int keep = 0;
  int threads = 0; // 0: what the plan says
  int64_t logEvery = 0;
  std::string progress = "auto";
  bool memory = false, time = false, profile = false;

  /// True when the options ask for training steps.
  bool trains() const { return !data.empty() && (steps >= 0 || epochs >= 0 || (!evaluate && dump.empty())); }
};

struct ParsedOptions {
  Options options;
  std::optional<int> exitCode; // set when all is done: --help
};

/// Reads the command line. Errors are one sentence; --help prints to standard output.
Expected<ParsedOptions> parseOptions(int argc, const char *const *argv);

} // namespace tw::rt
#endif
