// Generated kernels as code for NVIDIA GPUs.
#ifndef TW_PASSES_LOWER_EMIT_DEVICE_CODE_H
#define TW_PASSES_LOWER_EMIT_DEVICE_CODE_H

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <string>
#include <vector>

namespace tw::lower {

struct DeviceOptions {
  std::vector<unsigned> architectures = {80, 90}; // of the GPUs, at least one: 90 is sm_90
  std::string toolkit;                            // folder of the CUDA toolkit; empty: CUDA_HOME, else /usr/local/cuda
};

struct DeviceCode {
  std::string ptx;                        // for the oldest architecture; the driver compiles it for any newer one
  std::map<unsigned, std::string> cubins; // by architecture; none when the toolkit has no ptxas
};

/// 90 from "sm_90". Fails when that is no architecture that can be compiled for; `message` says what is.
mlir::FailureOr<unsigned> parseArchitecture(llvm::StringRef name, std::string &message);

/// Code for the kernels of the nested module @generated_kernels of `program` (as tw-lower-generate-kernels makes them
/// for target=cuda), which stays as it is. A kernel is a function `name(buffers..., sizes..., extent)`: pointers, then
/// 64-bit integers; any grid computes it all. Empty when there are no kernels. Errors are diagnosed at the program.
mlir::FailureOr<DeviceCode> emitDeviceCode(mlir::ModuleOp program, const DeviceOptions &options);
/// The PTX alone.
mlir::FailureOr<std::string> emitPTX(mlir::ModuleOp program, const DeviceOptions &options);

} // namespace tw::lower
#endif
