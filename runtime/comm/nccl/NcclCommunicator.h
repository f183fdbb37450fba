// NCCL between GPUs, bootstrapped over MPI. Host memory goes by MPI: the same object serves both.
#ifndef TW_RUNTIME_COMM_NCCL_NCCLCOMMUNICATOR_H
#define TW_RUNTIME_COMM_NCCL_NCCLCOMMUNICATOR_H

#include "runtime/comm/Communicator.h"

namespace tw::rt {

/// Called by all ranks of `mpi`. NCCL itself starts at the first transfer of device memory, once the GPU is chosen.
Expected<std::unique_ptr<Communicator>> makeNcclCommunicator(std::unique_ptr<Communicator> mpi);

} // namespace tw::rt
#endif
