#include "runtime/base/FolderLock.h"
#include "runtime/base/Text.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace tw::rt {

Expected<FolderLock> FolderLock::take(const std::string &folder) {
  FolderLock lock;
  lock.descriptor_ = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock.descriptor_ < 0)
    return Status::error(text("cannot open the folder '", folder, "': ", systemError(errno)));
  // Some file systems have no locks; that is theirs to decide.
  if (::flock(lock.descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    return Status::error(
        text("another program is saving into '", folder, "': wait for it to end, or choose another folder"));
  return lock;
}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0)
    ::close(descriptor_);
}

} // namespace tw::rt
