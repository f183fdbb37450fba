// Parameters of a program while it is interpreted.
#ifndef TW_COMPILER_INTERPRETER_STATE_H
#define TW_COMPILER_INTERPRETER_STATE_H

#include "compiler/Interpreter/Tensor.h"

#include "compiler/Dialect/Graph/Graph.h"
#include "llvm/ADT/StringMap.h"

#include <string>

namespace tw::interpreter {

/// The parameters of one rank. First values are read when they are first asked for.
class State {
public:
  explicit State(std::string fileRoot = "") : fileRoot(std::move(fileRoot)) {}

  /// The value of a parameter. Fails after an error at the parameter when it has no value or its file cannot be read.
  mlir::FailureOr<const Tensor *> load(graph::ParameterOp parameter);
  /// Sets a value now (a test's or a checkpoint's).
  void set(mlir::StringRef parameter, Tensor value) { values[parameter] = std::move(value); }
  /// Keeps a value until commit().
  void store(mlir::StringRef parameter, Tensor value) { pending[parameter] = std::move(value); }
  /// Makes stored values current: the step has ended.
  void commit();
  /// Forgets stored values: the step failed.
  void discard() { pending.clear(); }

private:
  mlir::FailureOr<Tensor> firstValue(graph::ParameterOp parameter);

  llvm::StringMap<Tensor> values, pending;
  std::string fileRoot; // where relative files lie
};

} // namespace tw::interpreter

#endif
