#include "runtime/comm/mpi/MpiCommunicator.h"
#include "runtime/base/Text.h"
#include "runtime/base/Types.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>

#ifdef TW_MPI
#include <mpi.h>
#endif

namespace tw::rt {

bool startedByLauncher() {
  for (const char *name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"})
    if (const char *value = std::getenv(name); value && *value)
      return true;
  const char *tasks = std::getenv("SLURM_NTASKS"), *step = std::getenv("SLURM_STEP_ID");
  return tasks && step && std::atoi(tasks) > 1;
}

#ifndef TW_MPI
Expected<std::unique_ptr<Communicator>> makeMpiCommunicator() {
  return Status::error("this program was built without MPI and can run one rank only");
}
#else

namespace {

// MPI counts are int: larger transfers go in pieces of this many elements.
constexpr int64_t piece = int64_t(1) << 28;

Status checked(int code, const char *what) {
  if (code == MPI_SUCCESS)
    return Status::ok();
  char message[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, message, &length);
  return Status::error(text("MPI ", what, " failed: ", std::string(message, size_t(length))));
}

// 16-bit floats travel as a two-byte type of our own with our own reductions.
struct HalfTypes {
  MPI_Datatype types[2] = {MPI_DATATYPE_NULL, MPI_DATATYPE_NULL}; // f16, bf16
  MPI_Op operations[2][3];
};

template <int type, int reduction>
void reduceHalf(void *in, void *inOut, int *count, MPI_Datatype *) {
  combine(Reduction(reduction), type, in, inOut, *count);
}

const HalfTypes &halfTypes() {
  static const HalfTypes made = [] {
    HalfTypes half;
    for (MPI_Datatype &type : half.types) {
      MPI_Type_contiguous(2, MPI_BYTE, &type);
      MPI_Type_commit(&type);
    }
    MPI_User_function *functions[2][3] = {{reduceHalf<TW_F16, 1>, reduceHalf<TW_F16, 2>, reduceHalf<TW_F16, 3>},
                                          {reduceHalf<TW_BF16, 1>, reduceHalf<TW_BF16, 2>, reduceHalf<TW_BF16, 3>}};
    for (int t = 0; t < 2; ++t)
      for (int r = 0; r < 3; ++r)
        MPI_Op_create(functions[t][r], 1, &half.operations[t][r]);
    return half;
  }();
  return made;
}

MPI_Datatype mpiType(int type) {
  switch (type) {
  case TW_F32:
    return MPI_FLOAT;
  case TW_F64:
    return MPI_DOUBLE;
  case TW_F16:
    return halfTypes().types[0];
  case TW_BF16:
    return halfTypes().types[1];
  case TW_I8:
    return MPI_INT8_T;
  case TW_I16:
    return MPI_INT16_T;
  case TW_I32:
    return MPI_INT32_T;
  case TW_I64:
    return MPI_INT64_T;
  default:
    return MPI_UINT8_T;
  }
}

MPI_Op mpiOperation(int type, Reduction reduction) {
  if (type == TW_F16 || type == TW_BF16)
    return halfTypes().operations[type == TW_BF16][int(reduction) - 1];
  if (type == TW_BOOL)
    return reduction == Reduction::Min ? MPI_MIN : MPI_MAX;
  return reduction == Reduction::Sum ? MPI_SUM : reduction == Reduction::Max ? MPI_MAX : MPI_MIN;
}

class MpiCommunicator : public Communicator {
public:
  MpiCommunicator(MPI_Comm comm, bool owned) : comm_(comm), owned_(owned) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &size_);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  }
  ~MpiCommunicator() override {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (owned_ && !finalized)
      MPI_Comm_free(&comm_);
  }
  const char *name() const override { return "mpi"; }
  int rank() const override { return rank_; }
  int size() const override { return size_; }

  Status allReduce(const void *in, void *out, int64_t count, int type, Reduction reduction) override {
    return inPieces(count, [&](int64_t at, int part) {
      const void *from = in == out ? MPI_IN_PLACE : plus(in, at, type);
      return checked(
          MPI_Allreduce(from, plus(out, at, type), part, mpiType(type), mpiOperation(type, reduction), comm_),
          "all_reduce");
    });
  }
  Status broadcast(void *data, int64_t count, int type, int root) override {
    return inPieces(count, [&](int64_t at, int part) {
      return checked(MPI_Bcast(plus(data, at, type), part, mpiType(type), root, comm_), "broadcast");
    });
  }
  Status allGather(const void *in, void *out, int64_t count, int type) override {
    if (count * size_ > piece)
      return Status::error(text("MPI all_gather of ", count * size_, " elements is beyond the limit of ", piece));
    bool inPlace = in == plus(out, rank_ * count, type);
    return checked(
        MPI_Allgather(inPlace ? MPI_IN_PLACE : in, int(count), mpiType(type), out, int(count), mpiType(type), comm_),
        "all_gather");
  }
  Status reduceScatter(const void *in, void *out, int64_t count, int type, Reduction reduction) override {
    if (count * size_ > piece)
      return Status::error(text("MPI reduce_scatter of ", count * size_, " elements is beyond the limit of ", piece));
    return checked(MPI_Reduce_scatter_block(in == out ? MPI_IN_PLACE : in, out, int(count), mpiType(type),
                                            mpiOperation(type, reduction), comm_),
                   "reduce_scatter");
  }
  Status send(const void *data, int64_t count, int type, int peer) override {
    return inPieces(count, [&](int64_t at, int part) {
      return checked(MPI_Send(plus(data, at, type), part, mpiType(type), peer, 0, comm_), "send");
    });
  }
  Status receive(void *data, int64_t count, int type, int peer) override {
    return inPieces(count, [&](int64_t at, int part) {
      return checked(MPI_Recv(plus(data, at, type), part, mpiType(type), peer, 0, comm_, MPI_STATUS_IGNORE), "receive");
    });
  }
  Status barrier() override { return checked(MPI_Barrier(comm_), "barrier"); }

  Expected<std::unique_ptr<Communicator>> group(const std::vector<int> &ranks) override {
    MPI_Group world, members;
    MPI_Comm made;
    TW_TRY(checked(MPI_Comm_group(comm_, &world), "group"));
    Status status = checked(MPI_Group_incl(world, int(ranks.size()), ranks.data(), &members), "group");
    if (!status.failed()) {
      status = checked(MPI_Comm_create_group(comm_, members, 0, &made), "group");
      MPI_Group_free(&members);
    }
    MPI_Group_free(&world);
    TW_TRY(std::move(status));
    return std::unique_ptr<Communicator>(std::make_unique<MpiCommunicator>(made, true));
  }
  void abort() override { MPI_Abort(MPI_COMM_WORLD, 1); }

private:
  static const void *plus(const void *data, int64_t element, int type) {
    return static_cast<const char *>(data) + size_t(element) * typeSize(type);
  }
  static void *plus(void *data, int64_t element, int type) {
    return static_cast<char *>(data) + size_t(element) * typeSize(type);
  }
  template <typename Body>
  static Status inPieces(int64_t count, Body body) {
    for (int64_t at = 0; at < count; at += piece)
      TW_TRY(body(at, int(std::min(piece, count - at))));
    return Status::ok();
  }

  MPI_Comm comm_;
  bool owned_;
  int rank_ = 0, size_ = 1;
};

void finalizeMpi() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (!finalized)
    MPI_Finalize();
}

} // namespace

Expected<std::unique_ptr<Communicator>> makeMpiCommunicator() {
  int initialized = 0;
  MPI_Initialized(&initialized);
  if (!initialized) {
    int provided = 0;
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
      return Status::error("MPI does not start; was the program started by mpirun or srun of another MPI?");
    std::atexit(finalizeMpi);
  }
  return std::unique_ptr<Communicator>(std::make_unique<MpiCommunicator>(MPI_COMM_WORLD, false));
}
#endif

} // namespace tw::rt
