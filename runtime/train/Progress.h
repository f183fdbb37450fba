// What a person sees of training: a bar on a terminal, lines otherwise. On standard error.
#ifndef TW_RUNTIME_TRAIN_PROGRESS_H
#define TW_RUNTIME_TRAIN_PROGRESS_H

#include <chrono>
#include <cstdint>
#include <string>

namespace tw::rt {

class Progress {
public:
  /// `mode` is auto, always or never; `unit` is "samples" or "tokens".
  Progress(const std::string &mode, int64_t firstStep, int64_t lastStep, int64_t logEvery, std::string unit);
  ~Progress() { finish(); }
  void step(int64_t step, double loss, double rate, double perSecond);
  /// Ends the bar's line, so that other text can follow.
  void finish();

private:
  std::string line(int64_t step, double loss, double rate, double perSecond) const;
  enum class Kind { None, Lines, Bar } kind_;
  int64_t first_, last_, every_;
  std::string unit_;
  std::chrono::steady_clock::time_point start_, drawn_;
  bool open_ = false;
};

} // namespace tw::rt
#endif
