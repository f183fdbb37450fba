// What training reports: JSON lines and TensorBoard event files.
#ifndef TW_RUNTIME_TRAIN_METRICS_H
#define TW_RUNTIME_TRAIN_METRICS_H

#include "runtime/base/Status.h"
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tw::rt {

/// The numbers of one step, in order; the first is not "step".
using MetricValues = std::vector<std::pair<std::string, double>>;

/// A file of one JSON object a line, each written by one call so that a reader never sees half a line. Numbers that are
/// not finite become null.
class MetricsFile {
public:
  MetricsFile() = default;
  MetricsFile(MetricsFile &&other) noexcept {
    std::swap(descriptor_, other.descriptor_), std::swap(path_, other.path_);
  }
  MetricsFile &operator=(MetricsFile &&other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(path_, other.path_);
    return *this;
  }
  ~MetricsFile();
  /// Begins a new file, or goes on after step `resumedStep` of an old one: later lines are cut off.
  static Expected<MetricsFile> open(const std::string &path, int64_t resumedStep);
  Status write(int64_t step, const MetricValues &values);

private:
  int descriptor_ = -1;
  std::string path_;
};

/// {"step": 3, "loss": 0.5, ...} without a line end.
std::string metricsLine(int64_t step, const MetricValues &values);

/// TensorBoard's event files: TFRecord framing around Event messages.
class EventFile {
public:
  EventFile() = default;
  EventFile(EventFile &&other) noexcept { std::swap(descriptor_, other.descriptor_), std::swap(path_, other.path_); }
  EventFile &operator=(EventFile &&other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(path_, other.path_);
    return *this;
  }
  ~EventFile();
  static Expected<EventFile> open(const std::string &folder);
  Status write(int64_t step, double wallTime, const MetricValues &values);

private:
  Status record(const std::string &event);
  int descriptor_ = -1;
  std::string path_;
};

/// CRC-32C (Castagnoli, RFC 3720) and TFRecord's masked form of it.
uint32_t crc32c(const void *data, size_t size);
uint32_t maskedCrc32c(const void *data, size_t size);

} // namespace tw::rt
#endif
