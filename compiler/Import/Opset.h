// Which versions of ONNX's operators the importer reads.
#ifndef TW_COMPILER_IMPORT_OPSET_H
#define TW_COMPILER_IMPORT_OPSET_H

#include "compiler/Import/Onnx.h"

#include "mlir/IR/Diagnostics.h"

namespace tw::import {

/// Operators are read as these opsets define them, without a conversion between versions.
constexpr int64_t kOldestOpset = 13, kNewestOpset = 25;

inline bool isStandardDomain(llvm::StringRef domain) {
  return domain.empty() || domain == "ai.onnx";
}

/// The version of a domain that the model imports; 1 when it imports none.
int64_t opsetOf(const onnx::ModelProto &model, llvm::StringRef domain);

/// An error if the model's opset is too old, or newer than the ONNX library.
mlir::LogicalResult checkOpset(const onnx::ModelProto &model, mlir::Location location);

/// An error that names every node whose operator was defined anew after kNewestOpset. Models of newer opsets are read
/// as long as they use no such operator.
mlir::LogicalResult refuseNewerOperators(const onnx::ModelProto &model, mlir::Location location);

} // namespace tw::import

#endif
