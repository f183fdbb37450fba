#include "runtime/comm/MakeCommunicator.h"
#include "runtime/comm/mpi/MpiCommunicator.h"
#include "runtime/comm/self/SelfCommunicator.h"
#include "runtime/plan/LoadPlan.h"
#ifdef TW_CUDA
#include "runtime/comm/nccl/NcclCommunicator.h"
#endif

namespace tw::rt {

Expected<std::unique_ptr<Communicator>> makeCommunicator(const planpb::Plan &plan) {
  if (!startedByLauncher() && worldSize(plan) <= 1)
    return std::unique_ptr<Communicator>(std::make_unique<SelfCommunicator>());
  TW_ASSIGN(mpi, makeMpiCommunicator());
#ifdef TW_CUDA
  if (plan.target() == "cuda")
    return makeNcclCommunicator(std::move(mpi));
#endif
  return mpi;
}

} // namespace tw::rt
