// What the compiler appends to an executable: weights, the plan, and a trailer that finds both.
//
//   [ELF image] [padding to 64] [weights: chunks, each aligned to 64] [plan: Protobuf bytes] [trailer: 88 bytes]
//
// The trailer's numbers are little-endian:
//   offset 0   magic     "TWPAYLD1", 8 bytes
//          8   version   u32, 1
//         12   reserved  u32, 0
//         16   weights   u64 offset in the file, u64 length
//         32   plan      u64 offset in the file, u64 length
//         48   digest    SHA-256 of the plan's bytes, 32 bytes
//         80   magic     again: the last 8 bytes of the file say whether there is a payload
// Offsets in FileRange whose file is "" count from the start of the weights.
#ifndef TW_RUNTIME_PLAN_PAYLOAD_H
#define TW_RUNTIME_PLAN_PAYLOAD_H

#include "runtime/base/MappedFile.h"
#include "runtime/base/Sha256.h"
#include <functional>
#include <optional>
#include <string>

namespace tw::rt {

constexpr size_t payloadTrailerSize = 88;
constexpr uint32_t payloadVersion = 1;
constexpr size_t payloadAlignment = 64;

/// Where the parts of a payload are in its file.
struct Payload {
  uint64_t weightsOffset = 0, weightsLength = 0;
  uint64_t planOffset = 0, planLength = 0;
  Digest planDigest{};
};

/// Finds and checks the payload of `file`: bounds and the plan's digest. None when the file carries none.
Expected<std::optional<Payload>> readPayload(const MappedFile &file);

/// Appends a payload to an image. Weights are added first, then the plan.
class PayloadWriter {
public:
  using Sink = std::function<Status(const void *data, size_t size)>;
  /// `imageSize` bytes are already in the sink.
  PayloadWriter(Sink sink, uint64_t imageSize) : sink_(std::move(sink)), position_(imageSize) {}
  /// Returns the chunk's offset from the start of the weights.
  Expected<uint64_t> addWeights(const void *data, size_t size);
  /// Writes the plan and the trailer; nothing may follow.
  Status finish(const std::string &planBytes);

private:
  Status pad();
  Sink sink_;
  uint64_t position_;
  std::optional<uint64_t> weightsOffset_;
};

/// Writes `<image><payload>` to `path`, atomically and executable. `weights` is one block of chunks laid out by the
/// caller, each at an offset that is a multiple of 64.
Status writeExecutable(const std::string &image, const std::string &path, const std::string &weights,
                       const std::string &planBytes);

} // namespace tw::rt
#endif
