#include "runtime/device/cuda/DeviceModule.h"
#include "runtime/base/Text.h"
#include "runtime/plan/DeviceCode.h"

#include <cstring>

namespace tw::rt {

Status checkedCuda(cudaError_t code, const std::string &what) {
  return code == cudaSuccess ? Status::ok() : Status::error(text("CUDA: ", what, ": ", cudaGetErrorString(code)));
}

DeviceModule::~DeviceModule() {
  if (library_)
    cudaLibraryUnload(library_);
}

Status DeviceModule::load(const planpb::Plan &plan, int device) {
  if (plan.device_code().empty())
    return Status::ok();
  int major = 0, minor = 0;
  TW_TRY(checkedCuda(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "asking the GPU"));
  TW_TRY(checkedCuda(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device), "asking the GPU"));
  TW_ASSIGN(code, codeFor(plan, major * 10 + minor));
  char log[1024] = "";
  cudaJitOption options[] = {cudaJitErrorLogBuffer, cudaJitErrorLogBufferSizeBytes};
  void *values[] = {log, reinterpret_cast<void *>(sizeof log)};
  cudaError_t result = cudaLibraryLoadData(&library_, code->data(), options, values, 2, nullptr, nullptr, 0);
  if (char *end = std::strchr(log, '\n'))
    *end = '\0'; // one line says it
  return checkedCuda(result, text("the plan's generated kernels do not load on this GPU, an sm_", major * 10 + minor,
                                  log[0] ? " (" : "", log, log[0] ? ")" : ""));
}

Expected<cudaKernel_t> DeviceModule::kernel(const std::string &name) const {
  if (!library_)
    return Status::error(text("the plan has no device code for the generated kernel '", name, "'"));
  cudaKernel_t kernel = nullptr;
  TW_TRY(checkedCuda(cudaLibraryGetKernel(&kernel, library_, name.c_str()), "generated kernel '" + name + "'"));
  return kernel;
}

} // namespace tw::rt
