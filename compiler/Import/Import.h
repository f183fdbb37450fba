// From an ONNX file to a module of graph, arith and math ops ("After Import" in docs/architecture.md).
#ifndef TW_COMPILER_IMPORT_IMPORT_H
#define TW_COMPILER_IMPORT_IMPORT_H

#include "compiler/Import/Report.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <map>
#include <string>
#include <vector>

namespace tw::import {

/// Whether weights have values: `Mapped` gives every parameter a file range, `Absent` none (enough for planning; the
/// files that hold them need not exist).
enum class Weights { Mapped, Absent };

/// What becomes of BatchNormalization nodes, whatever mode the exporter wrote: `Train` uses the batch's statistics,
/// `Frozen` the running ones.
enum class BatchNorm { Train, Frozen };

struct ImportOptions {
  /// Sizes of symbolic dimensions: by the dimension's name, or `<input>.<index>` for one without a name.
  std::map<std::string, int64_t> dims;
  Weights weights = Weights::Mapped;
  BatchNorm batchNorm = BatchNorm::Train;
  /// Graph inputs that are parameters: glob patterns on their names.
  std::vector<std::string> parameterInputs;
  /// A safetensors or ONNX file that holds the values of `parameterInputs`; empty: their values are absent.
  std::string parameterFile;
  /// Names in `parameterFile` by input name, where they differ. An input that is not listed is looked up by its own
  /// name, then by the only tensor whose name ends alike once '.', '/' and '_', and upper and lower case, count as
  /// equal.
  std::map<std::string, std::string> parameterNames;
};

/// Reads the model at `path`. Errors go to `context`'s diagnostics, one sentence each, and give null. `report`, if not
/// null, is filled with what a user should know about parameters, dimensions and doubtful choices.
mlir::OwningOpRef<mlir::ModuleOp> importModel(llvm::StringRef path, const ImportOptions &options,
                                              mlir::MLIRContext *context, Report *report = nullptr);

} // namespace tw::import

#endif
