// A function's results by their graph.name: what the passes of this phase hand on to each other.
#ifndef TW_PASSES_DIFFERENTIATE_NAMEDRESULTS_H
#define TW_PASSES_DIFFERENTIATE_NAMEDRESULTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tw::differentiate {

inline constexpr llvm::StringLiteral kNameAttribute = "graph.name";
inline constexpr llvm::StringLiteral kGradientPrefix = "gradient/";
inline constexpr llvm::StringLiteral kClippedPrefix = "clipped/";

struct NamedResult {
  std::string name;
  mlir::Value value;
};

/// The results of a single-block function, in order.
llvm::SmallVector<NamedResult> getNamedResults(mlir::func::FuncOp function);
/// Replaces all results: the return's operands, the function's type and the names.
void setNamedResults(mlir::func::FuncOp function, llvm::ArrayRef<NamedResult> results);
/// The value called `name`, or null.
mlir::Value findResult(llvm::ArrayRef<NamedResult> results, llvm::StringRef name);

} // namespace tw::differentiate

#endif
