#include "compiler/Dialect/Graph/Verification.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::graph;

std::string graph::toText(ArrayRef<int64_t> numbers) {
  return "[" + llvm::join(llvm::map_range(numbers, [](int64_t number) { return std::to_string(number); }), ", ") + "]";
}

static InFlightDiagnostic error(Operation *op, StringRef constraint) {
  return op->emitOpError("(") << constraint << ") ";
}

LogicalResult graph::verifyShape(Operation *op, StringRef constraint, StringRef what, Value value,
                                 ArrayRef<int64_t> expected) {
  if (!value || shapeOf(value) == expected)
    return success();
  return error(op, constraint) << what << " has shape " << toText(shapeOf(value)) << ", expected " << toText(expected);
}

LogicalResult graph::verifyType(Operation *op, StringRef constraint, StringRef what, Value value,
                                RankedTensorType expected) {
  if (failed(verifyShape(op, constraint, what, value, expected.getShape())))
    return failure();
  Type element = typeOf(value).getElementType();
  if (element == expected.getElementType())
    return success();
  return error(op, constraint) << what << " has element type " << element << ", expected " << expected.getElementType();
}

LogicalResult graph::verifyRank(Operation *op, StringRef constraint, StringRef what, Value value, int64_t expected) {
  if (typeOf(value).getRank() == expected)
    return success();
  return error(op, constraint) << what << " has rank " << typeOf(value).getRank() << ", expected " << expected;
}

LogicalResult graph::verifyElementTypes(Operation *op, StringRef constraint) {
  Type expected = getElementTypeOrSelf(op->getResultTypes()[0]);
  auto verify = [&](TypeRange types, StringRef kind) -> LogicalResult {
    for (auto [number, type] : llvm::enumerate(types))
      if (getElementTypeOrSelf(type) != expected)
        return error(op, constraint) << kind << " " << number << " has element type " << getElementTypeOrSelf(type)
                                     << ", expected " << expected;
    return success();
  };
  return success(succeeded(verify(op->getOperandTypes(), "operand")) &&
                 succeeded(verify(op->getResultTypes(), "result")));
}

LogicalResult graph::verifyAxis(Operation *op, StringRef constraint, int64_t axis, int64_t rank, int64_t lowest) {
  if (axis >= lowest && axis < rank)
    return success();
  return error(op, constraint) << "axis is " << axis << ", expected " << lowest << " <= axis < " << rank;
}

LogicalResult graph::verifyDimensions(Operation *op, StringRef constraint, ArrayRef<int64_t> dimensions, int64_t rank) {
  int64_t previous = -1;
  for (int64_t dimension : dimensions) {
    if (dimension <= previous || dimension >= rank)
      return error(op, constraint) << "dimensions are " << toText(dimensions)
                                   << ", expected ascending numbers from 0 to " << rank - 1;
    previous = dimension;
  }
  return success();
}

LogicalResult graph::verifyEntries(Operation *op, StringRef countConstraint, StringRef valueConstraint, StringRef name,
                                   ArrayRef<int64_t> entries, int64_t expected, int64_t lowest) {
  if (static_cast<int64_t>(entries.size()) != expected)
    return error(op, countConstraint) << name << " has " << entries.size() << " entries, expected " << expected;
  for (int64_t entry : entries)
    if (entry < lowest || entry > INT32_MAX)
      return error(op, valueConstraint) << name << " is " << toText(entries) << ", expected entries from " << lowest
                                        << " to " << INT32_MAX;
  return success();
}

LogicalResult graph::verifyInterval(Operation *op, StringRef constraint, StringRef name, double number, double lowest,
                                    double highest) {
  if (number >= lowest && number < highest)
    return success();
  return error(op, constraint) << name << " is " << number << ", expected " << lowest << " <= " << name << " < "
                               << highest;
}
