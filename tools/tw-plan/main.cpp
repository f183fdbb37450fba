// tw-plan: reads plans and the executables that carry them.
#include "runtime/base/Log.h"
#include "tools/tw-plan/Commands.h"

#include <CLI/CLI.hpp>
#include <cstdio>

using namespace tw;

namespace {

int report(const rt::Status &status) {
  if (!status.failed())
    return 0;
  fprintf(stderr, "tw-plan: error: %s\n", status.message().c_str());
  return 1;
}

template <typename Command>
int withPlan(const std::string &path, Command command) {
  auto loaded = rt::loadPlanFile(path);
  if (loaded.failed())
    return report(loaded.takeStatus());
  rt::Status status = command(*loaded);
  if (!status.failed() && (std::fflush(stdout) != 0 || std::ferror(stdout)))
    return report(rt::Status::error("cannot write standard output; is its disk full?"));
  return report(status);
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Reads a plan file (twc --emit=plan) or an executable made by twc.", "tw-plan");
  app.require_subcommand(1);
  std::string path;
  const char *pathHelp = "plan file or executable";
  planTool::ShowOptions show;
  planTool::MemoryOptions memory;
  planTool::CheckOptions check;

  CLI::App *showCommand = app.add_subcommand("show", "print parameters, inputs and instructions");
  showCommand->add_option("plan", path, pathHelp)->required();
  showCommand->add_option("--program", show.program, "only this program: train, evaluate or dump");
  showCommand->add_option("--rank", show.rank, "the rank whose programs are shown")->capture_default_str();
  showCommand->add_flag("--buffers", show.buffers, "list every buffer with its place in the arena");

  CLI::App *memoryCommand = app.add_subcommand("memory", "print what the arena holds, and what is alive at the peak");
  memoryCommand->add_option("plan", path, pathHelp)->required();
  memoryCommand->add_option("--program", memory.program, "train, evaluate or dump")->capture_default_str();
  memoryCommand->add_option("--rank", memory.rank, "one rank; -1: all")->capture_default_str();
  memoryCommand->add_option("--top", memory.top, "how many tensors to list at the peak")->capture_default_str();

  CLI::App *checkCommand = app.add_subcommand(
      "check", "verify the plan statically; with --against, execute all ranks in one process and compare");
  checkCommand->add_option("plan", path, pathHelp)->required();
  checkCommand->add_option("--against", check.reference,
                           "executable of the same model and global batch, usually compiled for one rank");
  checkCommand->add_option("--steps", check.steps, "training steps to compare")->capture_default_str();
  checkCommand->add_option("--seed", check.seed, "seed of the random batch")->capture_default_str();
  checkCommand->add_option("--tolerance", check.tolerance, "largest difference relative to a tensor's largest element")
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);

  if (showCommand->parsed())
    return withPlan(path, [&](rt::LoadedPlan &loaded) { return planTool::show(loaded, show); });
  if (memoryCommand->parsed())
    return withPlan(path, [&](rt::LoadedPlan &loaded) { return planTool::memory(loaded, memory); });
  check.path = path;
  return withPlan(path, [&](rt::LoadedPlan &loaded) { return planTool::check(loaded, check); });
}
