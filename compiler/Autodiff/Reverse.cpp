// The small vocabulary in which gradient rules are written.
#include "compiler/Autodiff/Rules.h"

#include "compiler/Dialect/Graph/Graph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tw::autodiff {

Cotangents Reverse::each(std::initializer_list<llvm::function_ref<Value()>> rules) {
  SmallVector<Value> result(wantedOperands.size());
  for (auto [index, rule] : llvm::enumerate(rules))
    if (index < result.size() && wantedOperands[index])
      result[index] = rule();
  return result;
}

LogicalResult Reverse::onlyFirstResult() {
  for (unsigned index = 1; index < cotangents.size(); ++index)
    if (cotangents[index])
      return op->emitError("'") << op->getName() << "' carries no gradient through its result " << index
                                << "; use only its first result on the way to the loss";
  return success(cotangents.front() != nullptr);
}

Value Reverse::constant(Value like, double value) {
  Type type = like.getType();
  auto attribute = FloatAttr::get(getElementTypeOrSelf(type), value);
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return arith::ConstantOp::create(builder, loc(), DenseElementsAttr::get(tensor, attribute.getValue()));
  return arith::ConstantOp::create(builder, loc(), attribute);
}

Value Reverse::add(Value a, Value b) {
  return make<arith::AddFOp>(a, b);
}
Value Reverse::sub(Value a, Value b) {
  return make<arith::SubFOp>(a, b);
}
Value Reverse::mul(Value a, Value b) {
  return make<arith::MulFOp>(a, b);
}
Value Reverse::div(Value a, Value b) {
  return make<arith::DivFOp>(a, b);
}
Value Reverse::neg(Value a) {
  return make<arith::NegFOp>(a);
}
Value Reverse::equal(Value a, Value b) {
  return make<arith::CmpFOp>(arith::CmpFPredicate::OEQ, a, b);
}
Value Reverse::greater(Value a, Value b) {
  return make<arith::CmpFOp>(arith::CmpFPredicate::OGT, a, b);
}
Value Reverse::select(Value condition, Value a, Value b) {
  return make<arith::SelectOp>(condition, a, b);
}

Value Reverse::sum(Value input, ArrayRef<int64_t> dimensions) {
  if (dimensions.empty())
    return input;
  auto type = cast<RankedTensorType>(input.getType());
  SmallVector<int64_t> shape;
  for (int64_t dimension = 0; dimension < type.getRank(); ++dimension)
    if (!llvm::is_contained(dimensions, dimension))
      shape.push_back(type.getDimSize(dimension));
  return make<graph::ReduceOp>(type.clone(shape), input, graph::Reduction::Sum, dimensions);
}

Value Reverse::reshape(Value input, Type type) {
  return input.getType() == type ? input : make<graph::ReshapeOp>(type, input);
}

Value Reverse::broadcast(Value input, Type type, ArrayRef<int64_t> dimensions) {
  return input.getType() == type ? input : make<graph::BroadcastOp>(type, input, dimensions);
}

} // namespace tw::autodiff
