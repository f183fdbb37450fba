// DifferentiableOpInterface: cotangents of results in, cotangents of operands out.
#ifndef TW_COMPILER_INTERFACES_DIFFERENTIABLEOPINTERFACE_H
#define TW_COMPILER_INTERFACES_DIFFERENTIABLEOPINTERFACE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/TypeUtilities.h"

#include "compiler/Interfaces/DifferentiableOpInterface.h.inc"

#endif
