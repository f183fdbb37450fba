#include "compiler/Dialect/Check/Check.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tw::check;

#include "compiler/Dialect/Check/CheckDialect.cpp.inc"
#define GET_OP_CLASSES
#include "compiler/Dialect/Check/CheckOps.cpp.inc"

void CheckDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "compiler/Dialect/Check/CheckOps.cpp.inc"
      >();
}

SmallVector<int64_t> ExpectFiniteDifferencesOp::getComparedArguments() {
  if (std::optional<ArrayRef<int64_t>> listed = getWithRespectTo())
    return SmallVector<int64_t>(*listed);
  SmallVector<int64_t> positions;
  for (auto [position, type] : llvm::enumerate(getArguments().getTypes()))
    if (isa<FloatType>(getElementTypeOrSelf(type)))
      positions.push_back(position);
  return positions;
}

StringRef ExpectFiniteDifferencesOp::getGradientParameter(Operation *function, unsigned result) {
  auto name = cast<func::FuncOp>(function).getResultAttrOfType<StringAttr>(result, "graph.name");
  StringRef parameter = name ? name.getValue() : "";
  return parameter.consume_front("gradient/") ? parameter : "";
}

static FailureOr<func::FuncOp> verifyFunction(ExpectFiniteDifferencesOp op, FlatSymbolRefAttr name,
                                              SymbolTableCollection &symbols) {
  auto function = symbols.lookupNearestSymbolFrom<func::FuncOp>(op, name);
  if (!function)
    return op.emitOpError("(C1) '") << name.getValue() << "' does not name a function";
  if (TypeRange(function.getArgumentTypes()) != TypeRange(op.getArguments()))
    return op.emitOpError("(C1) the arguments do not have the types of those of '")
           << name.getValue() << "', " << function.getFunctionType();
  return function;
}

/// Without named results: one for each compared argument.
static LogicalResult verifyUnnamedGradients(ExpectFiniteDifferencesOp op, func::FuncOp gradient) {
  SmallVector<int64_t> compared = op.getComparedArguments();
  if (gradient.getNumResults() != compared.size())
    return op.emitOpError("(C3) compares ") << compared.size() << " arguments, but '" << gradient.getName() << "' has "
                                            << gradient.getNumResults() << " results";
  for (auto [result, position] : llvm::zip_equal(gradient.getResultTypes(), compared)) {
    if (position < 0 || position >= static_cast<int64_t>(op.getArguments().size()))
      return op.emitOpError("(C3) there is no argument ") << position;
    if (result != op.getArguments()[position].getType())
      return op.emitOpError("(C3) argument ") << position << " has type " << op.getArguments()[position].getType()
                                              << ", but its gradient has type " << result;
  }
  return success();
}

LogicalResult ExpectFiniteDifferencesOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FailureOr<func::FuncOp> function = verifyFunction(*this, getFunctionAttr(), symbols);
  if (failed(function))
    return failure();
  FailureOr<func::FuncOp> gradient = verifyFunction(*this, getGradientAttr(), symbols);
  if (failed(gradient))
    return failure();
  auto value = function->getNumResults() ? dyn_cast<RankedTensorType>(function->getResultTypes()[0]) : nullptr;
  if (!value || value.getRank() != 0 || !isa<FloatType>(value.getElementType()))
    return emitOpError("(C2) '") << getFunction() << "' does not give a float tensor of rank 0";
  for (unsigned result = 0; result < gradient->getNumResults(); ++result)
    if (!getGradientParameter(*gradient, result).empty())
      return success();
  return verifyUnnamedGradients(*this, *gradient);
}
