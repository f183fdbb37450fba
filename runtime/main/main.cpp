#include "runtime/main/Main.h"
#include "runtime/base/Log.h"
#include "runtime/train/Application.h"

using namespace tw::rt;

int tw_train_main(int argc, char **argv) {
  auto parsed = parseOptions(argc, argv);
  if (parsed.failed()) {
    logError(parsed.message());
    return 2;
  }
  if (parsed->exitCode)
    return *parsed->exitCode;
  auto loaded = loadPlanFile("/proc/self/exe");
  if (loaded.failed()) {
    logError(loaded.message());
    return 1;
  }
  return runApplication(*loaded, kernelTable(tw_find_kernel, tw_generated_kernels), parsed->options);
}

int main(int argc, char **argv) {
  return tw_train_main(argc, argv);
}
