#include "passes/Lower/ArenaPlanner.h"

#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <vector>

using namespace llvm;

namespace tw::lower {

/// The instruction at which most (aligned) bytes are needed, and how many.
static std::pair<int64_t, int64_t> findPeak(ArrayRef<Lifetime> lifetimes) {
  std::map<int64_t, int64_t> changes;
  for (const Lifetime &lifetime : lifetimes) {
    changes[lifetime.first] += alignUp(lifetime.bytes);
    changes[lifetime.last + 1] -= alignUp(lifetime.bytes);
  }
  int64_t live = 0;
  std::pair<int64_t, int64_t> peak{0, 0};
  for (auto [time, change] : changes) {
    live += change;
    if (live > peak.second)
      peak = {time, live};
  }
  return peak;
}

int64_t largestLiveBytes(ArrayRef<Lifetime> lifetimes) {
  return findPeak(lifetimes).second;
}

namespace {

using Order = SmallVector<unsigned>;

/// Places lifetimes one after another, each in a gap between those already placed that live with it.
class GapFitter {
public:
  explicit GapFitter(ArrayRef<Lifetime> lifetimes) : bytes(lifetimes.size()), conflicts(lifetimes.size()) {
    for (auto [i, lifetime] : llvm::enumerate(lifetimes)) {
      bytes[i] = alignUp(lifetime.bytes);
      for (size_t other = 0; other < i; ++other)
        if (lifetimes[other].first <= lifetime.last && lifetime.first <= lifetimes[other].last) {
          conflicts[i].push_back(other);
          conflicts[other].push_back(i);
        }
    }
  }

  /// Takes the lowest gap that is large enough, else the tightest.
  Placement place(ArrayRef<unsigned> order, bool lowest) const {
    Placement result;
    result.offsets.assign(bytes.size(), -1);
    SmallVector<std::pair<int64_t, int64_t>> taken; // [begin, end) of those alive at the same time
    for (unsigned index : order) {
      taken.clear();
      for (unsigned other : conflicts[index])
        if (result.offsets[other] >= 0)
          taken.push_back({result.offsets[other], result.offsets[other] + bytes[other]});
      llvm::sort(taken);
      result.offsets[index] = findGap(taken, bytes[index], lowest);
      result.bytes = std::max(result.bytes, result.offsets[index] + bytes[index]);
    }
    return result;
  }

