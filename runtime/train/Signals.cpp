#include "runtime/train/Signals.h"

#include <signal.h>

namespace tw::rt {

static volatile sig_atomic_t received = 0;

extern "C" {
static void twStopHandler(int number) {
  if (received) { // asked twice: the default action
    signal(number, SIG_DFL);
    raise(number);
  }
  received = number;
}
}

void catchStopSignals() {
  struct sigaction action{};
  action.sa_handler = twStopHandler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

int stopSignal() {
  return received;
}
void clearStopSignal() {
  received = 0;
}

} // namespace tw::rt
