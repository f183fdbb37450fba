// The safetensors format: u64 length of a JSON header, the header, the tensors' bytes.
#ifndef TW_RUNTIME_TRAIN_SAFETENSORS_H
#define TW_RUNTIME_TRAIN_SAFETENSORS_H

#include "runtime/base/AtomicFile.h"
#include "runtime/base/MappedFile.h"
#include "runtime/base/Status.h"
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace tw::rt {

/// A tensor to be written: `write` hands its bytes to the sink, in as many pieces as it likes.
struct TensorSource {
  using Sink = std::function<Status(const void *data, size_t size)>;
  std::string name;
  int type = 0;
  std::vector<int64_t> shape;
  std::function<Status(const Sink &sink)> write;
};

/// Writes the file atomically, tensor by tensor: no copy of the whole is made. `checksum`, if not null, becomes the
/// CRC-32 (ISO 3309) of all of its bytes.
Status writeSafetensors(const std::string &path, const std::vector<TensorSource> &tensors,
                        const std::map<std::string, std::string> &metadata, uint32_t *checksum = nullptr);
/// The CRC-32 of bytes that follow others of checksum `before`.
uint32_t crc32Of(const void *data, size_t size, uint32_t before = 0);

struct SafetensorsFile {
  struct Tensor {
    int type = 0;
    std::vector<int64_t> shape;
    const uint8_t *data = nullptr;
    uint64_t bytes = 0;
  };
  MappedFile file;
  std::map<std::string, Tensor> tensors;
  std::map<std::string, std::string> metadata;
};
/// Maps a file and checks its header against its length.
Expected<SafetensorsFile> readSafetensors(const std::string &path);

} // namespace tw::rt
#endif
