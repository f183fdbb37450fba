#include "runtime/comm/nccl/NcclCommunicator.h"
#include "runtime/base/Text.h"
#include "runtime/base/Types.h"

#include <cuda_runtime_api.h>
#include <nccl.h>

namespace tw::rt {

namespace {

Status checked(ncclResult_t code, const char *what) {
  if (code == ncclSuccess)
    return Status::ok();
  return Status::error(text("NCCL ", what, " failed: ", ncclGetErrorString(code)));
}

bool onDevice(const void *pointer) {
  cudaPointerAttributes attributes{};
  if (cudaPointerGetAttributes(&attributes, pointer) != cudaSuccess) {
    cudaGetLastError(); // not an error of ours: the pointer is plain host memory
    return false;
  }
  return attributes.type == cudaMemoryTypeDevice;
}

Expected<ncclDataType_t> ncclType(int type) {
  switch (type) {
  case TW_F32:
    return ncclFloat32;
  case TW_F64:
    return ncclFloat64;
  case TW_F16:
    return ncclFloat16;
  case TW_BF16:
    return ncclBfloat16;
  case TW_I8:
    return ncclInt8;
  case TW_I32:
    return ncclInt32;
  case TW_I64:
    return ncclInt64;
  case TW_BOOL:
  case TW_U8:
    return ncclUint8;
  default:
    return Status::error(text("NCCL cannot move elements of type ", typeName(type)));
  }
}

ncclRedOp_t ncclOperation(int type, Reduction reduction) {
  if (type == TW_BOOL && reduction == Reduction::Sum)
    return ncclMax;
  return reduction == Reduction::Sum ? ncclSum : reduction == Reduction::Max ? ncclMax : ncclMin;
}

class NcclCommunicator : public Communicator {
public:
  explicit NcclCommunicator(std::unique_ptr<Communicator> mpi) : mpi_(std::move(mpi)) {}
  ~NcclCommunicator() override {
    if (nccl_)
      ncclCommDestroy(nccl_);
  }
  const char *name() const override { return "nccl"; }
  int rank() const override { return mpi_->rank(); }
  int size() const override { return mpi_->size(); }
  void useStream(void *stream) override { stream_ = static_cast<cudaStream_t>(stream); }

  Status allReduce(const void *in, void *out, int64_t count, int type, Reduction reduction) override {
    if (!onDevice(out))
      return mpi_->allReduce(in, out, count, type, reduction);
    TW_ASSIGN(element, start(type));
    return checked(ncclAllReduce(in, out, size_t(count), element, ncclOperation(type, reduction), nccl_, stream_),
                   "all_reduce");
  }
  Status broadcast(void *data, int64_t count, int type, int root) override {
    if (!onDevice(data))
      return mpi_->broadcast(data, count, type, root);
    TW_ASSIGN(element, start(type));
    return checked(ncclBroadcast(data, data, size_t(count), element, root, nccl_, stream_), "broadcast");
  }
  Status allGather(const void *in, void *out, int64_t count, int type) override {
    if (!onDevice(out))
      return mpi_->allGather(in, out, count, type);
    TW_ASSIGN(element, start(type));
    return checked(ncclAllGather(in, out, size_t(count), element, nccl_, stream_), "all_gather");
  }
  Status reduceScatter(const void *in, void *out, int64_t count, int type, Reduction reduction) override {
    if (!onDevice(out))
      return mpi_->reduceScatter(in, out, count, type, reduction);
    TW_ASSIGN(element, start(type));
    return checked(ncclReduceScatter(in, out, size_t(count), element, ncclOperation(type, reduction), nccl_, stream_),
                   "reduce_scatter");
  }
  Status send(const void *data, int64_t count, int type, int peer) override {
    if (!onDevice(data))
      return mpi_->send(data, count, type, peer);
    TW_ASSIGN(element, start(type));
    return checked(ncclSend(data, size_t(count), element, peer, nccl_, stream_), "send");
  }
  Status receive(void *data, int64_t count, int type, int peer) override {
    if (!onDevice(data))
      return mpi_->receive(data, count, type, peer);
    TW_ASSIGN(element, start(type));
    return checked(ncclRecv(data, size_t(count), element, peer, nccl_, stream_), "receive");
  }
  Status barrier() override { return mpi_->barrier(); }
  Expected<std::unique_ptr<Communicator>> group(const std::vector<int> &ranks) override {
    TW_ASSIGN(mpi, mpi_->group(ranks));
    return makeNcclCommunicator(std::move(mpi));
  }
  void abort() override {
    if (nccl_)
      ncclCommAbort(nccl_);
    nccl_ = nullptr;
    mpi_->abort();
  }

private:
  // Rank 0's identifier reaches the others by MPI.
  Expected<ncclDataType_t> start(int type) {
    if (!nccl_) {
      ncclUniqueId identifier{};
      if (rank() == 0)
        TW_TRY(checked(ncclGetUniqueId(&identifier), "start"));
      TW_TRY(mpi_->broadcast(&identifier, sizeof identifier, TW_U8, 0));
      TW_TRY(checked(ncclCommInitRank(&nccl_, size(), identifier, rank()), "start"));
    }
    return ncclType(type);
  }

  std::unique_ptr<Communicator> mpi_;
  ncclComm_t nccl_ = nullptr;
  cudaStream_t stream_ = nullptr;
};

} // namespace

Expected<std::unique_ptr<Communicator>> makeNcclCommunicator(std::unique_ptr<Communicator> mpi) {
  return std::unique_ptr<Communicator>(std::make_unique<NcclCommunicator>(std::move(mpi)));
}

} // namespace tw::rt
