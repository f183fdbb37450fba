// SIGINT and SIGTERM ask training to stop after the step it is in; signals that mean bad files become errors.
#ifndef TW_RUNTIME_TRAIN_SIGNALS_H
#define TW_RUNTIME_TRAIN_SIGNALS_H

namespace tw::rt {

/// Call once at the start. A write beyond the limit on file sizes then fails like one on a full disk, and a file that
/// is cut short while it is mapped ends the process with one sentence and exit code 1.
void catchFileSignals();
/// From now on SIGINT and SIGTERM set the flag. A second one of either ends the process at once.
void catchStopSignals();
/// The signal that asked to stop; 0 when none has.
int stopSignal();
/// For tests.
void clearStopSignal();

} // namespace tw::rt
#endif
