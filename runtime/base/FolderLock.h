// One program at a time may write into a folder.
#ifndef TW_RUNTIME_BASE_FOLDERLOCK_H
#define TW_RUNTIME_BASE_FOLDERLOCK_H

#include "runtime/base/Status.h"
#include <string>
#include <utility>

namespace tw::rt {

/// An advisory lock on an existing folder, held until it is destroyed or the process ends. It leaves no file behind.
class FolderLock {
public:
  /// Fails when another process, or another lock of this one, holds the folder.
  static Expected<FolderLock> take(const std::string &folder);
  FolderLock() = default;
  FolderLock(FolderLock &&other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FolderLock &operator=(FolderLock &&other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~FolderLock();

private:
  int descriptor_ = -1;
};

} // namespace tw::rt
#endif
