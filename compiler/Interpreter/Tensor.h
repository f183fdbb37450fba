// A value of the reference interpreter.
#ifndef TW_COMPILER_INTERPRETER_TENSOR_H
#define TW_COMPILER_INTERPRETER_TENSOR_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Support/LLVM.h"

#include <optional>
#include <vector>

namespace tw::interpreter {

/// A row-major tensor. Elements of float types are doubles; all others are 64-bit integers, sign-extended from their
/// width, but for booleans, which are 0 or 1. A scalar is a tensor of rank 0.
class Tensor {
public:
  Tensor() = default;
  /// Zeros of a ranked tensor type of static shape, or of a scalar type.
  explicit Tensor(mlir::Type type);
  Tensor(mlir::ArrayRef<int64_t> shape, mlir::Type elementType);

  /// The value of an elements attribute (also of a resource), or of a scalar one. None when its data is missing, has
  /// the wrong length or a type that is no tensor of numbers.
  static std::optional<Tensor> fromAttribute(mlir::Attribute attribute);
  /// From little-endian row-major bytes (a boolean is one byte). None when their number is not the tensor's.
  static std::optional<Tensor> fromBytes(mlir::Type type, mlir::ArrayRef<char> bytes);
  /// As a DenseElementsAttr; floats are rounded to the element type.
  mlir::DenseElementsAttr toAttribute() const;
  mlir::RankedTensorType getType() const { return mlir::RankedTensorType::get(shape, elementType); }

  mlir::ArrayRef<int64_t> getShape() const { return shape; }
  int64_t getRank() const { return shape.size(); }
  int64_t getDimSize(int64_t dimension) const { return shape[dimension]; }
  int64_t getNumElements() const { return isFloat() ? reals.size() : integers.size(); }
  mlir::Type getElementType() const { return elementType; }
  bool isFloat() const { return mlir::isa_and_nonnull<mlir::FloatType>(elementType); }
  /// Bits of an integer element; 64 for index.
  unsigned getIntegerWidth() const;

  double &real(int64_t offset) { return reals[offset]; }
  double real(int64_t offset) const { return reals[offset]; }
  int64_t &integer(int64_t offset) { return integers[offset]; }
  int64_t integer(int64_t offset) const { return integers[offset]; }
  double &real(mlir::ArrayRef<int64_t> index) { return reals[offsetOf(index)]; }
  double real(mlir::ArrayRef<int64_t> index) const { return reals[offsetOf(index)]; }

  /// Element `to` becomes element `from` of a tensor of the same kind.
  void copyElement(int64_t to, const Tensor &source, int64_t from);
  /// Row-major offset of an index.
  int64_t offsetOf(mlir::ArrayRef<int64_t> index) const;
  /// The same elements under another shape of as many elements.
  Tensor reshaped(mlir::ArrayRef<int64_t> newShape) const;

  /// Rounds floats to the element type (to nearest, ties to even) and wraps integers to its width.
  void normalize(bool roundFloats);

private:
  llvm::SmallVector<int64_t, 4> shape;
  mlir::Type elementType;
  std::vector<double> reals;
  std::vector<int64_t> integers;
};

/// `value` rounded to a float type.
double roundToType(double value, mlir::FloatType type);
/// The low `width` bits, sign-extended; a boolean (width 1) is 0 or 1.
int64_t wrapToWidth(int64_t value, unsigned width);
/// An element as a signed number: a boolean's true is -1.
int64_t asSigned(int64_t value, unsigned width);
/// An element as an unsigned number.
uint64_t asUnsigned(int64_t value, unsigned width);

/// Calls `visit` with each index of `shape` in row-major order.
void forEachIndex(mlir::ArrayRef<int64_t> shape, llvm::function_ref<void(mlir::ArrayRef<int64_t>)> visit);

} // namespace tw::interpreter

#endif
