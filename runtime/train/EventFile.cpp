// TensorBoard's format. A record is: u64 length, masked CRC of the length, data, masked CRC of the data. The data are
// an Event (field numbers of TensorFlow's event.proto and summary.proto), spelled out here by hand.
#include "runtime/base/AtomicFile.h"
#include "runtime/base/Text.h"
#include "runtime/train/Metrics.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace tw::rt {

uint32_t crc32c(const void *data, size_t size) {
  static const std::array<uint32_t, 256> table = [] {
    std::array<uint32_t, 256> made{};
    for (uint32_t i = 0; i < 256; ++i) {
      uint32_t value = i;
      for (int bit = 0; bit < 8; ++bit)
        value = value >> 1 ^ (value & 1 ? 0x82f63b78u : 0); // the polynomial, bits reversed
      made[i] = value;
    }
    return made;
  }();
  uint32_t crc = 0xffffffffu;
  for (size_t i = 0; i < size; ++i)
    crc = crc >> 8 ^ table[(crc ^ static_cast<const uint8_t *>(data)[i]) & 0xff];
  return ~crc;
}

uint32_t maskedCrc32c(const void *data, size_t size) {
  uint32_t crc = crc32c(data, size);
  return (crc >> 15 | crc << 17) + 0xa282ead8u;
}

static void putVarint(std::string &out, uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    out += char(value | 0x80);
  out += char(value);
}
static void putFixed(std::string &out, const void *value, size_t bytes) { // little-endian hosts only, as all of ours
  out.append(static_cast<const char *>(value), bytes);
}
static void putBytes(std::string &out, int field, const std::string &bytes) {
  putVarint(out, uint64_t(field) << 3 | 2);
  putVarint(out, bytes.size());
  out += bytes;
}

static std::string eventStart(double wallTime) {
  std::string event;
  putVarint(event, 1 << 3 | 1); // Event.wall_time
  putFixed(event, &wallTime, 8);
  return event;
}

EventFile::~EventFile() {
  if (descriptor_ >= 0)
    ::close(descriptor_);
}

Expected<EventFile> EventFile::open(const std::string &folder) {
  TW_TRY(makeFolders(folder));
  double now = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  char host[256] = "localhost";
  ::gethostname(host, sizeof host - 1);
  std::string path = text(folder, "/events.out.tfevents.", int64_t(now), ".", host, ".", ::getpid());
  EventFile file;
  file.descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file.descriptor_ < 0)
    return Status::error(writeProblem(path, errno));
  file.path_ = path;
  std::string event = eventStart(now);
  putBytes(event, 3, "brain.Event:2"); // Event.file_version
  TW_TRY(file.record(event));
  return file;
}

Status EventFile::write(int64_t step, double wallTime, const MetricValues &values) {
  std::string summary;
  for (auto &[name, number] : values) {
    std::string value;
    float single = float(number);
    putBytes(value, 1, name);     // Summary.Value.tag
    putVarint(value, 2 << 3 | 5); // Summary.Value.simple_value
    putFixed(value, &single, 4);
    putBytes(summary, 1, value); // Summary.value
  }
  std::string event = eventStart(wallTime);
  putVarint(event, 2 << 3); // Event.step
  putVarint(event, uint64_t(step));
  putBytes(event, 5, summary); // Event.summary
  return record(event);
}

Status EventFile::record(const std::string &event) {
  std::string out;
  uint64_t length = event.size();
  putFixed(out, &length, 8);
  uint32_t crc = maskedCrc32c(out.data(), 8);
  putFixed(out, &crc, 4);
  out += event;
  crc = maskedCrc32c(event.data(), event.size());
  putFixed(out, &crc, 4);
  return appendWhole(descriptor_, out, path_);
}

} // namespace tw::rt
