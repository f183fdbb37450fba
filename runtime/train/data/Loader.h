// Rows of one step for one rank, prepared by a thread while the step before runs.
#ifndef TW_RUNTIME_TRAIN_DATA_LOADER_H
#define TW_RUNTIME_TRAIN_DATA_LOADER_H

#include "runtime/exec/Session.h"
#include "runtime/train/data/Dataset.h"
#include "runtime/train/data/Sampler.h"
#include <condition_variable>
#include <mutex>
#include <thread>

namespace tw::rt {

/// How the rows of a program's inputs are dealt over micro-batches and data-parallel ranks.
struct RowLayout {
  int64_t microBatches = 1, microBatch = 1, ranks = 1, rank = 0;
  int64_t rankRows() const { return microBatches * microBatch; }
  int64_t stepRows() const { return rankRows() * ranks; }
  /// Place within the step of the rank's row `local`: sample of micro-batch j, row i is j * (m * ranks) + rank * m + i.
  int64_t place(int64_t local) const {
    return local / microBatch * microBatch * ranks + rank * microBatch + local % microBatch;
  }
};
/// From the plan's batch and mesh and the buffers of the program: "evaluate" may hold fewer rows than "train".
RowLayout rowLayout(const planpb::Plan &plan, const planpb::Program &program);

/// The memory that one step's inputs of a program take.
class Staging {
public:
  Staging(const planpb::Program &program, const Dataset &dataset);
  /// Converts `rows[local]` of every batched input; a row of -1 repeats row 0 with its labels set to "ignore".
  void fill(const std::vector<int64_t> &rows);
  Status upload(Device &device) const;
  uint64_t bytes() const { return memory_.size(); }

private:
  struct Slot {
    const Column *column;
    uint64_t arena, start, bytes;
  };
  const Dataset &dataset_;
  std::vector<Slot> slots_;
  std::vector<uint8_t> memory_;
};

class Loader {
public:
  Loader(const planpb::Program &program, const Dataset &dataset, const Sampler &sampler, RowLayout layout,
         DataPosition position);
  ~Loader();
  /// Waits for the prepared rows, puts them into the arena and starts on the next step's.
  Status next(Device &device);
  /// Position of the step that `next` will hand out.
  DataPosition position() const { return position_; }

private:
  void work();

  Staging staging_;
  const Dataset &dataset_;
  Sampler sampler_;
  RowLayout layout_;
  DataPosition position_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool wanted_ = true, ready_ = false, stop_ = false;
  std::vector<int64_t> rows_;
  std::thread thread_;
};

} // namespace tw::rt
#endif
