// All dialects that a program between two phases may use, with every interface attached.
// (Passes are registered by passes/Registration.h.)
#ifndef TW_COMPILER_SUPPORT_REGISTRATION_H
#define TW_COMPILER_SUPPORT_REGISTRATION_H

#include "mlir/IR/DialectRegistry.h"

namespace tw {
void registerAllDialects(mlir::DialectRegistry &registry);
} // namespace tw

#endif
