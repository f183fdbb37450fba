// How long OpenMP threads that wait for work spin before they sleep.
#ifndef TW_RUNTIME_TRAIN_SPINLIMIT_H
#define TW_RUNTIME_TRAIN_SPINLIMIT_H

namespace tw::rt {

/// Call first in `main`. Starts the process anew with a short spin, unless the user has set OMP_WAIT_POLICY or
/// GOMP_SPINCOUNT; then, or when that fails, it returns and nothing has changed.
void limitSpinning(char *const *argv);

} // namespace tw::rt
#endif
