// Generated kernels as code for NVIDIA GPUs.
#ifndef TW_PASSES_LOWER_EMIT_DEVICE_CODE_H
#define TW_PASSES_LOWER_EMIT_DEVICE_CODE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"

#include <string>

namespace tw::lower {

struct DeviceOptions {
  std::string chip = "sm_80"; // NVIDIA's name of the architecture
  std::string toolkit;        // folder of the CUDA toolkit; empty: CUDA_HOME, else /usr/local/cuda
  bool assembly = false;      // PTX as text even when ptxas is there
};

/// Code for the kernels of the nested module @generated_kernels of `program` (as tw-lower-generate-kernels makes them
/// for target=cuda), which stays as it is: a cubin when the toolkit has ptxas, else PTX, which the driver compiles.
/// A kernel is a function `name(buffers..., sizes..., extent)`: pointers, then 64-bit integers; any grid computes it
/// all. Empty when there are no kernels.
mlir::FailureOr<llvm::SmallVector<char>> emitDeviceCode(mlir::ModuleOp program, const DeviceOptions &options);

} // namespace tw::lower
#endif
