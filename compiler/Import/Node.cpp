#include "compiler/Import/Node.h"

#include "compiler/Import/Importer.h"

#include <charconv>
#include <cstdlib>

using namespace mlir;

namespace tw::import {

double asWritten(float value) {
  char text[64];
  auto end = std::to_chars(text, text + sizeof text - 1, value).ptr;
  *end = 0;
  return std::strtod(text, nullptr);
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

Value Node::input(unsigned index) {
  const ImportedValue *found = imported(index);
  return found ? found->tensor : Value();
}

const ImportedValue *Node::imported(unsigned index) {
  return hasInput(index) ? importer.valueOf(proto.input(index), &proto, index, emit.location) : nullptr;
}

bool Node::isUnsigned(unsigned index) const {
  return hasInput(index) && isUnsignedType(importer.elementTypeOf(proto.input(index)));
}

FailureOr<ShapeVector> Node::constantInts(unsigned index, StringRef what) {
  DenseElementsAttr value = constantOf(input(index));
  if (!value || !isa<IntegerType>(value.getElementType()))
    return error() << "its " << what << " ('" << proto.input(index)
                   << "') depends on data, so that the shape cannot be folded: only shapes that are known when the "
                      "model is compiled are supported";
  ShapeVector result;
  for (const APInt &element : value.getValues<APInt>())
    result.push_back(element.getSExtValue());
  return result;
}

FailureOr<double> Node::constantFloat(unsigned index, StringRef what) {
  DenseElementsAttr value = constantOf(input(index));
  if (!value || value.empty() || !isa<FloatType, IntegerType>(value.getElementType()))
    return error() << "its " << what << " ('" << proto.input(index) << "') is not a constant";
  if (!isa<FloatType>(value.getElementType()))
    return static_cast<double>((*value.getValues<APInt>().begin()).getSExtValue());
  APFloat element = *value.getValues<APFloat>().begin();
  if (value.getElementType().isF32())
    return asWritten(element.convertToFloat());
  bool losesInfo;
  element.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  return element.convertToDouble();
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

const onnx::AttributeProto *Node::attribute(StringRef name) const {
  for (const auto &attribute : proto.attribute())
    if (attribute.name() == name)
      return &attribute;
  return nullptr;
}

int64_t Node::intAttribute(StringRef name, int64_t otherwise) const {
  const onnx::AttributeProto *found = attribute(name);
  return found ? found->i() : otherwise;
}

double Node::floatAttribute(StringRef name, double otherwise) const {
  const onnx::AttributeProto *found = attribute(name);
  return found ? asWritten(found->f()) : otherwise;
}

StringRef Node::stringAttribute(StringRef name, StringRef otherwise) const {
  const onnx::AttributeProto *found = attribute(name);
  return found ? StringRef(found->s()) : otherwise;
}

std::optional<ShapeVector> Node::intsAttribute(StringRef name) const {
  const onnx::AttributeProto *found = attribute(name);
  if (!found)
    return std::nullopt;
  return ShapeVector(found->ints().begin(), found->ints().end());
}

FailureOr<std::optional<ShapeVector>> Node::intsFrom(StringRef name, unsigned index) {
  if (std::optional<ShapeVector> found = intsAttribute(name))
    return found;
  if (!hasInput(index))
    return std::optional<ShapeVector>();
  FailureOr<ShapeVector> values = constantInts(index, name);
  if (failed(values))
    return failure();
  return std::make_optional(std::move(*values));
}

FailureOr<int64_t> Node::axis(int64_t value, int64_t rank) const {
  int64_t wrapped = value < 0 ? value + rank : value;
  if (wrapped < 0 || wrapped >= rank)
    return error() << "axis " << value << " is outside of a tensor of rank " << rank;
  return wrapped;
}

FailureOr<ShapeVector> Node::axes(ArrayRef<int64_t> values, int64_t rank) const {
  ShapeVector result;
  for (int64_t value : values) {
    auto wrapped = axis(value, rank);
    if (failed(wrapped))
      return failure();
    if (llvm::is_contained(result, *wrapped))
      return error() << "axis " << value << " is given twice";
    result.push_back(*wrapped);
  }
  llvm::sort(result);
  return result;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

bool Node::hasOutput(unsigned index) const {
  return index < static_cast<unsigned>(proto.output_size()) && !proto.output(index).empty();
}

LogicalResult Node::result(unsigned index, Value value) {
  if (hasOutput(index))
    importer.define(proto.output(index), ImportedValue{value, std::nullopt});
  return success();
}

LogicalResult Node::resultSequence(std::vector<Value> values) {
  if (hasOutput(0))
    importer.define(proto.output(0), ImportedValue{Value(), std::move(values)});
  return success();
}

LogicalResult Node::refuseOutputsFrom(unsigned index, StringRef what) const {
  for (unsigned i = index; i < static_cast<unsigned>(proto.output_size()); ++i)
    if (hasOutput(i) && importer.isUsed(proto.output(i)))
      return error() << "its output '" << proto.output(i) << "' (" << what << ") is used, which is not supported";
  return success();
}

LogicalResult Node::unify(SmallVectorImpl<Value> &values) {
  ShapeVector shape;
  for (Value value : values) {
    auto both = broadcastShapes(shape, shapeOf(value));
    if (!both) {
      InFlightDiagnostic diagnostic = error() << "shapes do not broadcast:";
      for (Value operand : values)
        diagnostic << " " << operand.getType();
      return diagnostic;
    }
    shape = *both;
  }
  for (Value &value : values)
    value = emit.broadcastTo(value, shape);
  return success();
}

} // namespace tw::import
