#include "runtime/train/data/Loader.h"
#include "runtime/base/Types.h"
#include "runtime/plan/Access.h"

#include <algorithm>
#include <cstring>
#include <pthread.h>
#include <signal.h>

namespace tw::rt {

// Rank = (pipeline * data + d) * tensor + t: ranks that differ in t or pipeline only read the same rows.
RowLayout rowLayout(const planpb::Plan &plan, const planpb::Program &program) {
  RowLayout layout;
  int64_t tensor = std::max<int64_t>(plan.mesh().tensor(), 1);
  layout.ranks = std::max<int64_t>(plan.mesh().data(), 1);
  layout.rank = program.rank() / tensor % layout.ranks;
  layout.microBatch = std::max<int64_t>(plan.batch().micro_batch(), 1);
  layout.microBatches = std::max<int64_t>(plan.batch().micro_batches(), 1);
  for (const planpb::Binding &binding : program.inputs())
    for (const planpb::DataInput &input : plan.inputs())
      if (input.name() == binding.name() && input.batched()) {
        int64_t rows = elementCount(program.buffers(int(binding.buffer())).shape()) / elementCount(input.row_shape());
        layout.microBatch = std::min(layout.microBatch, rows);
        layout.microBatches = std::max<int64_t>(rows / layout.microBatch, 1);
      }
  return layout;
}

Staging::Staging(const planpb::Program &program, const Dataset &dataset) : dataset_(dataset) {
  uint64_t end = 0;
  for (const planpb::Binding &binding : program.inputs()) {
    const planpb::Buffer &buffer = program.buffers(int(binding.buffer()));
    uint64_t bytes = bufferBytes(buffer);
    slots_.push_back({dataset.column(binding.name()), buffer.offset(), end, bytes});
    end += (bytes + 63) / 64 * 64;
  }
  memory_.resize(stagingBytes(program)); // = end: `tw-plan memory` prints it
}

void Staging::fill(const std::vector<int64_t> &rows) {
  for (const Slot &slot : slots_) {
    const planpb::DataInput &input = *slot.column->input;
    uint8_t *to = memory_.data() + slot.start;
    if (!input.batched()) {
      dataset_.stage(*slot.column, 0, to);
      continue;
    }
    uint64_t rowBytes = uint64_t(slot.column->rowElements) * typeSize(input.type());
    for (int64_t row : rows) {
      dataset_.stage(*slot.column, std::max<int64_t>(row, 0), to);
      if (row < 0 && input.has_ignore())
        for (int64_t i = 0; i < slot.column->rowElements; ++i)
          storeInteger(input.type(), to, size_t(i), input.ignore());
      to += rowBytes;
    }
  }
}

Status Staging::upload(Device &device) const {
  for (const Slot &slot : slots_)
    TW_TRY(device.upload(slot.arena, memory_.data() + slot.start, slot.bytes));
  return Status::ok();
}

Loader::Loader(const planpb::Program &program, const Dataset &dataset, const Sampler &sampler, RowLayout layout,
               DataPosition position)
    : staging_(program, dataset), dataset_(dataset), sampler_(sampler), layout_(layout), position_(position),
      rows_(size_t(layout.rankRows())) {
  // Signals are for the thread that trains.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  thread_ = std::thread([this] { work(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Loader::~Loader() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Loader::work() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return wanted_ || stop_; });
    if (stop_)
      return;
    for (size_t local = 0; local < rows_.size(); ++local)
      rows_[local] = sampler_.row(position_, layout_.place(int64_t(local)));
    lock.unlock();
    staging_.fill(rows_);
    dataset_.release();
    lock.lock();
    wanted_ = false;
    ready_ = true;
    changed_.notify_all();
  }
}

Status Loader::next(Device &device) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] { return ready_; });
  Status status = staging_.upload(device);
  position_ = sampler_.next(position_);
  ready_ = false;
  wanted_ = true;
  lock.unlock();
  changed_.notify_all();
  return status;
}

} // namespace tw::rt
