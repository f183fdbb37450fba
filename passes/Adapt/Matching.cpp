#include "passes/Adapt/Matching.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

using namespace mlir;

namespace tw::adapt {

double asWritten(float value) {
  char text[64];
  auto end = std::to_chars(text, text + sizeof text - 1, value).ptr;
  *end = 0;
  return std::strtod(text, nullptr);
}

static double numberOf(const APFloat &value) {
  if (&value.getSemantics() == &APFloat::IEEEsingle())
    return asWritten(value.convertToFloat());
  APFloat copy = value;
  bool losesInfo;
  copy.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  return copy.convertToDouble();
}

std::optional<double> splatOf(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
      if (!elements || !isa<FloatType>(elements.getElementType()) || !elements.isSplat())
        return std::nullopt;
      return numberOf(elements.getSplatValue<APFloat>());
    }
    if (!isa<graph::BroadcastOp, graph::ReshapeOp>(op))
      return std::nullopt;
    value = op->getOperand(0);
  }
  return std::nullopt;
}

bool isNear(double a, double b) {
  return std::fabs(a - b) <= 1e-5 * std::fmax(std::fabs(a), std::fabs(b));
}

std::pair<Value, double> scaled(Value value) {
  double factor = 1;
  while (true) {
    if (auto product = withNumber<arith::MulFOp>(value)) {
      value = product->first;
      factor *= product->second;
    } else if (auto quotient = value.getDefiningOp<arith::DivFOp>(); quotient && splatOf(quotient.getRhs())) {
      value = quotient.getLhs();
      factor /= *splatOf(quotient.getRhs());
    } else if (auto negation = value.getDefiningOp<arith::NegFOp>()) {
      value = negation.getOperand();
      factor = -factor;
    } else {
      return {value, factor};
    }
  }
}

Value throughReshapes(Value value) {
  while (auto reshape = value.getDefiningOp<graph::ReshapeOp>())
    value = reshape.getInput();
  return value;
}

static int64_t count(ArrayRef<int64_t> shape) {
  int64_t result = 1;
  for (int64_t size : shape)
    result *= size;
  return result;
}

Value perRow(Value value, ArrayRef<int64_t> shape, int64_t axis) {
  auto broadcast = value.getDefiningOp<graph::BroadcastOp>();
  if (!broadcast || shapeOf(value) != shape)
    return {};
  // Every row dimension keeps its size and its order, the others are new or of size one.
  SmallVector<bool> kept(axis, false);
  for (auto [i, to] : llvm::enumerate(broadcast.getDimensions())) {
    int64_t size = shapeOf(broadcast.getInput())[i];
    if (to >= axis ? size != 1 : size != shape[to])
      return {};
    if (to < axis)
      kept[to] = true;
  }
  for (int64_t i = 0; i < axis; ++i)
    if (!kept[i] && shape[i] != 1)
      return {};
  return broadcast.getInput();
}

Value perColumn(Value value, ArrayRef<int64_t> shape, int64_t axis) {
  if (shapeOf(value) == shape.drop_front(axis))
    return value;
  auto broadcast = value.getDefiningOp<graph::BroadcastOp>();
  if (!broadcast || shapeOf(value) != shape)
    return {};
  ArrayRef<int64_t> input = shapeOf(broadcast.getInput()), columns = shape.drop_front(axis);
  size_t lead = input.size() - std::min(input.size(), columns.size());
  if (input.drop_front(lead) != columns || count(input.take_front(lead)) != 1)
    return {};
  for (auto [i, to] : llvm::enumerate(broadcast.getDimensions().drop_front(lead)))
    if (to != axis + static_cast<int64_t>(i))
      return {};
  return broadcast.getInput();
}

std::optional<RowReduction> rowMean(Value value) {
  double factor = 1;
  while (true) {
    auto [inner, by] = scaled(value);
    factor *= by;
    value = throughReshapes(inner);
    if (value == inner && by == 1)
      break;
  }
  auto sum = value.getDefiningOp<graph::ReduceOp>();
  if (!sum || sum.getKind() != graph::Reduction::Sum || sum.getDimensions().empty())
    return std::nullopt;
  int64_t rank = typeOf(sum.getInput()).getRank(), axis = sum.getDimensions().front();
  if (axis == 0 || static_cast<int64_t>(sum.getDimensions().size()) != rank - axis)
    return std::nullopt;
  if (!isNear(factor * count(shapeOf(sum.getInput()).drop_front(axis)), 1))
    return std::nullopt;
  return RowReduction{sum.getInput(), axis};
}

} // namespace tw::adapt
