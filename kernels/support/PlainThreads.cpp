#include "kernels/support/PlainThreads.h"

#include <thread>
#include <vector>

namespace tw::kernels {

void runPlainThreads(int team, void (*body)(const void *context, int part), const void *context) {
  std::vector<std::thread> threads;
  for (int part = 1; part < team; ++part)
    threads.emplace_back(body, context, part);
  body(context, 0);
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace tw::kernels
