// One array of a data file, where it lies: mapped from disk, never copied.
#ifndef TW_RUNTIME_TRAIN_DATA_ARRAY_H
#define TW_RUNTIME_TRAIN_DATA_ARRAY_H

#include "runtime/base/MappedFile.h"
#include "runtime/base/Status.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tw::rt {

/// An element type beside tw_type: the unsigned 16-bit ids of token files.
constexpr int tokenU16 = 64;
/// typeSize, typeName and loadInteger that know tokenU16 too.
size_t dataTypeSize(int type);
const char *dataTypeName(int type);
int64_t dataInteger(int type, const void *data, int64_t index);

struct Array {
  std::string name; // of the input it is for; "" when the file does not say
  int type = 0;     // tw_type; numbers are little-endian and may be unaligned
  std::vector<int64_t> shape;
  const uint8_t *data = nullptr;    // row-major
  std::shared_ptr<MappedFile> file; // keeps `data` alive
  std::string origin;               // file and entry, for messages
};

/// The sizes of `array` fit `bytes` at `data`; otherwise an error.
Status checkArrayBytes(const Array &array, uint64_t bytes);

/// .npy: NumPy's array format 1.0 to 3.0, C order, little-endian.
Expected<Array> readNpy(std::shared_ptr<MappedFile> file, const uint8_t *data, uint64_t size,
                        const std::string &origin);
/// .npz: a ZIP archive of .npy files, stored or deflated; deflated ones are unpacked into a temporary file.
Expected<std::vector<Array>> readNpz(const std::string &path);
/// IDX, the format of MNIST, plain or gzip.
Expected<Array> readIdx(const std::string &path);
/// Unpacks a gzip file (RFC 1952), or a raw deflate stream, into an unnamed temporary file.
Expected<std::shared_ptr<MappedFile>> inflateToScratch(const uint8_t *data, uint64_t size, bool gzip,
                                                       const std::string &origin);

} // namespace tw::rt
#endif
