#include "runtime/main/Main.h"
#include "runtime/base/Log.h"
#include "runtime/train/Application.h"
#include "runtime/train/RunRanks.h"
#include "runtime/train/Signals.h"
#include "runtime/train/SpinLimit.h"

#include <cstring>

using namespace tw::rt;

/// `--run-ranks INPUTS RESULTS`: for `tw-plan check`, which cannot load this program's kernels itself.
static int runRanksMain(const char *inputs, const char *results) {
  auto loaded = loadPlanFile("/proc/self/exe");
  Status status = loaded.failed()
                      ? loaded.takeStatus()
                      : runRanks(*loaded, kernelTable(tw_find_kernel, tw_generated_kernels), inputs, results);
  if (status.failed())
    logError(status.message());
  return status.failed() ? 1 : 0;
}

int tw_train_main(int argc, char **argv) {
  if (argc == 4 && strcmp(argv[1], "--run-ranks") == 0)
    return runRanksMain(argv[2], argv[3]);
  auto parsed = parseOptions(argc, argv);
  if (parsed.failed()) {
    logError(parsed.message());
    return 2;
  }
  if (std::optional<int> code = parsed->exitCode)
    return *code;
  auto loaded = loadPlanFile("/proc/self/exe");
  if (loaded.failed()) {
    logError(loaded.message());
    return 1;
  }
  return runApplication(*loaded, kernelTable(tw_find_kernel, tw_generated_kernels), parsed->options);
}

int main(int argc, char **argv) {
  limitSpinning(argv);
  catchFileSignals();
  return tw_train_main(argc, argv);
}
