// Splitting work over an OpenMP team. The split depends on sizes and the thread count only, so that equal calls give
// bitwise equal results.
#ifndef TW_KERNELS_SUPPORT_PARALLEL_H
#define TW_KERNELS_SUPPORT_PARALLEL_H

#include "kernels/support/Variant.h"

#include <omp.h>
#ifdef __SANITIZE_THREAD__
#include "kernels/support/PlainThreads.h"
#endif

namespace tw::kernels {
inline namespace TW_VARIANT {

/// Below this many elements' worth of work a second thread costs more than it gives.
#ifdef __SANITIZE_THREAD__
constexpr int64_t kGrainElements = 16; // small test cases shall run in teams too
#else
constexpr int64_t kGrainElements = 16384;
#endif

/// Threads worth using for `count` items of `cost` elements each: at most `threads`, at least 1.
inline int teamSize(int threads, int64_t count, int64_t cost) {
  int64_t worth = count * (cost > 0 ? cost : 1) / kGrainElements;
  int64_t team = threads < count ? threads : count;
  if (worth < 2 || team < 2)
    return 1;
  return static_cast<int>(team);
}

/// Calls body(thread, begin, end) over consecutive ranges of [0, count), one for each of `team` threads.
template <typename Body>
inline void forRanges(int team, int64_t count, const Body &body) {
  if (team <= 1) {
    if (count > 0)
      body(0, int64_t(0), count);
    return;
  }
#ifdef __SANITIZE_THREAD__
  auto range = [&](int part) {
    int64_t begin = count * part / team, end = count * (part + 1) / team;
    if (begin < end)
      body(part, begin, end);
  };
  runPlainThreads(
      team, [](const void *context, int part) { (*static_cast<decltype(range) const *>(context))(part); }, &range);
#else
#pragma omp parallel num_threads(team)
  {
    // The team may come out smaller than asked for; each range is still done once.
    for (int part = omp_get_thread_num(); part < team; part += omp_get_num_threads()) {
      int64_t begin = count * part / team, end = count * (part + 1) / team;
      if (begin < end)
        body(part, begin, end);
    }
  }
#endif
}

/// The same with the team chosen by the items' cost in elements.
template <typename Body>
inline void parallelFor(int threads, int64_t count, int64_t cost, const Body &body) {
  forRanges(teamSize(threads, count, cost), count, body);
}

} // namespace TW_VARIANT
} // namespace tw::kernels
#endif
