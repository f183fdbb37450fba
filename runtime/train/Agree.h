// Errors that all ranks learn of.
#ifndef TW_RUNTIME_TRAIN_AGREE_H
#define TW_RUNTIME_TRAIN_AGREE_H

#include "kernels/abi/kernel.h"
#include "runtime/comm/Communicator.h"

namespace tw::rt {

/// Every rank calls it with its own status. When some failed, all get an error: the lowest failing rank its own, the
/// others one without a message, so that one sentence is printed.
inline Status agree(Communicator &communicator, Status status) {
  int64_t none = communicator.size(), lowest = status.failed() ? communicator.rank() : none;
  if (communicator.size() > 1)
    if (Status sent = communicator.allReduce(&lowest, &lowest, 1, TW_I64, Reduction::Min); sent.failed())
      return sent;
  if (lowest == none)
    return Status::ok();
  return lowest == communicator.rank() ? std::move(status) : Status::error("");
}

} // namespace tw::rt
#endif
