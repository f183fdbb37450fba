#include "compiler/Dialect/Plan/Plan.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tw::plan;

#include "compiler/Dialect/Plan/PlanDialect.cpp.inc"
#include "compiler/Dialect/Plan/PlanEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "compiler/Dialect/Plan/PlanAttributes.cpp.inc"

void PlanDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "compiler/Dialect/Plan/PlanAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "compiler/Dialect/Plan/PlanOps.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "compiler/Dialect/Plan/PlanOps.cpp.inc"
