#include "compiler/Interpreter/Evaluator.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tw::interpreter;

const Tensor *Evaluation::find(Value value) const {
  if (!value)
    return nullptr;
  for (auto [operand, tensor] : llvm::zip_equal(op->getOperands(), operands))
    if (operand == value)
      return tensor;
  return nullptr;
}

const EvaluatorTable &EvaluatorTable::get() {
  static const EvaluatorTable table = [] {
    EvaluatorTable all;
    addFloatEvaluators(all);
    addIntegerEvaluators(all);
    addCastEvaluators(all);
    addStructureEvaluators(all);
    addContractionEvaluators(all);
    addPoolingEvaluators(all);
    addNormalizationEvaluators(all);
    addSoftmaxEvaluators(all);
    addAttentionEvaluators(all);
    addLossEvaluators(all);
    addCheckEvaluators(all);
    return all;
  }();
  return table;
}

const Evaluator *EvaluatorTable::find(StringRef opName) const {
  auto found = evaluators.find(opName);
  return found == evaluators.end() ? nullptr : &found->second;
}

/// Whether values of this type can be held as a Tensor.
static bool isSupported(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (shaped && (!isa<RankedTensorType>(type) || !shaped.hasStaticShape()))
    return false;
  Type element = getElementTypeOrSelf(type);
  if (auto number = dyn_cast<FloatType>(element))
    return number.getWidth() <= 64;
  auto integer = dyn_cast<IntegerType>(element);
  return element.isIndex() || (integer && integer.getWidth() <= 64);
}

FailureOr<SmallVector<Tensor>> tw::interpreter::evaluate(Operation *op, ArrayRef<const Tensor *> operands,
                                                         bool roundFloats) {
  const Evaluator *evaluator = EvaluatorTable::get().find(op->getName().getStringRef());
  if (!evaluator)
    return op->emitError("the interpreter cannot execute '") << op->getName() << "'";
  SmallVector<Tensor> results;
  for (Type type : op->getResultTypes()) {
    if (!isSupported(type))
      return op->emitError("the interpreter cannot hold a value of type ") << type;
    results.emplace_back(type);
  }
  Evaluation evaluation{op, operands, results};
  if (failed((*evaluator)(evaluation)))
    return failure();
  for (Tensor &result : results)
    result.normalize(roundFloats);
  return results;
}

/// A tensor as an attribute of the result's type, which may be scalar.
static Attribute toAttribute(const Tensor &tensor, Type type) {
  if (isa<ShapedType>(type))
    return tensor.toAttribute();
  if (tensor.isFloat())
    return FloatAttr::get(type, tensor.real(int64_t(0)));
  return Builder(type.getContext()).getIntegerAttr(type, tensor.integer(0));
}

FailureOr<SmallVector<Attribute>> tw::interpreter::evaluateConstant(Operation *op, ArrayRef<Attribute> operands) {
  if (!EvaluatorTable::get().find(op->getName().getStringRef()) || !llvm::all_of(op->getResultTypes(), isSupported))
    return failure();
  SmallVector<Tensor> tensors;
  for (Attribute attribute : operands) {
    std::optional<Tensor> tensor = attribute ? Tensor::fromAttribute(attribute) : std::nullopt;
    if (!tensor)
      return failure();
    tensors.push_back(std::move(*tensor));
  }
  SmallVector<const Tensor *> pointers;
  for (const Tensor &tensor : tensors)
    pointers.push_back(&tensor);
  FailureOr<SmallVector<Tensor>> results = evaluate(op, pointers, /*roundFloats=*/true);
  if (failed(results))
    return failure();
  SmallVector<Attribute> attributes;
  for (auto [tensor, type] : llvm::zip_equal(*results, op->getResultTypes()))
    attributes.push_back(toAttribute(tensor, type));
  return attributes;
}
