// External models of the interfaces, a function for each interface. compiler/Support/Registration.cpp calls those whose
// folder has a Models.cpp, which defines the function.
#ifndef TW_COMPILER_INTERFACES_MODELS_H
#define TW_COMPILER_INTERFACES_MODELS_H

#include "mlir/IR/DialectRegistry.h"

namespace tw {
void registerDifferentiableModels(mlir::DialectRegistry &registry); // compiler/Autodiff/Models.cpp
void registerShardableModels(mlir::DialectRegistry &registry);      // compiler/Sharding/Models.cpp
void registerCostModels(mlir::DialectRegistry &registry);           // compiler/Cost/Models.cpp
} // namespace tw

#endif
