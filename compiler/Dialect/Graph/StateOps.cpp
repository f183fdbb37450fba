// Verifiers, parser and printer of parameters, loads, stores and the micro-batch loop.
#include "compiler/Dialect/Graph/Graph.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace tw::graph;

static LogicalResult verifyParameterUse(Operation *op, FlatSymbolRefAttr name, Type type, SymbolTableCollection &symbols) {
  auto parameter = symbols.lookupNearestSymbolFrom<ParameterOp>(op, name);
  if (!parameter)
    return op->emitOpError("(C1) '") << name.getValue() << "' does not name a graph.parameter";
  if (parameter.getType() != type)
    return op->emitOpError("(C1) parameter '") << name.getValue() << "' has type " << parameter.getType()
                                               << ", but this op has " << type;
  return success();
}

LogicalResult LoadOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyParameterUse(*this, getParameterAttr(), getType(), symbols);
}

LogicalResult StoreOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyParameterUse(*this, getParameterAttr(), getValue().getType(), symbols);
}

//===----------------------------------------------------------------------===//
// accumulate
//===----------------------------------------------------------------------===//

static ParseResult parseOperandList(OpAsmParser &parser, StringRef keyword,
                                    SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands) {
  if (parser.parseKeyword(keyword))
    return failure();
  return parser.parseOperandList(operands, OpAsmParser::Delimiter::Paren);
}

ParseResult AccumulateOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::UnresolvedOperand> sliced, initial;
  int64_t count = 0;
  FunctionType type;
  Region *body = state.addRegion();
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseKeyword("micro_batches") || parser.parseInteger(count) || parseOperandList(parser, "slices", sliced) ||
      parseOperandList(parser, "carries", initial) || parser.parseRegion(*body) ||
      parser.parseOptionalAttrDict(state.attributes) || parser.parseColonType(type))
    return failure();
  SmallVector<OpAsmParser::UnresolvedOperand> operands(sliced);
  operands.append(initial);
  if (parser.resolveOperands(operands, type.getInputs(), location, state.operands))
    return failure();
  if (body->empty() || body->front().empty() || !isa<YieldOp>(body->front().back()))
    return parser.emitError(location, "the body must end in graph.yield");
  auto yield = cast<YieldOp>(body->front().back());
  Builder &builder = parser.getBuilder();
  state.addTypes(type.getResults());
  auto &properties = state.getOrAddProperties<Properties>();
  properties.micro_batches = builder.getI64IntegerAttr(count);
  properties.operandSegmentSizes = {static_cast<int32_t>(sliced.size()), static_cast<int32_t>(initial.size())};
  properties.resultSegmentSizes = {static_cast<int32_t>(yield.getSums().size()),
                                   static_cast<int32_t>(yield.getCarried().size()),
                                   static_cast<int32_t>(yield.getStacked().size())};
  return success();
}

void AccumulateOp::print(OpAsmPrinter &printer) {
  printer << " micro_batches " << getMicroBatches() << " slices(" << getSliced() << ") carries(" << getInitial() << ") ";
  printer.printRegion(getBody());
  printer.printOptionalAttrDict((*this)->getAttrs(), {"micro_batches", "operandSegmentSizes", "resultSegmentSizes"});
  printer << " : ";
  printer.printFunctionalType(*this);
}
