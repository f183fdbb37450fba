// From a function whose values have storages to a plan.program.
#ifndef TW_PASSES_LOWER_BUILDPROGRAM_H
#define TW_PASSES_LOWER_BUILDPROGRAM_H

#include "passes/Lower/Storage.h"

namespace tw::lower {

struct ProgramBytes {
  int64_t arena = 0, lowerBound = 0;
};

/// Creates the program at `builder`. Every storage has its offset.
plan::ProgramOp buildProgram(mlir::OpBuilder &builder, mlir::func::FuncOp function, const StorageAssignment &storages,
                             const FixedMemory &fixed, ProgramBytes bytes);

/// The values that an integer input may hold, from the ops that use it as indices or labels.
struct InputBounds {
  std::optional<int64_t> lower, upper, ignore;
};
InputBounds inputBounds(mlir::BlockArgument argument);

} // namespace tw::lower
#endif
