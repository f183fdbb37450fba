#include "runtime/base/MappedFile.h"
#include "runtime/base/Text.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace tw::rt {

Expected<MappedFile> MappedFile::open(const std::string &path) {
  // A pipe that nobody writes to would be waited for; it is refused below.
  int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    return Status::error(text("cannot open '", path, "': ", systemError(errno)));
  return adopt(descriptor, path);
}

Expected<MappedFile> MappedFile::adopt(int descriptor, const std::string &name) {
  struct stat info;
  if (::fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode)) {
    ::close(descriptor);
    return Status::error(text("'", name, "' is not a regular file"));
  }
  MappedFile file;
  file.path_ = name;
  file.size_ = size_t(info.st_size);
  if (file.size_ > 0) {
    void *address = ::mmap(nullptr, file.size_, PROT_READ, MAP_SHARED, descriptor, 0);
    if (address == MAP_FAILED) {
      int number = errno;
      ::close(descriptor);
      return Status::error(text("cannot map '", name, "': ", systemError(number)));
    }
    file.data_ = static_cast<const uint8_t *>(address);
  }
  ::close(descriptor);
  return file;
}

MappedFile &MappedFile::operator=(MappedFile &&other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(path_, other.path_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_)
    ::munmap(const_cast<uint8_t *>(data_), size_);
}

void MappedFile::release() const {
  if (data_)
    ::madvise(const_cast<uint8_t *>(data_), size_, MADV_DONTNEED);
}

Expected<int> openScratchFile() {
  const char *folder = std::getenv("TMPDIR");
  std::string pattern = std::string(folder && *folder ? folder : "/tmp") + "/trainwright-XXXXXX";
  std::vector<char> path(pattern.begin(), pattern.end());
  path.push_back('\0');
  int descriptor = ::mkostemp(path.data(), O_CLOEXEC);
  if (descriptor < 0)
    return Status::error(text("cannot create a temporary file '", pattern, "': ", systemError(errno)));
  ::unlink(path.data());
  return descriptor;
}

} // namespace tw::rt
