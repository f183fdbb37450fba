#include "runtime/train/Signals.h"

#include <signal.h>
#include <unistd.h>

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

// Only what is safe in a handler. The process cannot go on: the instruction that touched the page would run again.
static void twBusHandler(int number, siginfo_t *info, void *) {
  if (info->si_code != BUS_ADRERR) { // a fault of another kind: the default action, once the instruction runs again
    signal(number, SIG_DFL);
    return;
  }
  static const char sentence[] = "error: a data, checkpoint or weight file was cut short, or could not be read, while "
                                 "the program was using it; training stops, saved checkpoints are kept\n";
  ssize_t ignored = write(STDERR_FILENO, sentence, sizeof sentence - 1);
  (void)ignored;
  _exit(1);
}
}

void catchFileSignals() {
  struct sigaction action{};
  sigemptyset(&action.sa_mask);
  action.sa_handler = SIG_IGN;
  sigaction(SIGXFSZ, &action, nullptr);
  action.sa_sigaction = twBusHandler;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, nullptr);
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
