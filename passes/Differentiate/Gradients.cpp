#include "passes/Differentiate/Gradients.h"

#include "compiler/Dialect/Graph/Graph.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tw::differentiate {

func::FuncOp lookupTrain(ModuleOp module) {
  auto train = module.lookupSymbol<func::FuncOp>("train");
  if (!train)
    module.emitError("expected a function @train; run tw-differentiate-build-backward first");
  return train;
}

SmallVector<Gradient> getGradients(ArrayRef<NamedResult> results, StringRef prefix) {
  SmallVector<Gradient> gradients;
  for (const NamedResult &result : results)
    if (StringRef name = result.name; name.consume_front(prefix))
      gradients.push_back({name.str(), result.value});
  return gradients;
}

Value Elementwise::constant(Type type, double value) {
  auto tensor = cast<RankedTensorType>(type);
  Attribute element = FloatAttr::get(tensor.getElementType(), value);
  return arith::ConstantOp::create(builder, location, DenseElementsAttr::get(tensor, element));
}

Value Elementwise::add(Value a, Value b) {
  return arith::AddFOp::create(builder, location, a, b);
}
Value Elementwise::sub(Value a, Value b) {
  return arith::SubFOp::create(builder, location, a, b);
}
Value Elementwise::mul(Value a, Value b) {
  return arith::MulFOp::create(builder, location, a, b);
}
Value Elementwise::div(Value a, Value b) {
  return arith::DivFOp::create(builder, location, a, b);
}
Value Elementwise::sqrt(Value a) {
  return math::SqrtOp::create(builder, location, a);
}
Value Elementwise::log(Value a) {
  return math::LogOp::create(builder, location, a);
}
Value Elementwise::cos(Value a) {
  return math::CosOp::create(builder, location, a);
}
Value Elementwise::pow(Value a, Value b) {
  return math::PowFOp::create(builder, location, a, b);
}
Value Elementwise::minimum(Value a, Value b) {
  return arith::MinimumFOp::create(builder, location, a, b);
}
Value Elementwise::maximum(Value a, Value b) {
  return arith::MaximumFOp::create(builder, location, a, b);
}

Value Elementwise::selectLess(Value a, Value b, Value x, Value y) {
  Value less = arith::CmpFOp::create(builder, location, arith::CmpFPredicate::OLT, a, b);
  return arith::SelectOp::create(builder, location, less, x, y);
}

Value Elementwise::sumAll(Value a) {
  auto type = cast<RankedTensorType>(a.getType());
  if (type.getRank() == 0)
    return a;
  auto dimensions = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  return graph::ReduceOp::create(builder, location, type.clone(ArrayRef<int64_t>()), a, graph::Reduction::Sum,
                                 dimensions);
}

Value Elementwise::convert(Value value, Type elementType) {
  auto from = cast<RankedTensorType>(value.getType());
  auto to = from.clone(elementType);
  unsigned fromWidth = from.getElementTypeBitWidth(), toWidth = to.getElementTypeBitWidth();
  if (fromWidth > toWidth)
    return arith::TruncFOp::create(builder, location, to, value);
  if (fromWidth < toWidth)
    return arith::ExtFOp::create(builder, location, to, value);
  return value;
}

Value Elementwise::spread(Value scalar, Value like) {
  auto type = cast<RankedTensorType>(like.getType());
  Value value = convert(scalar, type.getElementType());
  if (value.getType() == type)
    return value;
  return graph::BroadcastOp::create(builder, location, type, value, ArrayRef<int64_t>());
}

} // namespace tw::differentiate
