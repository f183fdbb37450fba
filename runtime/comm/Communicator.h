// Moves data between ranks. Every operation is blocking on the host; on CUDA it is issued on the stream in use.
// Buffers are contiguous; `type` is a tw_type. Input and output are the same address or do not overlap.
#ifndef TW_RUNTIME_COMM_COMMUNICATOR_H
#define TW_RUNTIME_COMM_COMMUNICATOR_H

#include "runtime/base/Status.h"
#include <cstdint>
#include <memory>
#include <vector>

namespace tw::rt {

enum class Reduction { Sum = 1, Max = 2, Min = 3 }; // the numbers of Collective.Reduction

class Communicator {
public:
  virtual ~Communicator() = default;
  virtual const char *name() const = 0;
  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// out[i] = reduction over ranks of in[i]; the same bits on every rank.
  virtual Status allReduce(const void *in, void *out, int64_t count, int type, Reduction reduction) = 0;
  /// `data` of `root` reaches all ranks.
  virtual Status broadcast(void *data, int64_t count, int type, int root) = 0;
  /// out holds `count` elements of each rank, in the order of ranks.
  virtual Status allGather(const void *in, void *out, int64_t count, int type) = 0;
  /// Rank r gets elements [r * count, (r + 1) * count) of the reduction of `in`.
  virtual Status reduceScatter(const void *in, void *out, int64_t count, int type, Reduction reduction) = 0;
  virtual Status send(const void *data, int64_t count, int type, int peer) = 0;
  virtual Status receive(void *data, int64_t count, int type, int peer) = 0;
  virtual Status barrier() = 0;
  /// A communicator over some ranks, ascending; called by its members only, in the same order on each.
  virtual Expected<std::unique_ptr<Communicator>> group(const std::vector<int> &ranks) = 0;
  /// CUDA: the stream that later operations are issued on.
  virtual void useStream(void *) {}
  /// Ends the other ranks too, after this one failed; their operations return errors or their processes end.
  virtual void abort() = 0;
};

/// Element-wise `into[i] = into[i] op from[i]`; 16-bit floats are combined in float.
void combine(Reduction reduction, int type, const void *from, void *into, int64_t count);
/// False for types that cannot be reduced.
bool canReduce(int type);

} // namespace tw::rt
#endif
