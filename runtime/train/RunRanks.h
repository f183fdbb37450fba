// All ranks of a compiled program in one process, inputs and results as files: how `tw-plan check` compares layouts.
#ifndef TW_RUNTIME_TRAIN_RUNRANKS_H
#define TW_RUNTIME_TRAIN_RUNRANKS_H

#include "runtime/plan/LoadPlan.h"
#include "runtime/plan/VerifyPlan.h"

#include <string>

namespace tw::rt {

/// Reads safetensors `inputs`: for each input of the plan `input/<name>`, [steps, rows of the global batch, row...], or
/// the value itself for inputs that are not batched. Runs the program "dump" where the plan has one, else "train", for
/// all ranks as threads, once a step, and writes safetensors `results`: `output/<step>/<rank>/<name>` and
/// `parameter/<rank>/<name>` after the last step.
Status runRanks(LoadedPlan &loaded, const KernelTable &kernels, const std::string &inputs, const std::string &results);

} // namespace tw::rt
#endif
