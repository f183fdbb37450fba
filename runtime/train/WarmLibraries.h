// What libraries keep for themselves, made before memory is measured.
#ifndef TW_RUNTIME_TRAIN_WARMLIBRARIES_H
#define TW_RUNTIME_TRAIN_WARMLIBRARIES_H

#include "runtime/plan/VerifyPlan.h"

namespace tw::rt {

/// Starts the team of `threads` threads, whose stacks stay, and lets BLAS make and touch its packing buffers, whose
/// size depends on the processor and not on the model. Kernels that the table lacks are left out.
void warmLibraries(const KernelTable &kernels, int threads);

} // namespace tw::rt
#endif
