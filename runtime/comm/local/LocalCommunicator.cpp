#include "runtime/comm/local/LocalCommunicator.h"
#include "runtime/base/Types.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>

namespace tw::rt {

// One mutex guards all; abort() wakes every waiter of this world and of its groups.
class LocalWorld {
public:
  explicit LocalWorld(int size) : size(size), pointers(size_t(size)) {}

  const int size;
  struct Pointers {
    const void *in = nullptr;
    void *out = nullptr;
  };
  std::vector<Pointers> pointers;

  Status barrier() {
    std::unique_lock<std::mutex> lock(mutex_);
    if (aborted_)
      return ended();
    uint64_t generation = generation_;
    if (++arrived_ == size) {
      arrived_ = 0;
      ++generation_;
      changed_.notify_all();
      return Status::ok();
    }
    changed_.wait(lock, [&] { return generation_ != generation || aborted_; });
    return generation_ != generation ? Status::ok() : ended();
  }

  // A send waits until its receiver has taken the bytes.
  Status send(int from, int to, const void *data, size_t bytes) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return aborted_ || !mail_.count({from, to}); });
    if (aborted_)
      return ended();
    mail_[{from, to}] = {data, bytes};
    changed_.notify_all();
    changed_.wait(lock, [&] { return aborted_ || !mail_.count({from, to}); });
    return aborted_ ? ended() : Status::ok();
  }

  Status receive(int from, int to, void *data, size_t bytes) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return aborted_ || mail_.count({from, to}); });
    if (aborted_)
      return ended();
    Mail mail = mail_[{from, to}];
    if (mail.bytes != bytes)
      return Status::error("a receive is not of the size that was sent");
    std::memcpy(data, mail.data, bytes);
    mail_.erase({from, to});
    changed_.notify_all();
    return Status::ok();
  }

  std::shared_ptr<LocalWorld> group(const std::vector<int> &ranks, uint64_t serial) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto &entry = groups_[{ranks, serial}];
    if (!entry)
      entry = std::make_shared<LocalWorld>(int(ranks.size()));
    return entry;
  }

  void abort() {
    std::lock_guard<std::mutex> lock(mutex_);
    aborted_ = true;
    changed_.notify_all();
    for (auto &[key, world] : groups_)
      world->abort();
  }

private:
  struct Mail {
    const void *data;
    size_t bytes;
  };
  static Status ended() { return Status::error("another rank has failed"); }

  std::mutex mutex_;
  std::condition_variable changed_;
  int arrived_ = 0;
  uint64_t generation_ = 0;
  bool aborted_ = false;
  std::map<std::pair<int, int>, Mail> mail_;
  std::map<std::pair<std::vector<int>, uint64_t>, std::shared_ptr<LocalWorld>> groups_;
};

namespace {

class LocalCommunicator : public Communicator {
public:
  LocalCommunicator(std::shared_ptr<LocalWorld> world, int rank) : world_(std::move(world)), rank_(rank) {}
  const char *name() const override { return "local"; }
  int rank() const override { return rank_; }
  int size() const override { return world_->size; }

  // Rank r computes its part of the elements for all ranks: each element is read by one thread before it is written,
  // so reducing in place is safe without scratch memory, and all ranks get the same bits.
  Status allReduce(const void *in, void *out, int64_t count, int type, Reduction reduction) override {
    TW_TRY(meet(in, out));
    reduceRange(count * rank_ / size(), count * (rank_ + 1) / size(), type, reduction,
                [&](int64_t begin, const void *data, int64_t part) {
                  for (auto &pointers : world_->pointers)
                    std::memcpy(at(pointers.out, begin, type), data, size_t(part) * typeSize(type));
                });
    return world_->barrier();
  }

  Status broadcast(void *data, int64_t count, int type, int root) override {
    if (root < 0 || root >= size())
      return Status::error("the broadcast's root is not a rank of its group");
    TW_TRY(meet(data, data));
    if (rank_ != root)
      std::memcpy(data, world_->pointers[size_t(root)].in, size_t(count) * typeSize(type));
    return world_->barrier();
  }

