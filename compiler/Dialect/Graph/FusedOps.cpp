// Verifier and queries of graph.fused.
#include "compiler/Dialect/Graph/Graph.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tw::graph;

static bool isBodyOp(Operation &op) {
  if (isa<BroadcastOp, ReshapeOp, ReduceOp>(op))
    return true;
  SplatElementsAttr splat;
  if (isa<arith::ConstantOp>(op))
    return matchPattern(&op, m_Constant(&splat));
  return op.getNumResults() == 1 && op.getNumRegions() == 0 && OpTrait::hasElementwiseMappableTraits(&op);
}

static int64_t elementCount(Value value) {
  return cast<RankedTensorType>(value.getType()).getNumElements();
}

int64_t FusedOp::getDomainSize() {
  Value value = getBlock().getTerminator()->getOperand(0);
  if (auto reduce = value.getDefiningOp<ReduceOp>())
    value = reduce.getInput();
  return elementCount(value);
}

static LogicalResult verifySignature(FusedOp op) {
  Block &block = op.getBlock();
  if (block.empty() || !isa<FusedYieldOp>(block.back()))
    return op.emitOpError("(C1) its body must end in graph.fused_yield");
  if (block.getTerminator()->getNumOperands() == 0)
    return op.emitOpError("(C1) needs at least one result");
  if (!llvm::equal(block.getArgumentTypes(), op.getInputs().getTypes()))
    return op.emitOpError("(C1) the types of the block arguments differ from those of the inputs");
  if (!llvm::equal(block.getTerminator()->getOperandTypes(), op.getResultTypes()))
    return op.emitOpError("(C1) the types of the yielded values differ from those of the results");
  return success();
}

LogicalResult FusedOp::verify() {
  if (failed(verifySignature(*this)))
    return failure();
  int64_t domain = getDomainSize();
  ReduceOp first;
  for (Operation &op : getBlock().without_terminator()) {
    if (!isBodyOp(op))
      return op.emitOpError("(C2) cannot stand in graph.fused");
    auto reduce = dyn_cast<ReduceOp>(op);
    Value counted = reduce ? Value(reduce.getInput()) : Value(op.getResult(0));
    if (!isa<arith::ConstantOp>(op) && elementCount(counted) != domain)
      return op.emitOpError("(C3) has ") << elementCount(counted) << " elements, but the domain has " << domain;
    if (!reduce)
      continue;
    if (!llvm::all_of(op.getUsers(), llvm::IsaPred<FusedYieldOp>))
      return op.emitOpError("(C2) the result of a reduction can only be yielded");
    if (first && (first.getInput().getType().getShape() != reduce.getInput().getType().getShape() ||
                  first.getDimensions() != reduce.getDimensions()))
      return op.emitOpError("(C4) reduces other dimensions than an earlier reduction");
    first = reduce;
  }
  bool has = getKernel().has_value();
  if (getSizes().has_value() != has || getExtent().has_value() != has || getGrain().has_value() != has)
    return emitOpError("(C5) kernel, sizes, extent and grain come together");
  return success();
}

bool FusedOp::canShareMemory(unsigned input, unsigned result) {
  BlockArgument argument = getBlock().getArgument(input);
  Value value = getBlock().getTerminator()->getOperand(result);
  auto type = cast<RankedTensorType>(argument.getType()), other = cast<RankedTensorType>(value.getType());
  if (value.getDefiningOp<ReduceOp>() || type.getElementType() != other.getElementType())
    return false;
  // An input as large as the domain is read element by element: a broadcast of it can only add dimensions of size one.
  return type.getNumElements() == other.getNumElements() && type.getNumElements() == getDomainSize();
}
