// Verifiers of the ops on tensors.
#include "compiler/Dialect/Graph/Graph.h"
#include "compiler/Dialect/Plan/Plan.h"

using namespace mlir;
using namespace tw::plan;
namespace graph = tw::graph;

static int64_t byteSize(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.getNumElements() * ((tensor.getElementTypeBitWidth() + 7) / 8);
}

static LogicalResult verifyInPlace(Operation *op, ArrayRef<int64_t> pairs, ValueRange inputs, ValueRange results) {
  if (pairs.size() % 2)
    return op->emitOpError("(C1) in_place must list pairs (result, operand), but has ") << pairs.size() << " numbers";
  for (size_t i = 0; i < pairs.size(); i += 2) {
    int64_t result = pairs[i], input = pairs[i + 1];
    if (result < 0 || result >= static_cast<int64_t>(results.size()) || input < 0 ||
        input >= static_cast<int64_t>(inputs.size()))
      return op->emitOpError("(C1) in_place pair (") << result << ", " << input << ") names no result and operand";
    if (byteSize(results[result].getType()) != byteSize(inputs[input].getType()))
      return op->emitOpError("(C1) in_place pair (")
             << result << ", " << input << ") has sizes that differ: " << results[result].getType() << " and "
             << inputs[input].getType();
  }
  return success();
}

LogicalResult KernelOp::verify() {
  if (failed(verifyInPlace(*this, getInPlace(), getInputs(), getResults())))
    return failure();
  if (static_cast<int64_t>(getWorkspace()) < 0)
    return emitOpError("(C2) workspace must not be negative");
  if (!getResultStrides())
    return success();
  if (getResultStrides()->size() != getNumResults())
    return emitOpError("(C3) result_strides must have one entry a result");
  for (auto [entry, result] : llvm::zip(*getResultStrides(), getResults())) {
    auto strides = dyn_cast<DenseI64ArrayAttr>(entry);
    int64_t rank = cast<RankedTensorType>(result.getType()).getRank();
    if (!strides || (!strides.empty() && strides.size() != rank))
      return emitOpError("(C3) result_strides needs one stride a dimension of ") << result.getType();
  }
  return success();
}

LogicalResult AllReduceOp::verify() {
  if (getInputs().empty() || getInputs().getTypes() != getResultTypes())
    return emitOpError("(C1) the results must have the operands' types");
  for (Value input : getInputs())
    if (getElementTypeOrSelf(input.getType()) != getElementTypeOrSelf(getInputs()[0].getType()))
      return emitOpError("(C1) element types differ");
  if (getReduction() != "sum" && getReduction() != "max" && getReduction() != "min")
    return emitOpError("(C2) reduction must be sum, max or min, found '") << getReduction() << "'";
  SmallVector<int64_t> seen;
  for (Attribute group : getGroups()) {
    auto ranks = dyn_cast<DenseI64ArrayAttr>(group);
    if (!ranks || ranks.empty())
      return emitOpError("(C2) each group must be an array of ranks");
    seen.append(ranks.asArrayRef().begin(), ranks.asArrayRef().end());
  }
  llvm::sort(seen);
  if (std::adjacent_find(seen.begin(), seen.end()) != seen.end())
    return emitOpError("(C2) a rank is in two groups");
  return success();
}

LogicalResult ViewOp::verify() {
  auto input = cast<RankedTensorType>(getInput().getType()), result = cast<RankedTensorType>(getType());
  if (static_cast<int64_t>(getStrides().size()) != result.getRank())
    return emitOpError("(C1) needs one stride for each of the ") << result.getRank() << " dimensions";
  if (input.getElementType() != result.getElementType())
    return emitOpError("(C1) element types differ");
  int64_t low = getOffset(), high = low;
  for (auto [stride, size] : llvm::zip(getStrides(), result.getShape()))
    (stride < 0 ? low : high) += stride * (std::max<int64_t>(size, 1) - 1);
  if (result.getNumElements() && (low < 0 || high >= input.getNumElements()))
    return emitOpError("(C2) elements ") << low << " to " << high << " do not lie inside " << input;
  if (getInput().getDefiningOp<ViewOp>())
    return emitOpError("(C3) a view of a view must name the memory's owner");
  return success();
}

LogicalResult AssembleOp::verify() {
  auto result = cast<RankedTensorType>(getType());
  if (getOffsets().size() != getParts().size() || getStrides().size() != getParts().size())
    return emitOpError("(C1) needs one offset and one list of strides a part");
  for (auto [part, offset, list] : llvm::zip(getParts(), getOffsets(), getStrides())) {
    auto type = cast<RankedTensorType>(part.getType());
    auto strides = dyn_cast<DenseI64ArrayAttr>(list);
    if (!strides || strides.size() != type.getRank())
      return emitOpError("(C1) needs one stride for each dimension of ") << type;
    if (type.getElementType() != result.getElementType())
      return emitOpError("(C1) element types differ");
    int64_t last = offset;
    for (auto [stride, size] : llvm::zip(strides.asArrayRef(), type.getShape()))
      last += stride * (std::max<int64_t>(size, 1) - 1);
    if (offset < 0 || last >= std::max<int64_t>(result.getNumElements(), 1))
      return emitOpError("(C1) a part does not lie inside ") << result;
    if (!part.hasOneUse() || !part.getDefiningOp() || !isa<KernelOp, graph::FusedOp>(part.getDefiningOp()))
      return emitOpError("(C2) a part must be the result of a plan.kernel or graph.fused and have no other use");
  }
  return success();
}
