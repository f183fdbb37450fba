// Values of parameters that the model takes as inputs, from a safetensors or another ONNX file.
#ifndef TW_COMPILER_IMPORT_PARAMETERFILE_H
#define TW_COMPILER_IMPORT_PARAMETERFILE_H

#include "compiler/Import/ModelFile.h"

namespace tw::import {

class ParameterFile {
public:
  /// Reads the names, types and ranges of the file's tensors: `.onnx` is a model, anything else safetensors.
  static mlir::FailureOr<ParameterFile> read(llvm::StringRef path, mlir::Location location);

  /// Where the value of input `input` lies: under `name`, or if that is empty under the input's own name, or else under
  /// the longest name that the input's ends in once '.', '/' and '_', and upper and lower case, count as equal.
  mlir::FailureOr<FileRange> find(llvm::StringRef input, mlir::RankedTensorType type, llvm::StringRef name) const;

  struct Entry {
    mlir::RankedTensorType type;
    FileRange range;
  };

private:
  ParameterFile(llvm::StringRef path, mlir::Location location) : path(path), location(location) {}
  mlir::LogicalResult readSafetensors();
  mlir::LogicalResult readModel();
  mlir::FailureOr<std::string> nameFor(llvm::StringRef input) const;

  std::string path;
  mlir::Location location;
  std::map<std::string, Entry> entries;
};

} // namespace tw::import

#endif
