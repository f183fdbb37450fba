// The plan dialect: kernel calls over tensors (ValueOps.td) and over buffers at arena offsets (ProgramOps.td).
#ifndef TW_COMPILER_DIALECT_PLAN_PLAN_H
#define TW_COMPILER_DIALECT_PLAN_PLAN_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"

#include "compiler/Dialect/Plan/PlanDialect.h.inc"
#include "compiler/Dialect/Plan/PlanEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "compiler/Dialect/Plan/PlanAttributes.h.inc"
#define GET_OP_CLASSES
#include "compiler/Dialect/Plan/PlanOps.h.inc"

#endif
