// What the kernel says about this process's memory.
#ifndef TW_RUNTIME_TRAIN_PROCESSMEMORY_H
#define TW_RUNTIME_TRAIN_PROCESSMEMORY_H

#include <cstdint>

namespace tw::rt {

/// Bytes resident now, and the most since the start or the last reset; 0 where the system does not say.
uint64_t residentBytes();
/// The part of residentBytes() that no file backs: not the code of libraries, which is read when first used, nor mapped
/// data, which the system drops and reads as it likes.
uint64_t anonymousBytes();
uint64_t peakResidentBytes();
/// Starts the peak anew from what is resident now.
void resetPeak();

} // namespace tw::rt
#endif
