// The communicator of a run with one rank.
#ifndef TW_RUNTIME_COMM_SELF_SELFCOMMUNICATOR_H
#define TW_RUNTIME_COMM_SELF_SELFCOMMUNICATOR_H

#include "runtime/comm/Communicator.h"

namespace tw::rt {

class SelfCommunicator : public Communicator {
public:
  const char *name() const override { return "self"; }
  int rank() const override { return 0; }
  int size() const override { return 1; }
  Status allReduce(const void *in, void *out, int64_t count, int type, Reduction reduction) override;
  Status broadcast(void *data, int64_t count, int type, int root) override;
  Status allGather(const void *in, void *out, int64_t count, int type) override;
  Status reduceScatter(const void *in, void *out, int64_t count, int type, Reduction reduction) override;
  Status send(const void *data, int64_t count, int type, int peer) override;
  Status receive(void *data, int64_t count, int type, int peer) override;
  Status barrier() override { return Status::ok(); }
  Expected<std::unique_ptr<Communicator>> group(const std::vector<int> &ranks) override;
  void abort() override {}
};

} // namespace tw::rt
#endif
