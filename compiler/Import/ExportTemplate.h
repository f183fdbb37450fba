// The ONNX model that a trained module's parameters go back into.
#ifndef TW_COMPILER_IMPORT_EXPORTTEMPLATE_H
#define TW_COMPILER_IMPORT_EXPORTTEMPLATE_H

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace tw::import {

struct ExportTemplate {
  std::string path;  // of the model the module was imported from
  std::string model; // serialized ModelProto: parameters without their data, everything else complete
  struct Target {
    std::string parameter, tensor; // symbol; initializer, Constant node's output or input that receives it
  };
  std::vector<Target> targets;
};

/// Reads the module's model again (`graph.model_path`). Vectors that the importer told apart get initializers of their
/// own, named like the parameters, and their nodes read these.
mlir::FailureOr<ExportTemplate> makeExportTemplate(mlir::ModuleOp module);

} // namespace tw::import

#endif
