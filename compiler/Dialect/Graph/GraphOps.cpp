#include "compiler/Dialect/Graph/Graph.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tw::graph;

/// Types in parentheses, possibly none.
static ParseResult parseTypeGroup(OpAsmParser &parser, SmallVectorImpl<Type> &types) {
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren,
                                        [&]() { return parser.parseType(types.emplace_back()); });
}
static void printTypeGroup(OpAsmPrinter &printer, Operation *, TypeRange types) {
  printer << '(' << types << ')';
}

#define GET_OP_CLASSES
#include "compiler/Dialect/Graph/GraphOps.cpp.inc"
