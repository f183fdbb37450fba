// Gradients as results of @train, and a small vocabulary for arithmetic on them.
#ifndef TW_PASSES_DIFFERENTIATE_GRADIENTS_H
#define TW_PASSES_DIFFERENTIATE_GRADIENTS_H

#include "passes/Differentiate/NamedResults.h"

#include "mlir/IR/BuiltinOps.h"

namespace tw::differentiate {

struct Gradient {
  std::string parameter; ///< the symbol
  mlir::Value value;
};

/// @train, or null after an error that says that it is missing.
mlir::func::FuncOp lookupTrain(mlir::ModuleOp module);

/// The results whose names start with `prefix`.
llvm::SmallVector<Gradient> getGradients(llvm::ArrayRef<NamedResult> results, llvm::StringRef prefix);

/// Builds elementwise float arithmetic at one place. Constants take the type of the value beside them.
class Elementwise {
public:
  Elementwise(mlir::OpBuilder &builder, mlir::Location location) : builder(builder), location(location) {}

  mlir::Value constant(mlir::Value like, double value) { return constant(like.getType(), value); }
  mlir::Value constant(mlir::Type type, double value);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value div(mlir::Value a, mlir::Value b);
  mlir::Value sqrt(mlir::Value a);
  mlir::Value log(mlir::Value a);
  mlir::Value cos(mlir::Value a);
  mlir::Value pow(mlir::Value a, mlir::Value b);
  mlir::Value minimum(mlir::Value a, mlir::Value b);
  mlir::Value maximum(mlir::Value a, mlir::Value b);
  mlir::Value scale(mlir::Value a, double factor) { return mul(a, constant(a, factor)); }
  mlir::Value plus(mlir::Value a, double summand) { return add(a, constant(a, summand)); }
  /// a < b ? x : y
  mlir::Value selectLess(mlir::Value a, mlir::Value b, mlir::Value x, mlir::Value y);
  /// The sum of all elements, rank 0.
  mlir::Value sumAll(mlir::Value a);
  /// A rank-0 value converted to the element type of `like` and repeated to its shape.
  mlir::Value spread(mlir::Value scalar, mlir::Value like);
  /// A value with another element type.
  mlir::Value convert(mlir::Value value, mlir::Type elementType);

private:
  mlir::OpBuilder &builder;
  mlir::Location location;
};

} // namespace tw::differentiate

#endif
