#include "compiler/Import/ConstantEvaluation.h"

#include "compiler/Dialect/Graph/Graph.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;

namespace tw::import {
namespace {

using Index = SmallVector<int64_t, 6>;

RankedTensorType resultType(Operation *op) {
  return cast<RankedTensorType>(op->getResult(0).getType());
}

Index rowMajorStrides(ArrayRef<int64_t> shape) {
  Index strides(shape.size(), 1);
  for (int64_t i = static_cast<int64_t>(shape.size()) - 2; i >= 0; --i)
    strides[i] = strides[i + 1] * shape[i + 1];
  return strides;
}

/// Steps to the next index in row-major order.
void advance(Index &index, ArrayRef<int64_t> shape) {
  for (int64_t i = static_cast<int64_t>(shape.size()) - 1; i >= 0; --i) {
    if (++index[i] < shape[i])
      return;
    index[i] = 0;
  }
}

/// A result whose element at each index is the input's element at `source(index)`.
DenseElementsAttr move(DenseElementsAttr input, RankedTensorType type,
                       llvm::function_ref<int64_t(ArrayRef<int64_t>)> source) {
  if (input.isSplat())
    return DenseElementsAttr::get(type, input.getSplatValue<Attribute>());
  SmallVector<Attribute> from = llvm::to_vector(input.getValues<Attribute>()), to;
  int64_t count = type.getNumElements();
  to.reserve(count);
  Index index(type.getRank(), 0);
  for (int64_t i = 0; i < count; ++i, advance(index, type.getShape()))
    to.push_back(from[source(index)]);
  return DenseElementsAttr::get(type, to);
}

DenseElementsAttr evaluate(graph::TransposeOp op, ArrayRef<Attribute> operands) {
  auto input = cast<DenseElementsAttr>(operands[0]);
  Index strides = rowMajorStrides(input.getType().getShape());
  return move(input, resultType(op), [&](ArrayRef<int64_t> index) {
    int64_t at = 0;
    for (auto [i, from] : llvm::enumerate(op.getPermutation()))
      at += index[i] * strides[from];
    return at;
  });
}

DenseElementsAttr evaluate(graph::BroadcastOp op, ArrayRef<Attribute> operands) {
  auto input = cast<DenseElementsAttr>(operands[0]);
  ArrayRef<int64_t> shape = input.getType().getShape();
  Index strides = rowMajorStrides(shape);
  return move(input, resultType(op), [&](ArrayRef<int64_t> index) {
    int64_t at = 0;
    for (auto [i, to] : llvm::enumerate(op.getDimensions()))
      at += shape[i] == 1 ? 0 : index[to] * strides[i];
    return at;
  });
}

DenseElementsAttr evaluate(graph::SliceOp op, ArrayRef<Attribute> operands) {
  auto input = cast<DenseElementsAttr>(operands[0]);
  Index strides = rowMajorStrides(input.getType().getShape());
  return move(input, resultType(op), [&](ArrayRef<int64_t> index) {
    int64_t at = 0;
    for (size_t i = 0; i < index.size(); ++i)
      at += (op.getStarts()[i] + index[i] * op.getStrides()[i]) * strides[i];
    return at;
  });
}

DenseElementsAttr evaluate(graph::GatherOp op, ArrayRef<Attribute> operands) {
  auto input = cast<DenseElementsAttr>(operands[0]);
  auto indices = llvm::to_vector(cast<DenseElementsAttr>(operands[1]).getValues<APInt>());
  ArrayRef<int64_t> shape = input.getType().getShape();
  int64_t axis = op.getAxis(), indexRank = cast<DenseElementsAttr>(operands[1]).getType().getRank();
  Index strides = rowMajorStrides(shape),
        indexStrides = rowMajorStrides(cast<ShapedType>(op.getIndices().getType()).getShape());
  for (const APInt &value : indices)
    if (value.getSExtValue() < -shape[axis] || value.getSExtValue() >= shape[axis])
      return {};
  return move(input, resultType(op), [&](ArrayRef<int64_t> index) {
    int64_t at = 0, pick = 0;
    for (int64_t i = 0; i < axis; ++i)
      at += index[i] * strides[i];
    for (int64_t i = 0; i < indexRank; ++i)
      pick += index[axis + i] * indexStrides[i];
    int64_t chosen = indices[pick].getSExtValue();
    at += (chosen < 0 ? chosen + shape[axis] : chosen) * strides[axis];
    for (int64_t i = axis + 1; i < static_cast<int64_t>(shape.size()); ++i)
      at += index[i - 1 + indexRank] * strides[i];
    return at;
  });
}

DenseElementsAttr evaluate(graph::ConcatOp op, ArrayRef<Attribute> operands) {
  RankedTensorType type = resultType(op);
  int64_t axis = op.getAxis(), outer = 1;
  for (int64_t size : type.getShape().take_front(axis))
    outer *= size;
  SmallVector<SmallVector<Attribute>> parts;
  for (Attribute operand : operands)
    parts.push_back(llvm::to_vector(cast<DenseElementsAttr>(operand).getValues<Attribute>()));
  SmallVector<Attribute> values;
  for (int64_t row = 0; row < outer; ++row)
    for (const auto &part : parts) {
      int64_t width = part.size() / outer;
      values.append(part.begin() + row * width, part.begin() + (row + 1) * width);
    }
  return DenseElementsAttr::get(type, values);
}

template <typename Number, typename Combine>
SmallVector<Number> reduceTo(graph::ReduceOp op, DenseElementsAttr input, ArrayRef<Number> values, Combine combine) {
  RankedTensorType type = resultType(op);
  ArrayRef<int64_t> shape = input.getType().getShape();
  SmallVector<std::optional<Number>> sums(type.getNumElements());
  Index index(shape.size(), 0), strides = rowMajorStrides(type.getShape());
  for (const Number &value : values) {
    int64_t at = 0, kept = 0;
    for (size_t i = 0; i < shape.size(); ++i)
      if (!llvm::is_contained(op.getDimensions(), static_cast<int64_t>(i)))
        at += index[i] * strides[kept++];
    sums[at] = sums[at] ? combine(*sums[at], value) : value;
    advance(index, shape);
  }
  SmallVector<Number> result;
  for (const auto &sum : sums)
    result.push_back(*sum);
  return result;
}

DenseElementsAttr evaluate(graph::ReduceOp op, ArrayRef<Attribute> operands) {
  auto input = cast<DenseElementsAttr>(operands[0]);
  if (!isa<IntegerType>(input.getElementType()) || input.getElementType().isInteger(1) || input.empty())
    return {};
  auto values = llvm::to_vector(input.getValues<APInt>());
  auto result = reduceTo<APInt>(op, input, values, [&](const APInt &a, const APInt &b) {
    switch (op.getKind()) {
    case graph::Reduction::Sum:
      return a + b;
    case graph::Reduction::Prod:
      return a * b;
    case graph::Reduction::Max:
      return a.sgt(b) ? a : b;
    case graph::Reduction::Min:
      return a.slt(b) ? a : b;
    }
    return a;
  });
  return DenseElementsAttr::get(resultType(op), result);
}

using UnaryFunction = double (*)(double);

// Maths that upstream's folders do not evaluate on every host.
UnaryFunction unaryFunction(Operation *op) {
  return llvm::TypeSwitch<Operation *, UnaryFunction>(op)
      .Case([](math::SqrtOp) { return +[](double x) { return std::sqrt(x); }; })
      .Case([](math::RsqrtOp) { return +[](double x) { return 1 / std::sqrt(x); }; })
      .Case([](math::ExpOp) { return +[](double x) { return std::exp(x); }; })
      .Case([](math::LogOp) { return +[](double x) { return std::log(x); }; })
      .Case([](math::SinOp) { return +[](double x) { return std::sin(x); }; })
      .Case([](math::CosOp) { return +[](double x) { return std::cos(x); }; })
      .Case([](math::TanhOp) { return +[](double x) { return std::tanh(x); }; })
      .Case([](math::AbsFOp) { return +[](double x) { return std::fabs(x); }; })
      .Case([](math::FloorOp) { return +[](double x) { return std::floor(x); }; })
      .Case([](math::CeilOp) { return +[](double x) { return std::ceil(x); }; })
      .Default([](Operation *) { return nullptr; });
}

double asDouble(APFloat value) {
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  return value.convertToDouble();
}

APFloat asFloat(double value, Type type) {
  APFloat result(value);
  bool losesInfo;
  result.convert(cast<FloatType>(type).getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
  return result;
}

DenseElementsAttr evaluateMath(Operation *op, ArrayRef<Attribute> operands) {
  RankedTensorType type = resultType(op);
  if (auto function = unaryFunction(op)) {
    auto one = [&](const APFloat &x) { return asFloat(function(asDouble(x)), type.getElementType()); };
    return cast<DenseElementsAttr>(operands[0]).mapValues(type.getElementType(), [&](const APFloat &x) {
      return one(x).bitcastToAPInt();
    });
  }
  if (!isa<math::PowFOp>(op))
    return {};
  SmallVector<APFloat> values;
  for (auto [a, b] : llvm::zip(cast<DenseElementsAttr>(operands[0]).getValues<APFloat>(),
                               cast<DenseElementsAttr>(operands[1]).getValues<APFloat>()))
    values.push_back(asFloat(std::pow(asDouble(a), asDouble(b)), type.getElementType()));
  return DenseElementsAttr::get(type, values);
}

} // namespace

DenseElementsAttr evaluateConstant(Operation *op, ArrayRef<Attribute> operands) {
  RankedTensorType type = resultType(op);
  if (type.getNumElements() == 0 && !isa<graph::ReduceOp>(op))
    return DenseElementsAttr::get(type, ArrayRef<Attribute>());
  DenseElementsAttr moved =
      llvm::TypeSwitch<Operation *, DenseElementsAttr>(op)
          .Case([&](graph::ReshapeOp) { return cast<DenseElementsAttr>(operands[0]).reshape(type); })
          .Case<graph::TransposeOp, graph::BroadcastOp, graph::SliceOp, graph::GatherOp, graph::ConcatOp,
                graph::ReduceOp>([&](auto op) { return evaluate(op, operands); })
          .Default([&](Operation *) { return evaluateMath(op, operands); });
  if (moved)
    return moved;
  SmallVector<OpFoldResult> folded;
  if (failed(op->fold(operands, folded)) || folded.size() != 1)
    return {};
  if (auto attribute = dyn_cast<Attribute>(folded[0]))
    return dyn_cast<DenseElementsAttr>(attribute);
  auto value = cast<Value>(folded[0]);
  for (auto [operand, constant] : llvm::zip(op->getOperands(), operands))
    if (operand == value)
      return cast<DenseElementsAttr>(constant);
  return {};
}

} // namespace tw::import
