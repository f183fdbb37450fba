// Ranks as threads of one process: for `tw-plan check` and tests. Reductions run in the order of ranks.
#ifndef TW_RUNTIME_COMM_LOCAL_LOCALCOMMUNICATOR_H
#define TW_RUNTIME_COMM_LOCAL_LOCALCOMMUNICATOR_H

#include "runtime/comm/Communicator.h"

namespace tw::rt {

class LocalWorld; // what the ranks of one communicator share

/// Communicators for `size` ranks; hand one to each thread. Any of them may outlive the others.
std::vector<std::unique_ptr<Communicator>> makeLocalCommunicators(int size);

} // namespace tw::rt
#endif
