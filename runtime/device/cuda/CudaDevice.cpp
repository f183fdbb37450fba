#include "runtime/device/cuda/CudaDevice.h"
#include "runtime/base/Text.h"
#include "runtime/base/Types.h"
#include "runtime/device/cuda/StridedKernels.h"

#include <algorithm>
#include <cstdlib>
#include <cuda.h>
#include <cuda_runtime.h>

namespace tw::rt {

namespace {

Status checked(cudaError_t code, const char *what) {
  if (code == cudaSuccess)
    return Status::ok();
  return Status::error(text("CUDA: ", what, ": ", cudaGetErrorString(code)));
}

Status checkedDriver(CUresult code, const std::string &what) {
  if (code == CUDA_SUCCESS)
    return Status::ok();
  const char *message = nullptr;
  cuGetErrorString(code, &message);
  return Status::error(text("CUDA: ", what, ": ", message ? message : "unknown error"));
}

/// One launch with its parameter list; the list points into `arguments`.
class CudaLaunch : public GeneratedLaunch {
public:
  CudaLaunch(CUfunction function, const GeneratedArguments &arguments, cudaStream_t stream)
      : function_(function), arguments_(arguments), stream_(stream) {
    for (void *&buffer : arguments_.buffers)
      parameters_.push_back(&buffer);
    for (int64_t &size : arguments_.sizes)
      parameters_.push_back(&size);
    parameters_.push_back(&arguments_.extent);
  }
  Status run() override {
    constexpr int64_t block = 128;
    int64_t grid = (arguments_.extent + block - 1) / block;
    if (grid == 0)
      return Status::ok();
    return checkedDriver(
        cuLaunchKernel(function_, unsigned(grid), 1, 1, unsigned(block), 1, 1, 0, stream_, parameters_.data(), nullptr),
        "launch");
  }

private:
  CUfunction function_;
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
    if (module_)
      cuModuleUnload(module_);
    if (base_)
      cudaFree(base_);
  }
  const char *name() const override { return "cuda"; }
  bool hostVisible() const override { return false; }

  Status load(const std::string &deviceCode) {
    if (deviceCode.empty())
      return Status::ok();
    return checkedDriver(cuModuleLoadData(&module_, deviceCode.data()),
                         "the plan's device code does not load; was it compiled for another GPU?");
  }

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
    return checked(cudaMemset(memory, 0, bytes), "clearing the arena");
  }
  Status upload(uint64_t offset, const void *data, size_t size) override {
    return checked(cudaMemcpy(base_ + offset, data, size, cudaMemcpyHostToDevice), "upload");
  }
  Status download(void *data, uint64_t offset, size_t size) override {
    return checked(cudaMemcpy(data, base_ + offset, size, cudaMemcpyDeviceToHost), "download");
  }

  Status prepare(uint32_t streams, const std::vector<uint32_t> &awaited) override {
    while (streams_.size() < streams) {
      cudaStream_t stream;
      TW_TRY(checked(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream"));
      streams_.push_back(stream);
    }
    if (!awaited.empty() && awaited.back() >= events_.size())
      events_.resize(awaited.back() + 1, nullptr);
    for (uint32_t instruction : awaited)
      if (!events_[instruction])
        TW_TRY(checked(cudaEventCreateWithFlags(&events_[instruction], cudaEventDisableTiming), "event"));
    return Status::ok();
  }
  void *stream(uint32_t index) override { return streams_[index]; }
  Status record(uint32_t instruction, uint32_t stream) override {
    return checked(cudaEventRecord(events_[instruction], streams_[stream]), "event");
  }
  Status wait(uint32_t instruction, uint32_t stream) override {
    return checked(cudaStreamWaitEvent(streams_[stream], events_[instruction], 0), "wait");
  }
  Status synchronize() override { return checked(cudaDeviceSynchronize(), "a kernel failed"); }

  Expected<std::unique_ptr<GeneratedLaunch>> bind(const GeneratedArguments &arguments, tw_generated_run) override {
    CUfunction function;
    if (!module_)
      return Status::error(text("the plan has no device code for the generated kernel '", arguments.name, "'"));
    TW_TRY(checkedDriver(cuModuleGetFunction(&function, module_, arguments.name.c_str()),
                         "generated kernel '" + arguments.name + "'"));
    return std::unique_ptr<GeneratedLaunch>(
        std::make_unique<CudaLaunch>(function, arguments, streams_[arguments.stream]));
  }
  Status copy(const tw_tensor &source, const tw_tensor &destination, int, uint32_t stream) override {
    return checked(launchStridedCopy(source, destination, typeSize(destination.type), streams_[stream]), "copy");
  }
  Status fill(const tw_tensor &tensor, double value, int, uint32_t stream) override {
    uint64_t bits = 0;
    storeNumber(tensor.type, &bits, 0, value);
    return checked(launchStridedFill(tensor, bits, typeSize(tensor.type), streams_[stream]), "fill");
  }

private:
  CUmodule module_ = nullptr;
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

Expected<std::unique_ptr<Device>> makeCudaDevice(const std::string &deviceCode) {
  int count = 0;
  cudaError_t code = cudaGetDeviceCount(&count);
  if (code != cudaSuccess || count == 0)
    return Status::error(text("this program needs an NVIDIA GPU, and none can be used here",
                              code == cudaSuccess ? "" : text(" (", cudaGetErrorString(code), ")"),
                              "; compile with --target=host to train on the CPU"));
  TW_TRY(checked(cudaSetDevice(localRank() % count), "choosing the GPU"));
  TW_TRY(checked(cudaFree(nullptr), "starting the GPU")); // creates the context that the module is loaded into
  auto device = std::make_unique<CudaDevice>();
  TW_TRY(device->load(deviceCode));
  return std::unique_ptr<Device>(std::move(device));
}

} // namespace tw::rt
