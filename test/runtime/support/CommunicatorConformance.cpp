#include "test/runtime/support/CommunicatorConformance.h"
#include "kernels/abi/kernel.h"
#include "runtime/base/Text.h"
#include "runtime/base/Types.h"

#include <algorithm>
#include <functional>

namespace tw::test {

using rt::Reduction;
using rt::text;

namespace {

class Conformance {
public:
  explicit Conformance(rt::Communicator &communicator)
      : c_(communicator), rank_(communicator.rank()), size_(communicator.size()) {}

  std::vector<std::string> run() {
    for (int type = TW_F32; type <= TW_U8; ++type)
      for (Reduction reduction : {Reduction::Sum, Reduction::Max, Reduction::Min}) {
        if (type == TW_BOOL && reduction == Reduction::Sum)
          continue;
        for (int64_t count : {0, 1, 5, 3000})
          for (bool inPlace : {false, true})
            allReduce(type, reduction, count, inPlace);
        reduceScatter(type, reduction, 7);
      }
    for (int type : {int(TW_F32), int(TW_I64), int(TW_BF16), int(TW_BOOL)}) {
      broadcast(type);
      allGather(type, false);
      allGather(type, true);
    }
    ring();
    groups();
    expect(!c_.barrier().failed(), "barrier");
    return failures_;
  }

private:
  void expect(bool holds, const std::string &what) {
    if (!holds)
      failures_.push_back(text("rank ", rank_, ": ", what));
  }
  // Small whole numbers: exact in every type, whatever the order of the sum.
  static double value(int type, int rank, int64_t index) {
    return type == TW_BOOL ? double((rank + index) % 2) : double((rank * 3 + index) % 5);
  }
  std::vector<char> make(int type, int64_t count, int rank) const {
    std::vector<char> data(size_t(count) * rt::typeSize(type) + 1);
    for (int64_t i = 0; i < count; ++i)
      rt::storeNumber(type, data.data(), size_t(i), value(type, rank, i));
    return data;
  }
  double reduced(int type, Reduction reduction, int64_t index) const {
    double result = value(type, 0, index);
    for (int r = 1; r < size_; ++r) {
      double other = value(type, r, index);
      result = reduction == Reduction::Sum   ? result + other
               : reduction == Reduction::Max ? std::max(result, other)
                                             : std::min(result, other);
    }
    return result;
  }

  void allReduce(int type, Reduction reduction, int64_t count, bool inPlace) {
    std::vector<char> in = make(type, count, rank_), out(in.size());
    char *target = inPlace ? in.data() : out.data();
    bool good = !c_.allReduce(in.data(), target, count, type, reduction).failed();
    for (int64_t i = 0; i < count; ++i)
      good = good && rt::loadNumber(type, target, size_t(i)) == reduced(type, reduction, i);
    expect(good,
           text("all_reduce ", int(reduction), " of ", count, " ", rt::typeName(type), inPlace ? " in place" : ""));
  }

  void reduceScatter(int type, Reduction reduction, int64_t count) {
    std::vector<char> in = make(type, count * size_, rank_), out = make(type, count, 0);
    bool good = !c_.reduceScatter(in.data(), out.data(), count, type, reduction).failed();
    for (int64_t i = 0; i < count; ++i)
      good = good && rt::loadNumber(type, out.data(), size_t(i)) == reduced(type, reduction, rank_ * count + i);
    expect(good, text("reduce_scatter ", int(reduction), " of ", rt::typeName(type)));
  }

  void broadcast(int type) {
    for (int root = 0; root < size_; ++root) {
      std::vector<char> data = make(type, 9, rank_), wanted = make(type, 9, root);
      bool good = !c_.broadcast(data.data(), 9, type, root).failed() && data == wanted;
      expect(good, text("broadcast of ", rt::typeName(type), " from ", root));
    }
  }

  void allGather(int type, bool inPlace) {
    int64_t count = 6;
    size_t bytes = size_t(count) * rt::typeSize(type);
    std::vector<char> in = make(type, count, rank_), out(bytes * size_t(size_)), wanted;
    for (int r = 0; r < size_; ++r) {
      std::vector<char> part = make(type, count, r);
      wanted.insert(wanted.end(), part.begin(), part.end() - 1);
    }
    char *mine = out.data() + bytes * size_t(rank_);
    if (inPlace)
      std::copy(in.begin(), in.end() - 1, mine);
    bool good = !c_.allGather(inPlace ? mine : in.data(), out.data(), count, type).failed() && out == wanted;
    expect(good, text("all_gather of ", rt::typeName(type), inPlace ? " in place" : ""));
  }

  // Even ranks send first, odd ones receive first: a token passes round.
  void ring() {
    if (size_ == 1)
      return;
    int next = (rank_ + 1) % size_, before = (rank_ + size_ - 1) % size_;
    std::vector<char> out = make(TW_F32, 1000, rank_), in(out.size()), wanted = make(TW_F32, 1000, before);
    auto send = [&] { return !c_.send(out.data(), 1000, TW_F32, next).failed(); };
    auto receive = [&] { return !c_.receive(in.data(), 1000, TW_F32, before).failed(); };
    bool good = rank_ % 2 == 0 ? send() && receive() : receive() && send();
    expect(good && in == wanted, "send and receive round the ring");
  }

  // The even ranks, made twice, and all ranks.
  void groups() {
    std::vector<int> even, all;
    for (int r = 0; r < size_; ++r) {
      all.push_back(r);
      if (r % 2 == 0)
        even.push_back(r);
    }
    for (const std::vector<int> &members : {even, even, all}) {
      if (std::find(members.begin(), members.end(), rank_) == members.end())
        continue;
      auto group = c_.group(members);
      if (group.failed()) {
        expect(false, "group: " + group.message());
        continue;
      }
      int64_t sum = rank_, wanted = 0;
      for (int r : members)
        wanted += r;
      bool good = !(*group)->allReduce(&sum, &sum, 1, TW_I64, Reduction::Sum).failed() && sum == wanted;
      expect(good && (*group)->size() == int(members.size()), "all_reduce in a group");
    }
  }

  rt::Communicator &c_;
  int rank_, size_;
  std::vector<std::string> failures_;
};

} // namespace

std::vector<std::string> checkCommunicator(rt::Communicator &communicator) {
  return Conformance(communicator).run();
}

} // namespace tw::test
