#include "runtime/comm/self/SelfCommunicator.h"
#include "runtime/base/Types.h"

#include <cstring>

namespace tw::rt {

static Status copyOver(const void *in, void *out, int64_t count, int type) {
  if (in != out)
    std::memcpy(out, in, size_t(count) * typeSize(type));
  return Status::ok();
}

Status SelfCommunicator::allReduce(const void *in, void *out, int64_t count, int type, Reduction) {
  return copyOver(in, out, count, type);
}
Status SelfCommunicator::broadcast(void *, int64_t, int, int root) {
  return root == 0 ? Status::ok() : Status::error("the broadcast's root is not rank 0, the only rank");
}
Status SelfCommunicator::allGather(const void *in, void *out, int64_t count, int type) {
  return copyOver(in, out, count, type);
}
Status SelfCommunicator::reduceScatter(const void *in, void *out, int64_t count, int type, Reduction) {
  return copyOver(in, out, count, type);
}
Status SelfCommunicator::send(const void *, int64_t, int, int) {
  return Status::error("there is no other rank to send to");
}
Status SelfCommunicator::receive(void *, int64_t, int, int) {
  return Status::error("there is no other rank to receive from");
}
Expected<std::unique_ptr<Communicator>> SelfCommunicator::group(const std::vector<int> &ranks) {
  if (ranks != std::vector<int>{0})
    return Status::error("a group names ranks other than 0, the only rank");
  return std::unique_ptr<Communicator>(std::make_unique<SelfCommunicator>());
}

} // namespace tw::rt
