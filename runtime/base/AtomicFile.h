// Files and folders that appear whole or not at all: a temporary name, fsync, rename.
#ifndef TW_RUNTIME_BASE_ATOMICFILE_H
#define TW_RUNTIME_BASE_ATOMICFILE_H

#include "runtime/base/Status.h"
#include <cstddef>
#include <cstdint>
#include <string>

namespace tw::rt {

/// A plain file being written beside its final place, links followed. Without `commit` it goes and the old one stays.
class AtomicFile {
public:
  static Expected<AtomicFile> create(const std::string &path);
  AtomicFile(AtomicFile &&other) noexcept { *this = std::move(other); }
  AtomicFile &operator=(AtomicFile &&other) noexcept;
  ~AtomicFile();

  Status write(const void *data, size_t size);
  Status write(const std::string &bytes) { return write(bytes.data(), bytes.size()); }
  uint64_t written() const { return written_; }
  /// Makes the bytes durable and gives the file its name.
  Status commit();

private:
  AtomicFile() = default;
  std::string path_, temporary_;
  int descriptor_ = -1;
  uint64_t written_ = 0;
};

Status writeFileAtomically(const std::string &path, const std::string &bytes);
/// Appends all of `bytes` to an open file or, when that fails, none.
Status appendWhole(int descriptor, const std::string &bytes, const std::string &path);
/// "cannot write 'PATH': REASON" for an errno, with a remedy when there is no room.
std::string writeProblem(const std::string &path, int number);
/// Creates the folder and those above it.
Status makeFolders(const std::string &path);
/// Makes renames inside `folder` durable.
Status syncFolder(const std::string &folder);
/// The folder part of a path; "." when it has none.
std::string parentFolder(const std::string &path);

} // namespace tw::rt
#endif
