// An ONNX model on disk: mapped, checked, with local functions inlined; and where its tensors' data lie.
#ifndef TW_COMPILER_IMPORT_MODELFILE_H
#define TW_COMPILER_IMPORT_MODELFILE_H

#include "compiler/Import/Import.h"
#include "compiler/Import/Onnx.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MemoryBuffer.h"

#include <map>
#include <memory>
#include <optional>

namespace tw::import {

/// The MLIR type of an ONNX element type; null for strings, complex numbers and types below a byte.
mlir::Type elementTypeOf(int32_t onnxType, mlir::MLIRContext *context);

/// True for ONNX's unsigned integers and booleans, which MLIR's signless types do not tell apart.
bool isUnsignedType(int32_t onnxType);

/// Bytes of a file that hold a tensor's elements, little endian and row-major.
struct FileRange {
  std::string file;
  int64_t offset = 0, length = 0;
};

class ModelFile {
public:
  /// Maps, checks and parses the file. Errors are reported at a location that names the file.
  static mlir::FailureOr<std::unique_ptr<ModelFile>> open(llvm::StringRef path, Weights weights,
                                                          mlir::MLIRContext *context);

  onnx::ModelProto &model() { return proto; }
  llvm::StringRef path() const { return modelPath; }
  mlir::Location location() const { return fileLocation; }

  /// The type of a tensor; an error for element types that have no MLIR counterpart.
  mlir::FailureOr<mlir::RankedTensorType> typeOf(const onnx::TensorProto &tensor) const;

  /// Where the tensor's bytes lie, std::nullopt if they are not plain bytes of a file. Checks that the range lies
  /// within its file and has the size that type and shape ask for.
  mlir::FailureOr<std::optional<FileRange>> rangeOf(const onnx::TensorProto &tensor) const;

  /// The tensor's elements, read from wherever they are.
  mlir::FailureOr<mlir::DenseElementsAttr> valueOf(const onnx::TensorProto &tensor) const;

  /// The tensor's bytes in their file, without copying; std::nullopt when they are not there or not plain.
  std::optional<llvm::StringRef> plainBytesOf(const onnx::TensorProto &tensor) const;

private:
  ModelFile(llvm::StringRef path, mlir::Location location) : modelPath(path), fileLocation(location) {}
  mlir::LogicalResult parse(Weights weights);
  mlir::LogicalResult check(Weights weights);
  mlir::FailureOr<FileRange> resolveExternal(const onnx::TensorProto &tensor) const;
  mlir::FailureOr<llvm::StringRef> bytesOf(const FileRange &range) const;

  std::string modelPath;
  mlir::Location fileLocation;
  onnx::ModelProto proto;
  bool absent = false;
  mutable std::map<std::string, std::unique_ptr<llvm::MemoryBuffer>> mapped;
};

} // namespace tw::import

#endif
