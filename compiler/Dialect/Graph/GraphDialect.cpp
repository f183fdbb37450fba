#include "compiler/Dialect/Graph/Graph.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tw::graph;

#include "compiler/Dialect/Graph/GraphDialect.cpp.inc"
#include "compiler/Dialect/Graph/GraphEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "compiler/Dialect/Graph/GraphAttributes.cpp.inc"

void GraphDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "compiler/Dialect/Graph/GraphAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "compiler/Dialect/Graph/GraphOps.cpp.inc"
      >();
}

Operation *GraphDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location location) {
  return arith::ConstantOp::materialize(builder, value, type, location);
}
