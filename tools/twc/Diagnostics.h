// How diagnostics of the compiler look to a user.
#ifndef TW_TOOLS_TWC_DIAGNOSTICS_H
#define TW_TOOLS_TWC_DIAGNOSTICS_H

#include "mlir/IR/MLIRContext.h"

namespace tw::twc {
/// "twc: error: node '/fc/MatMul' (MatMul): ...". Notes that only print IR are left out.
void installDiagnosticPrinter(mlir::MLIRContext &context, bool quiet);
} // namespace tw::twc
#endif
