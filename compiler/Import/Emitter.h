// Builds graph, arith and math ops, evaluating those whose operands are all constants: shape arithmetic disappears as
// it is imported.
#ifndef TW_COMPILER_IMPORT_EMITTER_H
#define TW_COMPILER_IMPORT_EMITTER_H

#include "compiler/Dialect/Graph/Graph.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"

namespace tw::import {

using Shape = llvm::ArrayRef<int64_t>;
using ShapeVector = llvm::SmallVector<int64_t, 6>;

inline mlir::RankedTensorType typeOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}
inline Shape shapeOf(mlir::Value value) {
  return typeOf(value).getShape();
}
inline int64_t rankOf(mlir::Value value) {
  return typeOf(value).getRank();
}
inline mlir::Type elementOf(mlir::Value value) {
  return typeOf(value).getElementType();
}
inline bool isFloat(mlir::Value value) {
  return llvm::isa<mlir::FloatType>(elementOf(value));
}
inline bool isBool(mlir::Value value) {
  return elementOf(value).isInteger(1);
}

int64_t elementCount(Shape shape);

/// The value of a constant, null for anything else.
mlir::DenseElementsAttr constantOf(mlir::Value value);

/// The one value that all elements of a float constant have, also behind broadcasts and reshapes.
std::optional<double> splatOf(mlir::Value value);

/// The shape two operands broadcast to under ONNX's (NumPy's) rule; std::nullopt if they do not.
std::optional<ShapeVector> broadcastShapes(Shape a, Shape b);

class Emitter {
public:
  Emitter(mlir::OpBuilder &builder, mlir::Location location) : builder(builder), location(location) {}

  mlir::OpBuilder &builder;
  mlir::Location location;

  /// An op with one result of type `result`, or the constant that it evaluates to.
  template <typename Op, typename... Args>
  mlir::Value make(mlir::Type result, Args &&...args) {
    return fold(Op::create(builder, location, result, std::forward<Args>(args)...));
  }

  // Constants.
  mlir::Value constant(mlir::DenseElementsAttr value);
  mlir::Value splat(mlir::RankedTensorType type, double value);
  mlir::Value splatLike(mlir::Value like, double value) { return splat(typeOf(like), value); }
  mlir::Value ints(llvm::ArrayRef<int64_t> values, Shape shape);

  // Structure.
  mlir::Value reshape(mlir::Value input, Shape shape);
  mlir::Value transpose(mlir::Value input, llvm::ArrayRef<int64_t> permutation);
  mlir::Value broadcast(mlir::Value input, Shape shape, llvm::ArrayRef<int64_t> dimensions);
  /// ONNX's multidirectional rule: dimensions align at the right. The shapes must fit.
  mlir::Value broadcastTo(mlir::Value input, Shape shape);
  mlir::Value slice(mlir::Value input, llvm::ArrayRef<int64_t> starts, llvm::ArrayRef<int64_t> sizes,
                    llvm::ArrayRef<int64_t> strides);
  mlir::Value sliceAxis(mlir::Value input, int64_t axis, int64_t start, int64_t size);
  mlir::Value concat(llvm::ArrayRef<mlir::Value> inputs, int64_t axis);
  mlir::Value gather(mlir::Value input, mlir::Value indices, int64_t axis);
  mlir::Value reduce(mlir::Value input, graph::Reduction kind, llvm::ArrayRef<int64_t> dimensions);
  mlir::Value pad(mlir::Value input, llvm::ArrayRef<int64_t> low, llvm::ArrayRef<int64_t> high, double value);

  // Arithmetic on operands of equal type, float or integer.
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value div(mlir::Value a, mlir::Value b, bool isUnsigned = false);
  mlir::Value maximum(mlir::Value a, mlir::Value b, bool isUnsigned = false);
  mlir::Value minimum(mlir::Value a, mlir::Value b, bool isUnsigned = false);
  mlir::Value scale(mlir::Value a, double factor) { return mul(a, splatLike(a, factor)); }
  mlir::Value negate(mlir::Value a);
  mlir::Value compare(mlir::arith::CmpFPredicate ifFloat, mlir::arith::CmpIPredicate ifInt, mlir::Value a,
                      mlir::Value b);
  mlir::Value select(mlir::Value condition, mlir::Value ifTrue, mlir::Value ifFalse);
  template <typename Op>
  mlir::Value unary(mlir::Value a) {
    return make<Op>(a.getType(), a);
  }
  /// Converts elements; `fromUnsigned` says how integers of the input count.
  mlir::Value cast(mlir::Value input, mlir::Type element, bool fromUnsigned, bool toUnsigned = false);

private:
  mlir::Value fold(mlir::Operation *op);
};

} // namespace tw::import

#endif
