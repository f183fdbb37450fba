// The communicator that a plan and the way the process was started ask for.
#ifndef TW_RUNTIME_COMM_MAKECOMMUNICATOR_H
#define TW_RUNTIME_COMM_MAKECOMMUNICATOR_H

#include "kernels/abi/plan.pb.h"
#include "runtime/comm/Communicator.h"

namespace tw::rt {

/// MPI (NCCL over MPI on CUDA) under mpirun or srun or when the plan has several ranks; else a single rank.
Expected<std::unique_ptr<Communicator>> makeCommunicator(const planpb::Plan &plan);

} // namespace tw::rt
#endif
