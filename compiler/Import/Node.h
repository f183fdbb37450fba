// One ONNX node as its handler sees it: operands as MLIR values, attributes, and where the results go.
#ifndef TW_COMPILER_IMPORT_NODE_H
#define TW_COMPILER_IMPORT_NODE_H

#include "compiler/Import/Emitter.h"
#include "compiler/Import/Onnx.h"

#include "llvm/ADT/StringMap.h"

#include <optional>

namespace tw::import {

class Importer;

/// What a name stands for: a tensor, or a sequence of tensors whose length is known.
struct ImportedValue {
  mlir::Value tensor;
  std::optional<std::vector<mlir::Value>> sequence;
};

class Node {
public:
  Node(Importer &importer, const onnx::NodeProto &proto, int64_t opset, mlir::OpBuilder &builder,
       mlir::Location location)
      : importer(importer), proto(proto), opset(opset), emit(builder, location) {}

  Importer &importer;
  const onnx::NodeProto &proto;
  const int64_t opset; // version of the node's domain
  Emitter emit;

  mlir::InFlightDiagnostic error() const { return mlir::emitError(emit.location); }

  // Operands. `input` is null for one that is not given.
  unsigned inputCount() const { return proto.input_size(); }
  bool hasInput(unsigned index) const { return index < inputCount() && !proto.input(index).empty(); }
  mlir::Value input(unsigned index);
  const ImportedValue *imported(unsigned index);
  bool isUnsigned(unsigned index) const;
  /// The integers of a constant operand; an error that names `what` if it depends on data.
  mlir::FailureOr<ShapeVector> constantInts(unsigned index, llvm::StringRef what);
  mlir::FailureOr<double> constantFloat(unsigned index, llvm::StringRef what);

  // Attributes.
  const onnx::AttributeProto *attribute(llvm::StringRef name) const;
  int64_t intAttribute(llvm::StringRef name, int64_t otherwise) const;
  double floatAttribute(llvm::StringRef name, double otherwise) const;
  llvm::StringRef stringAttribute(llvm::StringRef name, llvm::StringRef otherwise) const;
  std::optional<ShapeVector> intsAttribute(llvm::StringRef name) const;
  /// Attribute `name` or, from the opset that moved it there, operand `index`; std::nullopt if neither is given.
  mlir::FailureOr<std::optional<ShapeVector>> intsFrom(llvm::StringRef name, unsigned index);
  /// The axis as a dimension of a tensor of this rank; an error if it is none.
  mlir::FailureOr<int64_t> axis(int64_t value, int64_t rank) const;
  mlir::FailureOr<ShapeVector> axes(llvm::ArrayRef<int64_t> values, int64_t rank) const;

  // Results.
  bool hasOutput(unsigned index) const;
  mlir::LogicalResult result(mlir::Value value) { return result(0, value); }
  mlir::LogicalResult result(unsigned index, mlir::Value value);
  mlir::LogicalResult resultSequence(std::vector<mlir::Value> values);
  /// An error if an output that the importer does not compute is used.
  mlir::LogicalResult refuseOutputsFrom(unsigned index, llvm::StringRef what) const;

  /// Broadcasts operands to their common shape; an error if there is none.
  mlir::LogicalResult unify(llvm::SmallVectorImpl<mlir::Value> &values);
};

using HandlerFunction = mlir::LogicalResult (*)(Node &);
struct Handler {
  HandlerFunction function = nullptr;
  unsigned required = 0; // operands that must be given
};
/// By operator, of ONNX's own domain.
using HandlerTable = llvm::StringMap<Handler>;

// One function a family, each in the file of that name.
void addElementwise(HandlerTable &table);
void addActivations(HandlerTable &table);
void addMatrix(HandlerTable &table);
void addConvolution(HandlerTable &table);
void addNormalization(HandlerTable &table);
void addShape(HandlerTable &table);
void addConstants(HandlerTable &table);
void addIndexing(HandlerTable &table);
void addReduction(HandlerTable &table);
void addAttention(HandlerTable &table);
void addLosses(HandlerTable &table);
void addControl(HandlerTable &table);

/// The double whose shortest decimal spelling is the float's: 0.1f is meant to be 0.1.
double asWritten(float value);

} // namespace tw::import

#endif
