#include "runtime/train/Progress.h"

#include <algorithm>
#include <cstdio>
#include <unistd.h>

namespace tw::rt {

Progress::Progress(const std::string &mode, int64_t firstStep, int64_t lastStep, int64_t logEvery, std::string unit)
    : first_(firstStep), last_(lastStep), unit_(std::move(unit)), start_(std::chrono::steady_clock::now()) {
  bool terminal = ::isatty(STDERR_FILENO);
  kind_ = mode == "never" ? Kind::None : mode == "always" || terminal ? Kind::Bar : Kind::Lines;
  every_ = logEvery > 0 ? logEvery : std::max<int64_t>(1, (lastStep - firstStep) / 20);
}

std::string Progress::line(int64_t step, double loss, double rate, double perSecond) const {
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  int64_t done = std::max<int64_t>(step - first_, 1);
  int64_t left = int64_t(seconds / double(done) * double(last_ - step));
  char out[256];
  std::snprintf(out, sizeof out, "step %lld/%lld  loss %.4f  lr %.3g  %.0f %s/s  %02lld:%02lld left",
                static_cast<long long>(step), static_cast<long long>(last_), loss, rate, perSecond, unit_.c_str(),
                static_cast<long long>(left / 60), static_cast<long long>(left % 60));
  return out;
}

void Progress::step(int64_t step, double loss, double rate, double perSecond) {
  if (kind_ == Kind::None)
    return;
  if (kind_ == Kind::Lines) {
    if (step % every_ == 0 || step == last_ || step == first_ + 1)
      std::fprintf(stderr, "%s\n", line(step, loss, rate, perSecond).c_str());
    return;
  }
  auto now = std::chrono::steady_clock::now();
  if (step != last_ && open_ && now - drawn_ < std::chrono::milliseconds(100))
    return;
  drawn_ = now;
  open_ = true;
  constexpr int width = 30;
  int filled = last_ > first_ ? int(width * (step - first_) / (last_ - first_)) : width;
  std::fprintf(stderr, "\r[%s%s] %s\033[K", std::string(size_t(filled), '#').c_str(),
               std::string(size_t(width - filled), '.').c_str(), line(step, loss, rate, perSecond).c_str());
  std::fflush(stderr);
}

void Progress::finish() {
  if (open_)
    std::fprintf(stderr, "\n");
  open_ = false;
}

} // namespace tw::rt
