// Evaluates one op on constant operands.
#ifndef TW_COMPILER_IMPORT_CONSTANTEVALUATION_H
#define TW_COMPILER_IMPORT_CONSTANTEVALUATION_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace tw::import {

/// The result of a one-result op whose operands have the values `operands` (DenseElementsAttr); null if the op is not
/// one that shape arithmetic is made of.
mlir::DenseElementsAttr evaluateConstant(mlir::Operation *op, llvm::ArrayRef<mlir::Attribute> operands);

} // namespace tw::import

#endif
