// GCC's OpenMP runtime lets waiting threads spin 300,000 times, several milliseconds, which takes the processor away
// from whatever else runs on it: another program, the loader's thread, or the very thread that is waited for. The
// parallel regions of a step follow each other within microseconds, so a spin of that order is all that helps.
//
// The runtime reads its environment in its constructor, before `main`, and offers no call to change it: hence a second
// start. It happens before anything was opened and keeps the process id, so that launchers notice nothing.
#include "runtime/train/SpinLimit.h"

#include <climits>
#include <cstdlib>
#include <unistd.h>

namespace tw::rt {

static constexpr const char *spinCount = "1000";

void limitSpinning(char *const *argv) {
  if (std::getenv("OMP_WAIT_POLICY") || std::getenv("GOMP_SPINCOUNT"))
    return;
  if (::setenv("GOMP_SPINCOUNT", spinCount, 1) != 0)
    return;
  // By its own path, so that `ps` shows the program's name; by the link where the path is gone.
  char path[PATH_MAX + 1] = {};
  if (::readlink("/proc/self/exe", path, PATH_MAX) > 0)
    ::execv(path, argv);
  ::execv("/proc/self/exe", argv);
  ::unsetenv("GOMP_SPINCOUNT");
}

} // namespace tw::rt
