#include "runtime/base/AtomicFile.h"
#include "runtime/base/Text.h"
#include "runtime/train/Metrics.h"

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace tw::rt {

std::string metricsLine(int64_t step, const MetricValues &values) {
  std::string line = "{\"step\": " + std::to_string(step);
  for (auto &[name, value] : values) {
    char number[40] = "null";
    if (std::isfinite(value))
      std::snprintf(number, sizeof number, "%.9g", value);
    line += ", " + nlohmann::json(name).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + ": " + number;
  }
  return line + "}";
}

MetricsFile::~MetricsFile() {
  if (descriptor_ >= 0)
    ::close(descriptor_);
}

// Bytes of the leading lines whose step is at most `step`.
static uint64_t bytesUpTo(const std::string &path, int64_t step) {
  std::ifstream file(path);
  std::string line;
  uint64_t bytes = 0;
  while (std::getline(file, line)) {
    nlohmann::json value = nlohmann::json::parse(line, nullptr, false);
    if (file.eof() || !value.is_object() || !value.contains("step") || !value["step"].is_number_integer() ||
        value["step"].get<int64_t>() > step)
      break;
    bytes += line.size() + 1;
  }
  return bytes;
}

Expected<MetricsFile> MetricsFile::open(const std::string &path, int64_t resumedStep) {
  uint64_t kept = resumedStep > 0 ? bytesUpTo(path, resumedStep) : 0;
  TW_TRY(makeFolders(parentFolder(path)));
  MetricsFile file;
  file.path_ = path;
  file.descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  // Pipes and devices have no length to cut.
  if (file.descriptor_ < 0 || (::ftruncate(file.descriptor_, off_t(kept)) != 0 && errno != EINVAL))
    return Status::error(writeProblem(path, errno));
  return file;
}

Status MetricsFile::write(int64_t step, const MetricValues &values) {
  return appendWhole(descriptor_, metricsLine(step, values) + "\n", path_);
}

} // namespace tw::rt
