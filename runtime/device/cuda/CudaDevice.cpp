#include "runtime/device/cuda/CudaDevice.h"
#include "runtime/base/Text.h"
#include "runtime/base/Types.h"
#include "runtime/device/cuda/DeviceModule.h"
#include "runtime/device/cuda/StridedKernels.h"

#include <algorithm>
#include <cstdlib>
#include <cuda_runtime_api.h>

namespace tw::rt {

namespace {

/// One launch with its parameter list; the list points into `arguments`.
class CudaLaunch : public GeneratedLaunch {
public:
  CudaLaunch(cudaKernel_t kernel, const GeneratedArguments &arguments, cudaStream_t stream)
      : kernel_(kernel), arguments_(arguments), stream_(stream) {
    for (void *&buffer : arguments_.buffers)
      parameters_.push_back(&buffer);
    for (int64_t &size : arguments_.sizes)
      parameters_.push_back(&size);
    parameters_.push_back(&arguments_.extent);
  }
  Status run() override {
    constexpr int64_t block = 128, most = int64_t(1) << 20; // threads of larger extents compute several iterations
    int64_t grid = std::min((arguments_.extent + block - 1) / block, most);
    if (grid == 0)
      return Status::ok();
    return checkedCuda(
        cudaLaunchKernel(kernel_, dim3(unsigned(grid)), dim3(unsigned(block)), parameters_.data(), 0, stream_),
        "launch");
  }

private:
  cudaKernel_t kernel_;
  GeneratedArguments arguments_;
  cudaStream_t stream_;
  std::vector<void *> parameters_;
};

class CudaDevice : public Device {
public:
  ~CudaDevice() override {
    for (cudaEvent_t event : events_)
      if (event)
        cudaEventDestroy(event);
    for (cudaStream_t stream : streams_)
      cudaStreamDestroy(stream);
    if (base_)
      cudaFree(base_);
  }
  const char *name() const override { return "cuda"; }
  bool hostVisible() const override { return false; }

  Status load(const planpb::Plan &plan, int device) { return module_.load(plan, device); }

  Status allocate(uint64_t bytes) override {
    void *memory = nullptr;
    if (cudaError_t code = cudaMalloc(&memory, std::max<uint64_t>(bytes, 1)); code != cudaSuccess) {
      size_t available = 0, total = 0;
      cudaMemGetInfo(&available, &total);
      return Status::error(text("cannot allocate the arena of ", bytesText(double(bytes)), ": ",
                                cudaGetErrorString(code), " (", bytesText(double(available)), " of ",
                                bytesText(double(total)), " are free)"));
    }
    base_ = static_cast<uint8_t *>(memory);
    bytes_ = bytes;
    TW_TRY(checkedCuda(cudaMemsetAsync(memory, 0, bytes, nullptr), "clearing the arena"));
    return arrived("clearing the arena");
  }
  Status upload(uint64_t offset, const void *data, size_t size) override {
    TW_TRY(checkedCuda(cudaMemcpyAsync(base_ + offset, data, size, cudaMemcpyHostToDevice, nullptr), "upload"));
    return arrived("upload");
  }
  Status download(void *data, uint64_t offset, size_t size) override {
    return checkedCuda(cudaMemcpy(data, base_ + offset, size, cudaMemcpyDeviceToHost), "download");
  }

  Status prepare(uint32_t streams, const std::vector<uint32_t> &awaited) override {
    while (streams_.size() < streams) {
      cudaStream_t stream;
      TW_TRY(checkedCuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream"));
      streams_.push_back(stream);
    }
    if (!awaited.empty() && awaited.back() >= events_.size())
      events_.resize(awaited.back() + 1, nullptr);
    for (uint32_t instruction : awaited)
      if (!events_[instruction])
        TW_TRY(checkedCuda(cudaEventCreateWithFlags(&events_[instruction], cudaEventDisableTiming), "event"));
    return Status::ok();
  }
  void *stream(uint32_t index) override { return streams_[index]; }
  Status record(uint32_t instruction, uint32_t stream) override {
    return checkedCuda(cudaEventRecord(events_[instruction], streams_[stream]), "event");
  }
  Status wait(uint32_t instruction, uint32_t stream) override {
    return checkedCuda(cudaStreamWaitEvent(streams_[stream], events_[instruction], 0), "wait");
  }
  Status synchronize() override { return checkedCuda(cudaDeviceSynchronize(), "a kernel failed"); }

  Expected<std::unique_ptr<GeneratedLaunch>> bind(const GeneratedArguments &arguments, tw_generated_run) override {
    TW_ASSIGN(kernel, module_.kernel(arguments.name));
    return std::unique_ptr<GeneratedLaunch>(
        std::make_unique<CudaLaunch>(kernel, arguments, streams_[arguments.stream]));
  }
  Status copy(const tw_tensor &source, const tw_tensor &destination, int, uint32_t stream) override {
    return checkedCuda(launchStridedCopy(source, destination, typeSize(destination.type), streams_[stream]), "copy");
  }
  Status fill(const tw_tensor &tensor, double value, int, uint32_t stream) override {
    uint64_t bits = 0;
    storeNumber(tensor.type, &bits, 0, value);
    return checkedCuda(launchStridedFill(tensor, bits, typeSize(tensor.type), streams_[stream]), "fill");
  }

private:
  // The program's streams do not wait for the default one, and a copy from ordinary memory may return before it is
  // done.
  static Status arrived(const char *what) { return checkedCuda(cudaStreamSynchronize(nullptr), what); }

  DeviceModule module_;
  std::vector<cudaStream_t> streams_;
  std::vector<cudaEvent_t> events_; // by instruction
};

int localRank() {
  for (const char *name : {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"})
    if (const char *value = std::getenv(name))
      return std::atoi(value);
  return 0;
}

} // namespace

Expected<std::unique_ptr<Device>> makeCudaDevice(const planpb::Plan &plan) {
  int count = 0;
  cudaError_t code = cudaGetDeviceCount(&count);
  if (code != cudaSuccess || count == 0)
    return Status::error(text("this program needs an NVIDIA GPU, and none can be used here",
                              code == cudaSuccess ? "" : text(" (", cudaGetErrorString(code), ")"),
                              "; compile with --target=host to train on the CPU"));
  int index = localRank() % count;
  TW_TRY(checkedCuda(cudaSetDevice(index), "choosing the GPU"));
  TW_TRY(checkedCuda(cudaFree(nullptr), "starting the GPU")); // creates the context that the kernels are loaded into
  auto device = std::make_unique<CudaDevice>();
  TW_TRY(device->load(plan, index));
  return std::unique_ptr<Device>(std::move(device));
}

} // namespace tw::rt
