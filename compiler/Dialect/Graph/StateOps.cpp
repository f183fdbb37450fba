// Verifiers, parser and printer of parameters, loads, stores and the micro-batch loop.
#include "compiler/Dialect/Graph/Verification.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tw::graph;

static LogicalResult verifyParameterUse(Operation *op, FlatSymbolRefAttr name, Type type,
                                        SymbolTableCollection &symbols) {
  auto parameter = symbols.lookupNearestSymbolFrom<ParameterOp>(op, name);
  if (!parameter)
    return op->emitOpError("(C1) '") << name.getValue() << "' does not name a graph.parameter";
  if (parameter.getType() != type)
    return op->emitOpError("(C1) parameter '")
           << name.getValue() << "' has type " << parameter.getType() << ", but this op has " << type;
  return success();
}

LogicalResult LoadOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyParameterUse(*this, getParameterAttr(), getType(), symbols);
}

/// (C2): checked once a block, at its last store.
static LogicalResult verifyStoresOfBlock(StoreOp last) {
  for (Operation *op = last->getNextNode(); op; op = op->getNextNode())
    if (isa<StoreOp>(op))
      return success();
  llvm::StringSet<> stored;
  for (auto store : last->getBlock()->getOps<StoreOp>())
    if (!stored.insert(store.getParameter()).second)
      return store.emitOpError("(C2) stores to '") << store.getParameter() << "' a second time";
  return success();
}

LogicalResult StoreOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (failed(verifyParameterUse(*this, getParameterAttr(), getValue().getType(), symbols)))
    return failure();
  if (!isa_and_nonnull<FunctionOpInterface>((*this)->getParentOp()))
    return emitOpError("(C2) must stand directly in a function, not in a region of another op");
  return verifyStoresOfBlock(*this);
}

//===----------------------------------------------------------------------===//
// parameter
//===----------------------------------------------------------------------===//

/// Bytes in a file; a boolean takes one.
static int64_t bytesInFile(RankedTensorType type) {
  return type.getNumElements() * ((type.getElementTypeBitWidth() + 7) / 8);
}

LogicalResult ParameterOp::verify() {
  auto type = dyn_cast<RankedTensorType>(getType());
  if (!type || !type.hasStaticShape() || !type.getElementType().isIntOrFloat())
    return emitOpError("(C1) type is ") << getType() << ", expected a ranked tensor of static shape";
  int sources = getFile().has_value() + getValue().has_value() + getFill().has_value() + getCopyOf().has_value();
  if (sources > 1)
    return emitOpError("(C2) has ") << sources << " sources, expected at most one of file, value, fill and copy_of";
  if (getFile().has_value() != getOffset().has_value() || getFile().has_value() != getLength().has_value())
    return emitOpError("(C2) file, offset and length come together");
  if (getOffset() && static_cast<int64_t>(*getOffset()) < 0)
    return emitOpError("(C2) offset is ") << static_cast<int64_t>(*getOffset()) << ", expected 0 or more";
  if (getLength() && static_cast<int64_t>(*getLength()) != bytesInFile(type))
    return emitOpError("(C2) length is ")
           << static_cast<int64_t>(*getLength()) << ", expected " << bytesInFile(type) << ", the size of " << type;
  if (getValue() && getValue()->getShapedType() != type)
    return emitOpError("(C3) value has type ") << getValue()->getShapedType() << ", expected " << type;
  return success();
}

LogicalResult ParameterOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (!getCopyOf())
    return success();
  auto source = symbols.lookupNearestSymbolFrom<ParameterOp>(*this, getCopyOfAttr());
  if (!source || source.getCopyOf())
    return emitOpError("(C3) copy_of '") << *getCopyOf() << "' does not name a graph.parameter that is no copy itself";
  if (source.getType() != getType())
    return emitOpError("(C3) copy_of '") << *getCopyOf() << "' has type " << source.getType() << ", expected "
                                         << getType();
  return success();
}

//===----------------------------------------------------------------------===//
// accumulate
//===----------------------------------------------------------------------===//

/// The type of slice i of a tensor along dimension 0.
static RankedTensorType sliceType(Type type) {
  auto ranked = cast<RankedTensorType>(type);
  return ranked.clone(ranked.getShape().drop_front());
}

/// (C1) and what block arguments are.
static LogicalResult verifyBlockArguments(AccumulateOp op) {
  int64_t count = op.getMicroBatches();
  if (count < 1)
    return op.emitOpError("(C1) micro_batches is ") << count << ", expected at least 1";
  SmallVector<Type> expected{RankedTensorType::get({}, IntegerType::get(op.getContext(), 64))};
  for (Value sliced : op.getSliced()) {
    if (shapeOf(sliced).empty() || shapeOf(sliced)[0] != count)
      return op.emitOpError("(C1) a sliced operand has shape ")
             << toText(shapeOf(sliced)) << ", expected " << count << " as dimension 0";
    expected.push_back(sliceType(sliced.getType()));
  }
  llvm::append_range(expected, op.getInitial().getTypes());
  if (TypeRange(op.getBody().getArgumentTypes()) != TypeRange(expected))
    return op.emitOpError("(C2) block arguments have types (")
           << op.getBody().getArgumentTypes() << "), expected (" << TypeRange(expected) << ")";
  return success();
}

static LogicalResult verifyYielded(AccumulateOp op, StringRef what, TypeRange yielded, TypeRange expected) {
  if (yielded == expected)
    return success();
  return op.emitOpError("(C2) yielded ") << what << " have types (" << yielded << "), expected (" << expected << ")";
}

LogicalResult AccumulateOp::verify() {
  auto yield = getBody().front().empty() ? nullptr : dyn_cast<YieldOp>(getBody().front().back());
  if (!yield)
    return emitOpError("(C2) its body must end in graph.yield");
  if (failed(verifyBlockArguments(*this)))
    return failure();
  SmallVector<Type> stacked;
  for (Type type : getStacked().getTypes()) {
    auto ranked = cast<RankedTensorType>(type);
    if (ranked.getRank() < 1 || ranked.getDimSize(0) != static_cast<int64_t>(getMicroBatches()))
      return emitOpError("(C2) a stacked result has type ")
             << type << ", expected " << getMicroBatches() << " as dimension 0";
    stacked.push_back(sliceType(type));
  }
  return success(
      succeeded(verifyYielded(*this, "sums", yield.getSums().getTypes(), getSums().getTypes())) &&
      succeeded(verifyYielded(*this, "carried values", yield.getCarried().getTypes(), getCarried().getTypes())) &&
      succeeded(verifyYielded(*this, "carried values", yield.getCarried().getTypes(), getInitial().getTypes())) &&
      succeeded(verifyYielded(*this, "stacked values", yield.getStacked().getTypes(), stacked)));
}

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
  if (parser.parseKeyword("micro_batches") || parser.parseInteger(count) ||
      parseOperandList(parser, "slices", sliced) || parseOperandList(parser, "carries", initial) ||
      parser.parseRegion(*body) || parser.parseOptionalAttrDict(state.attributes) || parser.parseColonType(type))
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
  printer << " micro_batches " << getMicroBatches() << " slices(" << getSliced() << ") carries(" << getInitial()
          << ") ";
  printer.printRegion(getBody());
  printer.printOptionalAttrDict((*this)->getAttrs(), {"micro_batches", "operandSegmentSizes", "resultSegmentSizes"});
  printer << " : ";
  printer.printFunctionalType(*this);
}
