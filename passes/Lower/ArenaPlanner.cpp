#include "passes/Lower/ArenaPlanner.h"

#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <functional>
#include <limits>
#include <map>

using namespace llvm;

namespace tw::lower {

int64_t largestLiveBytes(ArrayRef<Lifetime> lifetimes) {
  std::map<int64_t, int64_t> changes;
  for (const Lifetime &lifetime : lifetimes) {
    changes[lifetime.first] += alignUp(lifetime.bytes);
    changes[lifetime.last + 1] -= alignUp(lifetime.bytes);
  }
  int64_t live = 0, largest = 0;
  for (auto [time, change] : changes)
    largest = std::max(largest, live += change);
  return largest;
}

namespace {

/// Places lifetimes one after another, each in the tightest gap between those already placed that live with it.
class GapFitter {
public:
  GapFitter(ArrayRef<Lifetime> lifetimes, bool lowest) : lifetimes(lifetimes), lowest(lowest) {
    result.offsets.assign(lifetimes.size(), 0);
  }

  void place(size_t index) {
    SmallVector<std::pair<int64_t, int64_t>> taken; // [begin, end) of those alive at the same time
    for (size_t other : placed)
      if (lifetimes[other].first <= lifetimes[index].last && lifetimes[index].first <= lifetimes[other].last)
        taken.push_back({result.offsets[other], result.offsets[other] + alignUp(lifetimes[other].bytes)});
    llvm::sort(taken);
    int64_t bytes = alignUp(lifetimes[index].bytes), offset = findGap(taken, bytes);
    result.offsets[index] = offset;
    result.bytes = std::max(result.bytes, offset + bytes);
    placed.push_back(index);
  }

  Placement result;

private:
  int64_t findGap(ArrayRef<std::pair<int64_t, int64_t>> taken, int64_t bytes) const {
    int64_t end = 0, best = -1, bestSize = std::numeric_limits<int64_t>::max();
    for (auto [begin, stop] : taken) {
      int64_t size = begin - end;
      if (size >= bytes && size < bestSize) {
        best = end;
        bestSize = size;
        if (lowest)
          return best;
      }
      end = std::max(end, stop);
    }
    return best >= 0 ? best : end;
  }

  ArrayRef<Lifetime> lifetimes;
  bool lowest;
  SmallVector<size_t> placed;
};

using Order = std::function<bool(const Lifetime &, const Lifetime &)>;

Placement placeInOrder(ArrayRef<Lifetime> lifetimes, const Order &before, bool lowest) {
  SmallVector<size_t> order = llvm::to_vector(llvm::seq<size_t>(0, lifetimes.size()));
  llvm::stable_sort(order, [&](size_t a, size_t b) { return before(lifetimes[a], lifetimes[b]); });
  GapFitter fitter(lifetimes, lowest);
  for (size_t index : order)
    fitter.place(index);
  return fitter.result;
}

int64_t span(const Lifetime &lifetime) {
  return lifetime.last - lifetime.first + 1;
}

const Order orders[] = {
    [](const Lifetime &a, const Lifetime &b) { return a.bytes > b.bytes; },
    [](const Lifetime &a, const Lifetime &b) {
      return double(a.bytes) * double(span(a)) > double(b.bytes) * double(span(b));
    },
    [](const Lifetime &a, const Lifetime &b) { return span(a) > span(b); },
    [](const Lifetime &a, const Lifetime &b) { return a.first < b.first; },
    [](const Lifetime &a, const Lifetime &b) { return a.last > b.last; },
};
} // namespace

Placement placeLifetimes(ArrayRef<Lifetime> lifetimes) {
  int64_t bound = largestLiveBytes(lifetimes);
  Placement best;
  best.bytes = std::numeric_limits<int64_t>::max();
  for (const Order &order : orders)
    for (bool lowest : {false, true}) {
      Placement placement = placeInOrder(lifetimes, order, lowest);
      if (placement.bytes < best.bytes)
        best = std::move(placement);
      if (best.bytes == bound)
        return best;
    }
  if (lifetimes.empty())
    best.bytes = 0;
  return best;
}

} // namespace tw::lower
