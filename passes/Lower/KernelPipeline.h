// From elementwise ops to the LLVM dialect.
#ifndef TW_PASSES_LOWER_KERNEL_PIPELINE_H
#define TW_PASSES_LOWER_KERNEL_PIPELINE_H

#include "mlir/Pass/PassManager.h"

#include <string>

namespace tw::lower {

/// Elementwise ops become graph.fused, each with its kernel in @generated_kernels, for "host" or "cuda".
void buildFusionPipeline(mlir::OpPassManager &pipeline, const std::string &target);
/// Kernels of @generated_kernels become host functions of the LLVM dialect. For "cuda" their loops are those that a
/// GPU's threads share.
void buildKernelCodePipeline(mlir::OpPassManager &pipeline, const std::string &target);

} // namespace tw::lower
#endif
