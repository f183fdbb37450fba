// ZIP as far as .npz needs it: central directory with ZIP64 extensions, stored and deflated entries (APPNOTE 6.3).
#include "runtime/base/Text.h"
#include "runtime/train/data/Array.h"

#include <algorithm>
#include <cstring>

namespace tw::rt {

namespace {

uint64_t number(const uint8_t *data, int bytes) {
  uint64_t value = 0;
  for (int i = 0; i < bytes; ++i)
    value |= uint64_t(data[i]) << (8 * i);
  return value;
}

struct Entry {
  std::string name;
  uint64_t method = 0, packed = 0, size = 0, header = 0, flags = 0;
};

class Archive {
public:
  Archive(const std::string &path, std::shared_ptr<MappedFile> file) : path_(path), file_(std::move(file)) {}

  Expected<std::vector<Array>> arrays() {
    TW_TRY(findDirectory());
    std::vector<Array> result;
    uint64_t at = directory_;
    for (uint64_t i = 0; i < entries_; ++i) {
      Entry entry;
      TW_TRY(readEntry(at, entry));
      TW_ASSIGN(array, readArray(entry));
      result.push_back(std::move(array));
    }
    if (result.empty())
      return Status::error(text("'", path_, "' holds no arrays"));
    return result;
  }

private:
  Status damaged(const std::string &what) const {
    return Status::error(text("'", path_, "' is not a complete .npz file: ", what, "; copy or make it again"));
  }
  bool inside(uint64_t at, uint64_t bytes) const { return at <= file_->size() && bytes <= file_->size() - at; }
  const uint8_t *at(uint64_t offset) const { return file_->data() + offset; }

  Status findDirectory() {
    uint64_t size = file_->size();
    if (size < 22)
      return damaged("it is too short");
    uint64_t lowest = size > 22 + 65535 ? size - 22 - 65535 : 0;
    for (uint64_t end = size - 22;; --end) {
      if (std::memcmp(at(end), "PK\5\6", 4) == 0) {
        entries_ = number(at(end + 10), 2);
        directory_ = number(at(end + 16), 4);
        if (end >= 20 && std::memcmp(at(end - 20), "PK\6\7", 4) == 0) {
          uint64_t wide = number(at(end - 20 + 8), 8);
          if (!inside(wide, 56) || std::memcmp(at(wide), "PK\6\6", 4) != 0)
            return damaged("its ZIP64 directory is missing");
          entries_ = number(at(wide + 32), 8);
          directory_ = number(at(wide + 48), 8);
        }
        return Status::ok();
      }
      if (end == lowest)
        return damaged("it has no ZIP directory");
    }
  }

  Status readEntry(uint64_t &offset, Entry &entry) {
    if (!inside(offset, 46) || std::memcmp(at(offset), "PK\1\2", 4) != 0)
      return damaged("its directory is truncated");
    const uint8_t *fields = at(offset);
    entry.flags = number(fields + 8, 2);
    entry.method = number(fields + 10, 2);
    entry.packed = number(fields + 20, 4);
    entry.size = number(fields + 24, 4);
    entry.header = number(fields + 42, 4);
    uint64_t name = number(fields + 28, 2), extra = number(fields + 30, 2), comment = number(fields + 32, 2);
    if (!inside(offset + 46, name + extra + comment))
      return damaged("its directory is truncated");
    entry.name.assign(reinterpret_cast<const char *>(fields) + 46, name);
    readZip64(fields + 46 + name, extra, entry);
    offset += 46 + name + extra + comment;
    return Status::ok();
  }

  // The ZIP64 extra field holds, in this order, those of the three numbers that are 0xffffffff in the entry.
  static void readZip64(const uint8_t *extra, uint64_t size, Entry &entry) {
    for (uint64_t i = 0; i + 4 <= size;) {
      uint64_t id = number(extra + i, 2), length = number(extra + i + 2, 2);
      if (id == 1 && i + 4 + length <= size) {
        uint64_t next = i + 4, end = next + length;
        for (uint64_t *field : {&entry.size, &entry.packed, &entry.header})
          if (*field == 0xffffffff && next + 8 <= end) {
            *field = number(extra + next, 8);
            next += 8;
          }
      }
      i += 4 + length;
    }
  }

  Expected<Array> readArray(const Entry &entry) {
    std::string origin = text("array '", entry.name, "' of '", path_, "'");
    if (!inside(entry.header, 30) || std::memcmp(at(entry.header), "PK\3\4", 4) != 0)
      return damaged(text("entry '", entry.name, "' is missing"));
    uint64_t start = entry.header + 30 + number(at(entry.header + 26), 2) + number(at(entry.header + 28), 2);
    if (!inside(start, entry.packed))
      return damaged(text("entry '", entry.name, "' is truncated"));
    if (entry.flags & 1)
      return Status::error(text(origin, " is encrypted"));
    std::shared_ptr<MappedFile> file = file_;
    const uint8_t *data = at(start);
    uint64_t size = entry.packed;
    if (entry.method == 8) {
      TW_ASSIGN(unpacked, inflateToScratch(data, size, false, origin));
      file = unpacked;
      data = file->data();
      size = file->size();
    } else if (entry.method != 0) {
      return Status::error(text(origin, " is packed by ZIP method ", entry.method, "; save with numpy.savez"));
    }
    TW_ASSIGN(array, readNpy(file, data, size, origin));
    array.name = entry.name;
    if (array.name.size() > 4 && array.name.compare(array.name.size() - 4, 4, ".npy") == 0)
      array.name.resize(array.name.size() - 4);
    return array;
  }

  std::string path_;
  std::shared_ptr<MappedFile> file_;
  uint64_t entries_ = 0, directory_ = 0;
};

} // namespace

Expected<std::vector<Array>> readNpz(const std::string &path) {
  TW_ASSIGN(file, MappedFile::open(path));
  return Archive(path, std::make_shared<MappedFile>(std::move(file))).arrays();
}

} // namespace tw::rt
