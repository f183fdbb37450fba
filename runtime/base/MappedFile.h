// A file mapped for reading, or bytes unpacked into an unnamed temporary file and mapped.
#ifndef TW_RUNTIME_BASE_MAPPEDFILE_H
#define TW_RUNTIME_BASE_MAPPEDFILE_H

#include "runtime/base/Status.h"
#include <cstddef>
#include <cstdint>
#include <string>

namespace tw::rt {

class MappedFile {
public:
  /// Maps the whole of a regular file.
  static Expected<MappedFile> open(const std::string &path);
  /// Maps an open file descriptor and takes it; `name` is for messages.
  static Expected<MappedFile> adopt(int descriptor, const std::string &name);

  MappedFile() = default;
  MappedFile(MappedFile &&other) noexcept { *this = std::move(other); }
  MappedFile &operator=(MappedFile &&other) noexcept;
  ~MappedFile();

  const uint8_t *data() const { return data_; }
  size_t size() const { return size_; }
  const std::string &path() const { return path_; }
  /// Drops the pages from this process's resident memory; they are read again when touched.
  void release() const;

private:
  const uint8_t *data_ = nullptr;
  size_t size_ = 0;
  std::string path_;
};

/// An unnamed file in $TMPDIR (or /tmp) for unpacked data: on disk, not in this process's memory.
Expected<int> openScratchFile();

} // namespace tw::rt
#endif
