// Verifiers of structure, indexing and reductions.
#include "compiler/Dialect/Graph/Verification.h"

using namespace mlir;
using namespace tw::graph;

LogicalResult ReshapeOp::verify() {
  if (typeOf(getInput()).getNumElements() != getType().getNumElements())
    return emitOpError("(C1) input ") << toText(shapeOf(getInput())) << " has " << typeOf(getInput()).getNumElements()
                                      << " elements, result " << toText(getType().getShape()) << " has "
                                      << getType().getNumElements();
  return verifyElementTypes(*this, "C1");
}

LogicalResult TransposeOp::verify() {
  ArrayRef<int64_t> input = shapeOf(getInput()), permutation = getPermutation();
  SmallVector<int64_t> sorted(permutation), expected;
  llvm::sort(sorted);
  if (sorted != llvm::to_vector(llvm::seq<int64_t>(input.size())))
    return emitOpError("(C1) permutation is ") << toText(permutation) << ", expected one of the numbers from 0 to "
                                               << static_cast<int64_t>(input.size()) - 1;
  for (int64_t dimension : permutation)
    expected.push_back(input[dimension]);
  return verifyType(*this, "C1", "result", getResult(), typeOf(getInput()).clone(expected));
}

LogicalResult BroadcastOp::verify() {
  ArrayRef<int64_t> input = shapeOf(getInput()), result = getType().getShape();
  if (getDimensions().size() != input.size())
    return emitOpError("(C1) dimensions has ") << getDimensions().size() << " entries for input rank " << input.size();
  if (failed(verifyDimensions(*this, "C1", getDimensions(), result.size())))
    return failure();
  for (auto [i, dimension] : llvm::enumerate(getDimensions()))
    if (input[i] != 1 && input[i] != result[dimension])
      return emitOpError("(C2) input dimension ")
             << i << " has size " << input[i] << ", expected 1 or " << result[dimension]
             << ", the size of result dimension " << dimension;
  return verifyElementTypes(*this, "C2");
}

LogicalResult SliceOp::verify() {
  ArrayRef<int64_t> input = shapeOf(getInput()), result = getType().getShape();
  if (result.size() != input.size())
    return emitOpError("(C1) result has rank ") << result.size() << ", expected " << input.size();
  if (failed(verifyEntries(*this, "C1", "C2", "starts", getStarts(), input.size(), 0)) ||
      failed(verifyEntries(*this, "C1", "C1", "strides", getStrides(), input.size(), INT32_MIN)))
    return failure();
  if (llvm::is_contained(getStrides(), 0))
    return emitOpError("(C1) strides are ") << toText(getStrides()) << ", expected none of them to be 0";
  for (size_t d = 0; d < input.size(); ++d) {
    int64_t first = getStarts()[d], last = first + (result[d] - 1) * getStrides()[d];
    if (result[d] > 0 && (first >= input[d] || last < 0 || last >= input[d]))
      return emitOpError("(C2) dimension ")
             << d << " takes elements " << first << " to " << last << " of an input of size " << input[d];
  }
  return verifyElementTypes(*this, "C1");
}

LogicalResult PadOp::verify() {
  ArrayRef<int64_t> input = shapeOf(getInput());
  if (failed(verifyEntries(*this, "C1", "C1", "low", getLow(), input.size(), 0)) ||
      failed(verifyEntries(*this, "C1", "C1", "high", getHigh(), input.size(), 0)) ||
      failed(verifyEntries(*this, "C1", "C1", "interior", getInterior(), input.size(), 0)))
    return failure();
  SmallVector<int64_t> expected;
  for (size_t d = 0; d < input.size(); ++d) {
    int64_t inner = input[d] > 0 ? (input[d] - 1) * (getInterior()[d] + 1) + 1 : 0;
    expected.push_back(getLow()[d] + inner + getHigh()[d]);
  }
  return verifyType(*this, "C1", "result", getResult(), typeOf(getInput()).clone(expected));
}

LogicalResult ConcatOp::verify() {
  if (getInputs().empty())
    return emitOpError("(C1) needs at least one operand");
  int64_t axis = getAxis(), total = 0;
  if (failed(verifyAxis(*this, "C1", axis, getType().getRank())))
    return failure();
  for (auto [number, input] : llvm::enumerate(getInputs())) {
    SmallVector<int64_t> expected(getType().getShape());
    if (typeOf(input).getRank() == getType().getRank())
      total += expected[axis] = shapeOf(input)[axis];
    if (failed(verifyType(*this, "C1", ("operand " + Twine(number)).str(), input, getType().clone(expected))))
      return failure();
  }
  if (total != getType().getDimSize(axis))
    return emitOpError("(C1) operands have ")
           << total << " elements along axis " << axis << ", the result has " << getType().getDimSize(axis);
  return success();
}

/// The shape of gather's result.
static SmallVector<int64_t> gatheredShape(ArrayRef<int64_t> input, ArrayRef<int64_t> indices, int64_t axis) {
  SmallVector<int64_t> shape(input.take_front(axis));
  shape.append(indices.begin(), indices.end());
  shape.append(input.begin() + axis + 1, input.end());
  return shape;
}

LogicalResult GatherOp::verify() {
  if (failed(verifyAxis(*this, "C1", getAxis(), typeOf(getInput()).getRank())))
    return failure();
  auto expected = gatheredShape(shapeOf(getInput()), shapeOf(getIndices()), getAxis());
  return verifyType(*this, "C1", "result", getResult(), typeOf(getInput()).clone(expected));
}

LogicalResult ScatterAddOp::verify() {
  if (failed(verifyAxis(*this, "C1", getAxis(), getType().getRank())))
    return failure();
  auto expected = gatheredShape(getType().getShape(), shapeOf(getIndices()), getAxis());
  return verifyType(*this, "C1", "updates", getUpdates(), getType().clone(expected));
}

LogicalResult ReduceOp::verify() {
  ArrayRef<int64_t> input = shapeOf(getInput());
  if (failed(verifyDimensions(*this, "C1", getDimensions(), input.size())))
    return failure();
  SmallVector<int64_t> expected;
  for (auto [dimension, size] : llvm::enumerate(input))
    if (!llvm::is_contained(getDimensions(), static_cast<int64_t>(dimension)))
      expected.push_back(size);
  return verifyType(*this, "C1", "result", getResult(), typeOf(getInput()).clone(expected));
}