  Status allGather(const void *in, void *out, int64_t count, int type) override {
    size_t bytes = size_t(count) * typeSize(type);
    TW_TRY(meet(in, out));
    for (auto &pointers : world_->pointers) // every rank hands its part to all
      std::memmove(static_cast<char *>(pointers.out) + size_t(rank_) * bytes, in, bytes);
    return world_->barrier();
  }

  Status reduceScatter(const void *in, void *out, int64_t count, int type, Reduction reduction) override {
    TW_TRY(meet(in, out));
    std::vector<char> part(size_t(count) * typeSize(type));
    reduceRange(count * rank_, count * (rank_ + 1), type, reduction, [&](int64_t begin, const void *data, int64_t n) {
      std::memcpy(at(part.data(), begin - count * rank_, type), data, size_t(n) * typeSize(type));
    });
    TW_TRY(world_->barrier()); // all have read before anyone writes
    std::memcpy(out, part.data(), part.size());
    return world_->barrier();
  }

  Status send(const void *data, int64_t count, int type, int peer) override {
    if (peer < 0 || peer >= size() || peer == rank_)
      return Status::error("a send names a rank that cannot receive");
    return world_->send(rank_, peer, data, size_t(count) * typeSize(type));
  }
  Status receive(void *data, int64_t count, int type, int peer) override {
    if (peer < 0 || peer >= size() || peer == rank_)
      return Status::error("a receive names a rank that cannot send");
    return world_->receive(peer, rank_, data, size_t(count) * typeSize(type));
  }
  Status barrier() override { return world_->barrier(); }

  Expected<std::unique_ptr<Communicator>> group(const std::vector<int> &ranks) override {
    auto self = std::find(ranks.begin(), ranks.end(), rank_);
    if (self == ranks.end())
      return Status::error("a rank asks for a group that it is not a member of");
    std::shared_ptr<LocalWorld> world = world_->group(ranks, made_[ranks]++);
    return std::unique_ptr<Communicator>(std::make_unique<LocalCommunicator>(world, int(self - ranks.begin())));
  }
  void abort() override { world_->abort(); }

private:
  static char *at(void *data, int64_t element, int type) {
    return static_cast<char *>(data) + size_t(element) * typeSize(type);
  }

  Status meet(const void *in, void *out) {
    world_->pointers[size_t(rank_)] = {in, out};
    return world_->barrier();
  }

  // Reduces elements [begin, end) of all ranks' inputs block by block and hands each block to `store`.
  template <typename Store>
  void reduceRange(int64_t begin, int64_t end, int type, Reduction reduction, Store store) {
    constexpr int64_t block = 1024;
    alignas(64) char scratch[block * 8];
    for (int64_t start = begin; start < end; start += block) {
      int64_t part = std::min(block, end - start);
      for (size_t r = 0; r < world_->pointers.size(); ++r) {
        const char *from = static_cast<const char *>(world_->pointers[r].in) + size_t(start) * typeSize(type);
        if (r == 0)
          std::memcpy(scratch, from, size_t(part) * typeSize(type));
        else
          combine(reduction, type, from, scratch, part);
      }
      store(start, scratch, part);
    }
  }

  std::shared_ptr<LocalWorld> world_;
  int rank_;
  std::map<std::vector<int>, uint64_t> made_; // how often each group was asked for: the n-th request meets the n-th
};

} // namespace

std::vector<std::unique_ptr<Communicator>> makeLocalCommunicators(int size) {
  auto world = std::make_shared<LocalWorld>(size);
  std::vector<std::unique_ptr<Communicator>> result;
  result.reserve(size_t(size));
  for (int rank = 0; rank < size; ++rank)
    result.push_back(std::make_unique<LocalCommunicator>(world, rank));
  return result;
}

} // namespace tw::rt
