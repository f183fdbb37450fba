#include "runtime/base/AtomicFile.h"
#include "runtime/base/Text.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace tw::rt {

std::string parentFolder(const std::string &path) {
  size_t slash = path.find_last_of('/');
  if (slash == std::string::npos)
    return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string writeProblem(const std::string &path, int number) {
  bool noRoom = number == ENOSPC || number == EDQUOT || number == EFBIG;
  return text("cannot write '", path, "': ", systemError(number), noRoom ? "; make room or choose another place" : "");
}

Status appendWhole(int descriptor, const std::string &bytes, const std::string &path) {
  off_t before = ::lseek(descriptor, 0, SEEK_END);
  for (size_t at = 0; at < bytes.size();) {
    ssize_t count = ::write(descriptor, bytes.data() + at, bytes.size() - at);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0) {
      int number = errno;
      int ignored = before >= 0 ? ::ftruncate(descriptor, before) : 0;
      (void)ignored;
      return Status::error(writeProblem(path, number));
    }
    at += size_t(count);
  }
  return Status::ok();
}

/// Where the bytes of `path` go: through symbolic links, and only where a file can be replaced.
static Expected<std::string> finalPlace(const std::string &path) {
  std::error_code error;
  std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status))
    return path;
  if (!std::filesystem::is_regular_file(status))
    return Status::error(text("cannot write '", path, "': it is not a plain file; choose another name"));
  if (std::filesystem::equivalent(path, "/proc/self/exe", error))
    return Status::error(text("cannot write '", path, "': it is the running program; choose another name"));
  std::filesystem::path real = std::filesystem::canonical(path, error);
  return error ? path : real.string();
}

Expected<AtomicFile> AtomicFile::create(const std::string &path) {
  AtomicFile file;
  TW_ASSIGN(place, finalPlace(path));
  file.path_ = place;
  file.temporary_ = file.path_ + ".tmp-" + std::to_string(::getpid());
  file.descriptor_ = ::open(file.temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file.descriptor_ < 0)
    return Status::error(text("cannot create '", file.temporary_, "': ", systemError(errno)));
  return file;
}

AtomicFile &AtomicFile::operator=(AtomicFile &&other) noexcept {
  std::swap(path_, other.path_);
  std::swap(temporary_, other.temporary_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(written_, other.written_);
  return *this;
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0)
    return;
  ::close(descriptor_);
  ::unlink(temporary_.c_str());
}

Status AtomicFile::write(const void *data, size_t size) {
  const char *bytes = static_cast<const char *>(data);
  while (size > 0) {
    ssize_t count = ::write(descriptor_, bytes, std::min<size_t>(size, 1 << 26));
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return Status::error(writeProblem(path_, errno));
    bytes += count;
    size -= size_t(count);
    written_ += uint64_t(count);
  }
  return Status::ok();
}

Status AtomicFile::commit() {
  if (::fsync(descriptor_) != 0)
    return Status::error(writeProblem(path_, errno));
  if (::rename(temporary_.c_str(), path_.c_str()) != 0)
    return Status::error(text("cannot rename '", temporary_, "' to '", path_, "': ", systemError(errno)));
  ::close(descriptor_);
  descriptor_ = -1;
  return syncFolder(parentFolder(path_));
}

Status writeFileAtomically(const std::string &path, const std::string &bytes) {
  TW_ASSIGN(file, AtomicFile::create(path));
  TW_TRY(file.write(bytes));
  return file.commit();
}

Status makeFolders(const std::string &path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error)
    return Status::error(text("cannot create the folder '", path, "': ", error.message()));
  return Status::ok();
}

Status syncFolder(const std::string &folder) {
  int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0)
    return Status::error(text("cannot open the folder '", folder, "': ", systemError(errno)));
  int result = ::fsync(descriptor);
  int number = errno;
  ::close(descriptor);
  // Some file systems do not sync folders; that is theirs to decide.
  if (result != 0 && number != EINVAL && number != EROFS)
    return Status::error(text("cannot sync the folder '", folder, "': ", systemError(number)));
  return Status::ok();
}

} // namespace tw::rt
