// From elementwise ops to object code.
#ifndef TW_PASSES_LOWER_KERNEL_PIPELINE_H
#define TW_PASSES_LOWER_KERNEL_PIPELINE_H

#include "passes/Lower/EmitObject.h"

#include "mlir/Pass/PassManager.h"

namespace tw::lower {

/// Elementwise ops become graph.fused, each with its kernel in @generated_kernels.
void buildFusionPipeline(mlir::OpPassManager &pipeline);
/// Kernels of @generated_kernels become functions of the LLVM dialect.
void buildKernelCodePipeline(mlir::OpPassManager &pipeline);

/// An object file with the kernels of the nested module @generated_kernels of `program` (as tw-lower-generate-kernels
/// makes them), which stays as it is. Without such a module the object has an empty table.
mlir::FailureOr<llvm::SmallVector<char>> compileGeneratedKernels(mlir::ModuleOp program, const EmitOptions &options);

} // namespace tw::lower
#endif
