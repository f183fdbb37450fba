// The graph dialect. Ops are defined by family in *Ops.td; read them there.
#ifndef TW_COMPILER_DIALECT_GRAPH_GRAPH_H
#define TW_COMPILER_DIALECT_GRAPH_GRAPH_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"

#include "compiler/Dialect/Graph/GraphDialect.h.inc"
#include "compiler/Dialect/Graph/GraphEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "compiler/Dialect/Graph/GraphAttributes.h.inc"
#define GET_OP_CLASSES
#include "compiler/Dialect/Graph/GraphOps.h.inc"

#endif
