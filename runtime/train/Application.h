// A compiled program from its plan and command line to its exit code.
#ifndef TW_RUNTIME_TRAIN_APPLICATION_H
#define TW_RUNTIME_TRAIN_APPLICATION_H

#include "runtime/plan/LoadPlan.h"
#include "runtime/plan/VerifyPlan.h"
#include "runtime/train/Options.h"

namespace tw::rt {

/// Trains, evaluates, exports: what the options ask for. Prints errors; returns the exit code.
int runApplication(LoadedPlan &loaded, const KernelTable &kernels, const Options &options);

} // namespace tw::rt
#endif
