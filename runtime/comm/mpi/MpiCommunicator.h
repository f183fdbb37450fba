// MPI on the host: `mpirun` or `srun` starts the ranks, MPI moves the bytes.
#ifndef TW_RUNTIME_COMM_MPI_MPICOMMUNICATOR_H
#define TW_RUNTIME_COMM_MPI_MPICOMMUNICATOR_H

#include "runtime/comm/Communicator.h"

namespace tw::rt {

/// True when a launcher (Open MPI, MPICH or SLURM) started this process as one of several ranks.
bool startedByLauncher();
/// Initialises MPI once and returns its world; MPI is finalised at exit.
Expected<std::unique_ptr<Communicator>> makeMpiCommunicator();

} // namespace tw::rt
#endif