  ArrayRef<unsigned> conflictsOf(unsigned index) const { return conflicts[index]; }
  bool isAtTop(unsigned index, const Placement &placement) const {
    return placement.offsets[index] + bytes[index] == placement.bytes;
  }
  bool restsOn(unsigned index, unsigned other, const Placement &placement) const {
    return bytes[other] > 0 && placement.offsets[other] + bytes[other] == placement.offsets[index];
  }
  /// Steps of one call of `place`.
  size_t cost() const {
    size_t sum = bytes.size() + 1;
    for (ArrayRef<unsigned> list : conflicts)
      sum += list.size();
    return sum;
  }

private:
  static int64_t findGap(ArrayRef<std::pair<int64_t, int64_t>> taken, int64_t bytes, bool lowest) {
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

  std::vector<int64_t> bytes;
  std::vector<std::vector<unsigned>> conflicts; // those that live at the same time
};

int64_t span(const Lifetime &lifetime) {
  return lifetime.last - lifetime.first + 1;
}

/// What goes first has the smaller key.
using Key = double (*)(const Lifetime &);
double bySize(const Lifetime &lifetime) {
  return -double(lifetime.bytes);
}
double byArea(const Lifetime &lifetime) {
  return -double(lifetime.bytes) * double(span(lifetime));
}
double bySpan(const Lifetime &lifetime) {
  return -double(span(lifetime));
}
double byFirst(const Lifetime &lifetime) {
  return double(lifetime.first);
}
double byLast(const Lifetime &lifetime) {
  return -double(lifetime.last);
}

/// Orders by one key, and orders in which what is needed at the peak goes first, so that it lies without gaps.
SmallVector<Order> firstOrders(ArrayRef<Lifetime> lifetimes) {
  int64_t peak = findPeak(lifetimes).first;
  SmallVector<Order> orders;
  auto add = [&](auto key) {
    Order order = llvm::to_vector(llvm::seq<unsigned>(0, lifetimes.size()));
    llvm::stable_sort(order, [&](unsigned a, unsigned b) { return key(lifetimes[a]) < key(lifetimes[b]); });
    orders.push_back(std::move(order));
  };
  for (Key key : {bySize, byArea, bySpan, byFirst, byLast})
    add(key);
  for (Key atPeak : {byFirst, byLast, bySpan})
    for (Key elsewhere : {bySize, byArea})
      add([&](const Lifetime &lifetime) {
        bool isAtPeak = lifetime.first <= peak && peak <= lifetime.last;
        return std::pair(!isAtPeak, isAtPeak ? atPeak(lifetime) : elsewhere(lifetime));
      });
  return orders;
}

struct Candidate {
  Order order;
  bool lowest = false;
  Placement placement;
};

/// The first orders with both ways to choose a gap, best first.
SmallVector<Candidate> firstCandidates(const GapFitter &fitter, ArrayRef<Lifetime> lifetimes) {
  SmallVector<Candidate> candidates;
  for (const Order &order : firstOrders(lifetimes))
    for (bool lowest : {false, true})
      candidates.push_back({order, lowest, fitter.place(order, lowest)});
  llvm::stable_sort(candidates,
                    [](const Candidate &a, const Candidate &b) { return a.placement.bytes < b.placement.bytes; });
  return candidates;
}

/// From something at the arena's top down to its bottom, each resting on the next: what makes the arena as large as it
/// is.
Order criticalChain(const GapFitter &fitter, const Candidate &candidate, std::mt19937 &random) {
  Order chain, next;
  for (unsigned index : candidate.order)
    if (fitter.isAtTop(index, candidate.placement))
      next.push_back(index);
  while (!next.empty()) {
    chain.push_back(next[random() % next.size()]);
    next.clear();
    for (unsigned other : fitter.conflictsOf(chain.back()))
      if (fitter.restsOn(chain.back(), other, candidate.placement))
        next.push_back(other);
  }
  return chain;
}

/// Exchanges the order of one of the critical chain and of one that lives with it: the later of both goes first.
Order reorder(const GapFitter &fitter, const Candidate &candidate, std::mt19937 &random) {
  Order order = candidate.order, chain = criticalChain(fitter, candidate, random);
  unsigned moved = chain[random() % chain.size()];
  ArrayRef<unsigned> others = fitter.conflictsOf(moved);
  if (others.empty())
    return order; // alone, it is as large as the arena
  auto later = llvm::find(order, moved), earlier = llvm::find(order, others[random() % others.size()]);
  if (later < earlier)
    std::swap(later, earlier);
  std::rotate(earlier, later, later + 1);
  return order;
}

/// Hill climbing over orders, from each of the first ones: a step is taken as long as it makes nothing worse. Ends near
/// `bound`, or after a number of steps that depends on the program alone, so that plans do.
Placement climb(const GapFitter &fitter, ArrayRef<Candidate> starts, int64_t bound) {
  constexpr size_t budget = 100'000'000, rounds = 20, attempts = 300;
  const int64_t target = bound + bound / 1000;
  size_t steps = std::min(rounds * attempts, budget / fitter.cost());
  std::mt19937 random(1); // NOLINT(bugprone-random-generator-seed): plans must be the same each time
  Placement best = starts.front().placement;
  Candidate current;
  for (size_t step = 0; step < steps && best.bytes > target; ++step) {
    if (step % attempts == 0)
      current = starts[step / attempts % starts.size()];
    Candidate next{reorder(fitter, current, random), current.lowest, {}};
    next.placement = fitter.place(next.order, next.lowest);
    if (next.placement.bytes <= current.placement.bytes)
      current = std::move(next);
    if (current.placement.bytes < best.bytes)
      best = current.placement;
  }
  return best;
}
} // namespace

Placement placeLifetimes(ArrayRef<Lifetime> lifetimes) {
  if (lifetimes.empty())
    return {};
  GapFitter fitter(lifetimes);
  return climb(fitter, firstCandidates(fitter, lifetimes), largestLiveBytes(lifetimes));
}

} // namespace tw::lower
