// What the kernel says about this process's memory.
#ifndef TW_RUNTIME_TRAIN_PROCESSMEMORY_H
#define TW_RUNTIME_TRAIN_PROCESSMEMORY_H

#include <atomic>
#include <cstdint>
#include <thread>

namespace tw::rt {

/// Bytes resident now, and the most since the start or the last reset; 0 where the system does not say.
uint64_t residentBytes();
uint64_t peakResidentBytes();
/// Starts the peak anew from what is resident now.
void resetPeak();

/// The most anonymous memory between the watch's making and its end. The kernel keeps peaks of all resident memory
/// only, mapped files and the code of libraries included, hence a thread that looks each millisecond.
class MemoryWatch {
public:
  MemoryWatch();
  ~MemoryWatch();
  /// The part of residentBytes() that no file backs: not the code of libraries, which is read when first used, nor
  /// mapped data, which the system drops and reads as it likes.
  uint64_t anonymousBytes() const;
  /// The most since the last `restart`.
  uint64_t peak() const;
  /// Forgets the peak; returns what is there now.
  uint64_t restart();

private:
  void look();

  int statm_ = -1;
  std::atomic<uint64_t> peak_{0};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

} // namespace tw::rt
#endif
