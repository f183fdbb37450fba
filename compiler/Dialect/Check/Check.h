// The check dialect: expectations of tests that execute in the reference interpreter.
#ifndef TW_COMPILER_DIALECT_CHECK_CHECK_H
#define TW_COMPILER_DIALECT_CHECK_CHECK_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"

#include "compiler/Dialect/Check/CheckDialect.h.inc"
#define GET_OP_CLASSES
#include "compiler/Dialect/Check/CheckOps.h.inc"

#endif
