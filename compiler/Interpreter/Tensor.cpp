#include "compiler/Interpreter/Tensor.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/APFloat.h"

#include <cstring>

using namespace mlir;
using namespace tw::interpreter;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

double tw::interpreter::roundToType(double value, FloatType type) {
  if (type.isF64())
    return value;
  if (type.isF32())
    return static_cast<float>(value);
  APFloat number(value);
  bool losesInfo;
  number.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
  return number.convertToDouble();
}

int64_t tw::interpreter::wrapToWidth(int64_t value, unsigned width) {
  if (width == 1)
    return value & 1;
  return width >= 64 ? value : llvm::SignExtend64(static_cast<uint64_t>(value), width);
}

int64_t tw::interpreter::asSigned(int64_t value, unsigned width) {
  return width == 1 ? -(value & 1) : value;
}

uint64_t tw::interpreter::asUnsigned(int64_t value, unsigned width) {
  return static_cast<uint64_t>(value) & llvm::maskTrailingOnes<uint64_t>(std::min(width, 64u));
}

void tw::interpreter::forEachIndex(ArrayRef<int64_t> shape, llvm::function_ref<void(ArrayRef<int64_t>)> visit) {
  if (llvm::is_contained(shape, 0))
    return;
  SmallVector<int64_t> index(shape.size(), 0);
  while (true) {
    visit(index);
    int64_t dimension = static_cast<int64_t>(shape.size()) - 1;
    while (dimension >= 0 && ++index[dimension] == shape[dimension])
      index[dimension--] = 0;
    if (dimension < 0)
      return;
  }
}

//===----------------------------------------------------------------------===//
// Tensor
//===----------------------------------------------------------------------===//

Tensor::Tensor(Type type) : elementType(getElementTypeOrSelf(type)) {
  if (auto ranked = dyn_cast<RankedTensorType>(type))
    shape.assign(ranked.getShape().begin(), ranked.getShape().end());
  int64_t count = ShapedType::getNumElements(shape);
  isFloat() ? reals.resize(count) : integers.resize(count);
}

Tensor::Tensor(ArrayRef<int64_t> shape, Type elementType) : Tensor(RankedTensorType::get(shape, elementType)) {}

unsigned Tensor::getIntegerWidth() const {
  auto integerType = dyn_cast<IntegerType>(elementType);
  return integerType ? integerType.getWidth() : 64;
}

void Tensor::copyElement(int64_t to, const Tensor &source, int64_t from) {
  if (isFloat())
    reals[to] = source.reals[from];
  else
    integers[to] = source.integers[from];
}

int64_t Tensor::offsetOf(ArrayRef<int64_t> index) const {
  int64_t offset = 0;
  for (auto [size, i] : llvm::zip_equal(shape, index))
    offset = offset * size + i;
  return offset;
}

Tensor Tensor::reshaped(ArrayRef<int64_t> newShape) const {
  Tensor result(*this);
  result.shape.assign(newShape.begin(), newShape.end());
  return result;
}

void Tensor::normalize(bool roundFloats) {
  if (!isFloat()) {
    for (int64_t &value : integers)
      value = wrapToWidth(value, getIntegerWidth());
  } else if (roundFloats) {
    for (double &value : reals)
      value = roundToType(value, cast<FloatType>(elementType));
  }
}

//===----------------------------------------------------------------------===//
// Conversion from and to attributes and bytes
//===----------------------------------------------------------------------===//

static double toDouble(APFloat value) {
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  return value.convertToDouble();
}

static int64_t toInteger(const APInt &value) {
  return value.getBitWidth() == 1 ? value.getZExtValue() : value.sextOrTrunc(64).getSExtValue();
}

std::optional<Tensor> Tensor::fromAttribute(Attribute attribute) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    return blob ? fromBytes(resource.getType(), blob->getData()) : std::nullopt;
  }
  if (auto number = dyn_cast<FloatAttr>(attribute)) {
    Tensor result(number.getType());
    result.reals[0] = toDouble(number.getValue());
    return result;
  }
  if (auto number = dyn_cast<IntegerAttr>(attribute)) {
    Tensor result(number.getType());
    result.integers[0] = toInteger(number.getValue());
    return result;
  }
  auto elements = dyn_cast<ElementsAttr>(attribute);
  if (!elements || !isa<RankedTensorType>(elements.getType()) || !elements.getElementType().isIntOrIndexOrFloat())
    return std::nullopt;
  Tensor result(elements.getType());
  int64_t offset = 0;
  if (result.isFloat()) {
    auto values = elements.tryGetValues<APFloat>();
    if (!values)
      return std::nullopt;
    for (const APFloat &value : *values)
      result.reals[offset++] = toDouble(value);
    return result;
  }
  auto values = elements.tryGetValues<APInt>();
  if (!values)
    return std::nullopt;
  for (const APInt &value : *values)
    result.integers[offset++] = toInteger(value);
  return result;
}

std::optional<Tensor> Tensor::fromBytes(Type type, ArrayRef<char> bytes) {
  Tensor result(type);
  unsigned width = result.isFloat() ? cast<FloatType>(result.elementType).getWidth() : result.getIntegerWidth();
  unsigned size = (width + 7) / 8;
  int64_t count = result.getNumElements();
  if (size > 8 || static_cast<int64_t>(bytes.size()) != count * size)
    return std::nullopt;
  for (int64_t offset = 0; offset < count; ++offset) {
    uint64_t bits = 0;
    for (unsigned byte = 0; byte < size; ++byte)
      bits |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[offset * size + byte])) << (8 * byte);
    if (result.isFloat())
      result.reals[offset] =
          toDouble(APFloat(cast<FloatType>(result.elementType).getFloatSemantics(), APInt(width, bits)));
    else
      result.integers[offset] = width == 1 ? bits != 0 : wrapToWidth(bits, width);
  }
  return result;
}

DenseElementsAttr Tensor::toAttribute() const {
  if (isFloat()) {
    SmallVector<APFloat> values;
    for (double value : reals) {
      APFloat number(value);
      bool losesInfo;
      number.convert(cast<FloatType>(elementType).getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
      values.push_back(number);
    }
    return DenseElementsAttr::get(getType(), values);
  }
  SmallVector<APInt> values;
  for (int64_t value : integers)
    values.push_back(APInt(getIntegerWidth(), value, /*isSigned=*/false, /*implicitTrunc=*/true));
  return DenseElementsAttr::get(getType(), values);
}
