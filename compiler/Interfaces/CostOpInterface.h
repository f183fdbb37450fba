// CostOpInterface: floating-point operations and bytes.
#ifndef TW_COMPILER_INTERFACES_COSTOPINTERFACE_H
#define TW_COMPILER_INTERFACES_COSTOPINTERFACE_H

#include "mlir/IR/OpDefinition.h"

namespace tw {
/// Bytes of all tensor operands and results; a boolean takes one byte. Saturates.
int64_t operandAndResultBytes(mlir::Operation *op);
/// Bytes of a tensor (or scalar) type. Saturates; 0 for other types.
int64_t byteSize(mlir::Type type);
} // namespace tw

#include "compiler/Interfaces/CostOpInterface.h.inc"

#endif
