// Teams of threads for the host device. ThreadSanitizer does not see how GCC's OpenMP runtime synchronises; in its
// builds teams are plain threads, so that it watches what they do.
#ifndef TW_RUNTIME_DEVICE_HOST_TEAM_H
#define TW_RUNTIME_DEVICE_HOST_TEAM_H

#include <cstdint>
#include <omp.h>
#ifdef __SANITIZE_THREAD__
#include <thread>
#include <vector>
#endif

namespace tw::rt {

/// Calls body(index, count) on each of `count` threads at once, where count is `threads` or what the system gives.
template <typename Body>
void runTeam(int threads, const Body &body) {
#ifdef __SANITIZE_THREAD__
  std::vector<std::thread> team;
  for (int index = 1; index < threads; ++index)
    team.emplace_back([&body, index, threads] { body(index, threads); });
  body(0, threads);
  for (std::thread &thread : team)
    thread.join();
#else
#pragma omp parallel num_threads(threads)
  body(omp_get_thread_num(), omp_get_num_threads());
#endif
}

/// Calls body(i) for all i below `count`, in `threads` consecutive parts at once.
template <typename Body>
void forTeam(int threads, int64_t count, const Body &body) {
  if (threads <= 1) {
    for (int64_t i = 0; i < count; ++i)
      body(i);
    return;
  }
  runTeam(threads, [&](int index, int team) {
    for (int64_t i = count * index / team, end = count * (index + 1) / team; i < end; ++i)
      body(i);
  });
}

} // namespace tw::rt
#endif
