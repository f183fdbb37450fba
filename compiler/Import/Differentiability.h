// Whether all that lies between a model's parameters and its outputs has a gradient.
#ifndef TW_COMPILER_IMPORT_DIFFERENTIABILITY_H
#define TW_COMPILER_IMPORT_DIFFERENTIABILITY_H

#include "compiler/Import/Report.h"

#include "mlir/IR/BuiltinOps.h"

namespace tw::import {

/// Fills `report.notDifferentiable` with the ops of @main that lie on a path from a trainable parameter and have no
/// DifferentiableOpInterface, or pass on a result that carries no gradient. The interface's models have to be
/// registered (compiler/Support/Registration.h).
void findNotDifferentiable(mlir::ModuleOp module, Report &report);

} // namespace tw::import

#endif
