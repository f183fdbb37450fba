#include "compiler/Dialect/Graph/Graph.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tw::graph;

#define GET_OP_CLASSES
#include "compiler/Dialect/Graph/GraphOps.cpp.inc"
