// The Lower phase as a pipeline.
#ifndef TW_PASSES_LOWER_PIPELINE_H
#define TW_PASSES_LOWER_PIPELINE_H

#include "mlir/Pass/PassManager.h"

#include <string>

namespace tw::lower {

struct LowerOptions {
  std::string target = "host";
  int64_t threads = 0; // threads a kernel may use; 0: all cores
};

/// From the functions of one rank to plan.programs, and a module @generated_kernels: in the LLVM dialect for the
/// host, as linalg for CUDA.
void buildLowerPipeline(mlir::OpPassManager &manager, const LowerOptions &options);

} // namespace tw::lower
#endif
