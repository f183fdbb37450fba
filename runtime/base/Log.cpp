#include "runtime/base/Log.h"

#include <atomic>
#include <unistd.h>

namespace tw::rt {

static std::atomic<int> logRank{0}, logSize{1};

void setLogRank(int rank, int size) {
  logRank = rank;
  logSize = size;
}

// One write for each line, so that lines of several ranks do not mix.
static void writeLine(const char *level, const std::string &line) {
  std::string whole;
  if (logSize > 1)
    whole += "[rank " + std::to_string(logRank) + "] ";
  whole += level + line + "\n";
  ssize_t ignored = ::write(STDERR_FILENO, whole.data(), whole.size());
  (void)ignored;
}

void logInfo(const std::string &line) {
  writeLine("", line);
}
void logWarning(const std::string &line) {
  writeLine("warning: ", line);
}
void logError(const std::string &line) {
  writeLine("error: ", line);
}

} // namespace tw::rt
