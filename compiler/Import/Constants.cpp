// Constants, and ops that make tensors from shapes and numbers.
#include "compiler/Import/Importer.h"

#include <cmath>

using namespace mlir;

namespace tw::import {
namespace {

// Tensors made here are not meant to be larger than this.
constexpr int64_t kLargest = int64_t(1) << 24;

LogicalResult importConstant(Node &node) {
  Emitter &emit = node.emit;
  if (const auto *value = node.attribute("value")) {
    auto tensor = node.importer.tensorValue(value->t());
    return failed(tensor) ? failure() : node.result(emit.constant(*tensor));
  }
  if (node.attribute("value_int"))
    return node.result(emit.ints({node.intAttribute("value_int", 0)}, {}));
  if (auto values = node.intsAttribute("value_ints"))
    return node.result(emit.ints(*values, {static_cast<int64_t>(values->size())}));
  Type f32 = emit.builder.getF32Type();
  if (const auto *value = node.attribute("value_float"))
    return node.result(emit.constant(DenseElementsAttr::get(RankedTensorType::get({}, f32), value->f())));
  if (const auto *value = node.attribute("value_floats")) {
    SmallVector<float> values(value->floats().begin(), value->floats().end());
    auto type = RankedTensorType::get({static_cast<int64_t>(values.size())}, f32);
    return node.result(emit.constant(DenseElementsAttr::get(type, ArrayRef(values))));
  }
  return node.error() << "only tensors and numbers are supported as constants";
}

LogicalResult importConstantOfShape(Node &node) {
  Emitter &emit = node.emit;
  auto shape = node.constantInts(0, "shape");
  if (failed(shape))
    return failure();
  int64_t elements = 1;
  for (int64_t size : *shape)
    if (size < 0 || llvm::MulOverflow(elements, size, elements))
      return node.error() << "the shape is impossible";
  Attribute value = emit.builder.getF32FloatAttr(0);
  if (const auto *given = node.attribute("value")) {
    auto tensor = node.importer.tensorValue(given->t());
    if (failed(tensor))
      return failure();
    if (tensor->getNumElements() != 1)
      return node.error() << "expected a value of one element";
    value = *tensor->getValues<Attribute>().begin();
  }
  auto type = RankedTensorType::get(*shape, cast<TypedAttr>(value).getType());
  return node.result(emit.constant(elements == 0 ? DenseElementsAttr::get(type, ArrayRef<Attribute>())
                                                 : DenseElementsAttr::get(type, value)));
}

LogicalResult importRange(Node &node) {
  Emitter &emit = node.emit;
  Type element = elementOf(node.input(0));
  double bounds[3];
  for (unsigned i = 0; i < 3; ++i) {
    auto value = node.constantFloat(i, i == 0 ? "start" : i == 1 ? "limit" : "delta");
    if (failed(value))
      return failure();
    bounds[i] = *value;
  }
  auto [start, limit, delta] = bounds;
  double count = delta == 0 ? -1 : std::max(0.0, std::ceil((limit - start) / delta));
  if (!(count >= 0 && count <= kLargest))
    return node.error() << "a range from " << start << " to " << limit << " by " << delta << " is impossible";
  SmallVector<Attribute> values;
  for (int64_t i = 0; i < static_cast<int64_t>(count); ++i) {
    double value = start + i * delta;
    values.push_back(isa<FloatType>(element)
                         ? Attribute(emit.builder.getFloatAttr(element, value))
                         : Attribute(emit.builder.getIntegerAttr(element, static_cast<int64_t>(value))));
  }
  auto type = RankedTensorType::get({static_cast<int64_t>(values.size())}, element);
  return node.result(emit.constant(DenseElementsAttr::get(type, values)));
}

/// The boolean matrix whose element [i, j] says j - i >= offset (or <=), broadcast to `shape`.
Value triangle(Emitter &emit, Shape shape, int64_t offset, bool upper) {
  int64_t rows = shape[shape.size() - 2], columns = shape.back();
  SmallVector<bool> keep;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      keep.push_back(upper ? j - i >= offset : j - i <= offset);
  auto type = RankedTensorType::get({rows, columns}, emit.builder.getI1Type());
  return emit.broadcastTo(emit.constant(DenseElementsAttr::get(type, keep)), shape);
}

LogicalResult importTrilu(Node &node) {
  Value x = node.input(0);
  int64_t offset = 0;
  if (node.hasInput(1)) {
    auto given = node.constantInts(1, "k");
    if (failed(given) || given->size() != 1)
      return failed(given) ? failure() : node.error() << "expected one number k";
    offset = given->front();
  }
  if (rankOf(x) < 2 || shapeOf(x).take_back(2)[0] * shapeOf(x).back() > kLargest)
    return node.error() << "expected matrices, found " << x.getType();
  Value keep = triangle(node.emit, shapeOf(x), offset, node.intAttribute("upper", 1));
  return node.result(node.emit.select(keep, x, node.emit.splatLike(x, 0)));
}

LogicalResult importEyeLike(Node &node) {
  Emitter &emit = node.emit;
  Value x = node.input(0);
  if (rankOf(x) != 2 || elementCount(shapeOf(x)) > kLargest)
    return node.error() << "expected a matrix, found " << x.getType();
  Type element =
      node.attribute("dtype") ? elementTypeOf(node.intAttribute("dtype", 1), emit.builder.getContext()) : elementOf(x);
  if (!element)
    return node.error() << "its element type is not supported";
  int64_t k = node.intAttribute("k", 0);
  Value upper = triangle(emit, shapeOf(x), k, true), lower = triangle(emit, shapeOf(x), k, false);
  return node.result(emit.cast(emit.make<arith::AndIOp>(upper.getType(), upper, lower), element, true));
}

} // namespace

void addConstants(HandlerTable &table) {
  table["Constant"] = {importConstant, 0};
  table["ConstantOfShape"] = {importConstantOfShape, 1};
  table["Range"] = {importRange, 3};
  table["Trilu"] = {importTrilu, 1};
  table["EyeLike"] = {importEyeLike, 1};
}

} // namespace tw::import
