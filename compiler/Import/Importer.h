// Turns a checked ONNX model into a module, node by node.
#ifndef TW_COMPILER_IMPORT_IMPORTER_H
#define TW_COMPILER_IMPORT_IMPORTER_H

#include "compiler/Import/ModelFile.h"
#include "compiler/Import/Node.h"
#include "compiler/Import/ParameterFile.h"
#include "compiler/Import/Weights.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSet.h"

namespace tw::import {

class Importer {
public:
  Importer(ModelFile &file, const ImportOptions &options, Report &report);

  mlir::OwningOpRef<mlir::ModuleOp> run();

  // For nodes.
  /// What `name` stands for where input `index` of `consumer` reads it; null (with an error) if nothing does.
  const ImportedValue *valueOf(llvm::StringRef name, const onnx::NodeProto *consumer, int index,
                               mlir::Location location);
  void define(llvm::StringRef name, ImportedValue value) { values[name] = std::move(value); }
  /// ONNX's element type of a value, 0 if unknown.
  int32_t elementTypeOf(llvm::StringRef name) const;
  bool isUsed(llvm::StringRef name) const { return used.contains(name); }
  mlir::LogicalResult importNodes(const onnx::GraphProto &graph);
  mlir::FailureOr<mlir::DenseElementsAttr> tensorValue(const onnx::TensorProto &tensor) { return file.valueOf(tensor); }
  /// The parameter that a value is loaded from, or null.
  mlir::FlatSymbolRefAttr parameterOf(mlir::Value value) const;
  const ImportOptions &importOptions() const { return options; }
  void warn(std::string warning) { report.warnings.push_back(std::move(warning)); }
  /// A counter for ops that need a number of their own (dropout).
  int64_t nextId() { return id++; }
  /// Loads @seed or @step, which the first use declares.
  mlir::Value loadCounter(llvm::StringRef name, Emitter &emit);

private:
  mlir::LogicalResult refuseUnknownOperators();
  void findUnknown(const onnx::GraphProto &graph, std::vector<std::string> &unknown) const;
  mlir::LogicalResult inferTypes();
  void collectTypesAndUses(const onnx::GraphProto &graph);
  mlir::LogicalResult importInputs();
  mlir::LogicalResult createParameters();
  mlir::LogicalResult createParameter(const Weight &weight, llvm::StringRef symbol, graph::Role role,
                                      const Weight::Use &use);
  /// Where --parameters-from keeps the value of an input; std::nullopt without such a file.
  mlir::FailureOr<std::optional<FileRange>> inputValue(const Weight &weight);
  mlir::LogicalResult importNode(const onnx::NodeProto &proto);
  mlir::LogicalResult importOutputs();

  ModelFile &file;
  const ImportOptions &options;
  Report &report;
  mlir::MLIRContext *context;
  mlir::OpBuilder builder;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp main;
  HandlerTable handlers;
  WeightTable weights;
  std::optional<ParameterFile> parameterFile;
  llvm::StringMap<ImportedValue> values;
  std::map<std::pair<const onnx::NodeProto *, int>, ImportedValue> loads;
  llvm::StringMap<int32_t> elementTypes;
  llvm::StringSet<> used;
  std::set<std::string> declaredCounters;
  int64_t id = 0;
};

/// The operators that the importer knows.
const HandlerTable &handlerTable();

} // namespace tw::import

#endif
