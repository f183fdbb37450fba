// The subcommands of tw-plan. Each prints to standard output and returns an error to be printed by main.
#ifndef TW_TOOLS_TW_PLAN_COMMANDS_H
#define TW_TOOLS_TW_PLAN_COMMANDS_H

#include "runtime/base/Status.h"
#include "runtime/plan/LoadPlan.h"

#include <string>

namespace tw::planTool {

struct ShowOptions {
  std::string program; // empty: all
  int rank = 0;
  bool buffers = false;
};
/// Prints parameters, inputs and the instructions of each program.
rt::Status show(const rt::LoadedPlan &loaded, const ShowOptions &options);

struct MemoryOptions {
  std::string program = "train";
  int rank = -1; // -1: all
  int top = 20;  // tensors listed at the peak
};
/// Prints bytes by kind, the tensors alive at the peak, the lower bound and the arena.
rt::Status memory(const rt::LoadedPlan &loaded, const MemoryOptions &options);

struct CheckOptions {
  std::string path;      // the plan or executable to check
  std::string reference; // an executable of the same model and global batch, usually on one rank; empty: static only
  int steps = 3;
  uint64_t seed = 1;
  double tolerance = 1e-5;
};
/// Runs the static verifier; with a reference, executes all ranks of both in one process each and compares losses,
/// gradients and parameters.
rt::Status check(rt::LoadedPlan &loaded, const CheckOptions &options);

} // namespace tw::planTool
#endif
