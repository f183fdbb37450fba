// SIGINT and SIGTERM ask training to stop after the step it is in.
#ifndef TW_RUNTIME_TRAIN_SIGNALS_H
#define TW_RUNTIME_TRAIN_SIGNALS_H

namespace tw::rt {

/// From now on SIGINT and SIGTERM set the flag. A second one of either ends the process at once.
void catchStopSignals();
/// The signal that asked to stop; 0 when none has.
int stopSignal();
/// For tests.
void clearStopSignal();

} // namespace tw::rt
#endif
