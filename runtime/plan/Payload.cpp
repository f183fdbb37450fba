#include "runtime/plan/Payload.h"
#include "runtime/base/AtomicFile.h"
#include "runtime/base/Text.h"

#include <cerrno>
#include <cstring>
#include <sys/stat.h>

namespace tw::rt {

static const char magic[9] = "TWPAYLD1";

static void putNumber(std::string &out, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i)
    out += char(value >> (8 * i));
}

static uint64_t getNumber(const uint8_t *data, int bytes) {
  uint64_t value = 0;
  for (int i = 0; i < bytes; ++i)
    value |= uint64_t(data[i]) << (8 * i);
  return value;
}

Expected<std::optional<Payload>> readPayload(const MappedFile &file) {
  if (file.size() < payloadTrailerSize || std::memcmp(file.data() + file.size() - 8, magic, 8) != 0)
    return std::optional<Payload>();
  const uint8_t *trailer = file.data() + file.size() - payloadTrailerSize;
  auto damaged = [&](const std::string &what) {
    return Status::error(text("the payload of '", file.path(), "' is damaged (", what, "); compile the program again"));
  };
  if (std::memcmp(trailer, magic, 8) != 0)
    return damaged("no trailer");
  uint64_t version = getNumber(trailer + 8, 4);
  if (version != payloadVersion)
    return Status::error(text("the payload of '", file.path(), "' has version ", version,
                              ", this program reads version ", payloadVersion, "; compile the program again"));
  Payload payload;
  payload.weightsOffset = getNumber(trailer + 16, 8);
  payload.weightsLength = getNumber(trailer + 24, 8);
  payload.planOffset = getNumber(trailer + 32, 8);
  payload.planLength = getNumber(trailer + 40, 8);
  std::memcpy(payload.planDigest.data(), trailer + 48, 32);
  uint64_t limit = file.size() - payloadTrailerSize;
  auto inside = [&](uint64_t offset, uint64_t length) { return offset <= limit && length <= limit - offset; };
  if (!inside(payload.weightsOffset, payload.weightsLength) || !inside(payload.planOffset, payload.planLength))
    return damaged("a part lies outside the file");
  if (sha256(file.data() + payload.planOffset, payload.planLength) != payload.planDigest)
    return damaged("the plan's SHA-256 differs");
  return std::optional<Payload>(payload);
}

Status PayloadWriter::pad() {
  static const char zeros[payloadAlignment] = {};
  size_t padding = size_t(-position_ % payloadAlignment);
  position_ += padding;
  return sink_(zeros, padding);
}

Expected<uint64_t> PayloadWriter::addWeights(const void *data, size_t size) {
  TW_TRY(pad());
  if (!weightsOffset_)
    weightsOffset_ = position_;
  uint64_t offset = position_ - *weightsOffset_;
  TW_TRY(sink_(data, size));
  position_ += size;
  return offset;
}

Status PayloadWriter::finish(const std::string &planBytes) {
  uint64_t weightsOffset = weightsOffset_.value_or(position_), weightsLength = position_ - weightsOffset;
  Digest digest = sha256(planBytes.data(), planBytes.size());
  std::string trailer(magic, 8);
  putNumber(trailer, payloadVersion, 4);
  putNumber(trailer, 0, 4);
  putNumber(trailer, weightsOffset, 8);
  putNumber(trailer, weightsLength, 8);
  putNumber(trailer, position_, 8);
  putNumber(trailer, planBytes.size(), 8);
  trailer.append(reinterpret_cast<const char *>(digest.data()), digest.size());
  trailer.append(magic, 8);
  TW_TRY(sink_(planBytes.data(), planBytes.size()));
  position_ += planBytes.size();
  return sink_(trailer.data(), trailer.size());
}

Status writeExecutable(const std::string &image, const std::string &path, const std::string &weights,
                       const std::string &planBytes) {
  TW_ASSIGN(source, MappedFile::open(image));
  TW_ASSIGN(file, AtomicFile::create(path));
  TW_TRY(file.write(source.data(), source.size()));
  PayloadWriter writer([&](const void *data, size_t size) { return file.write(data, size); }, source.size());
  if (!weights.empty())
    TW_TRY(writer.addWeights(weights.data(), weights.size()).takeStatus());
  TW_TRY(writer.finish(planBytes));
  TW_TRY(file.commit());
  if (::chmod(path.c_str(), 0755) != 0)
    return Status::error(text("cannot make '", path, "' executable: ", systemError(errno)));
  return Status::ok();
}

} // namespace tw::rt
