// The reference interpreter: slow, obvious execution of graph, train-step and partitioned programs. It is the oracle
// that passes and kernels are compared with.
#ifndef TW_COMPILER_INTERPRETER_INTERPRETER_H
#define TW_COMPILER_INTERPRETER_INTERPRETER_H

#include "compiler/Interpreter/State.h"

#include "mlir/IR/BuiltinOps.h"

namespace tw::interpreter {

enum class Precision {
  Typed, ///< each op's results are rounded to their element types
  Double ///< nothing is rounded: for finite differences
};

struct InterpreterOptions {
  Precision precision = Precision::Typed;
  std::string fileRoot; ///< folder of parameters' relative files; empty: the working directory
};

/// Runs functions of a verified module. State lives from run to run; stores take effect when a run has succeeded.
class Interpreter {
public:
  using Tensors = llvm::SmallVector<Tensor>;

  explicit Interpreter(mlir::ModuleOp module, InterpreterOptions options = {}, unsigned ranks = 1);

  /// Runs `function` on every rank and returns the results of rank 0. Fails after an error.
  mlir::FailureOr<Tensors> run(mlir::StringRef function, mlir::ArrayRef<Tensor> arguments);
  /// Runs `function` on all ranks in lockstep: one entry a rank in, one out. Collectives need as many ranks as their
  /// grid has; rank r is the device with linear index r.
  mlir::FailureOr<llvm::SmallVector<Tensors>> runRanks(mlir::StringRef function, mlir::ArrayRef<Tensors> arguments);

  /// The current value of a parameter on a rank. Fails after an error when there is none.
  mlir::FailureOr<Tensor> getParameter(mlir::StringRef name, unsigned rank = 0);
  /// Gives a parameter a value on all ranks.
  void setParameter(mlir::StringRef name, const Tensor &value);

  unsigned getRanks() const { return states.size(); }
  mlir::ModuleOp getModule() const { return module; }
  const InterpreterOptions &getOptions() const { return options; }

private:
  friend class Execution;
  mlir::ModuleOp module;
  InterpreterOptions options;
  llvm::SmallVector<State> states; // one a rank
};

/// The grid's devices, or 1: how many ranks a partitioned module needs.
unsigned getRankCount(mlir::ModuleOp module);

} // namespace tw::interpreter

#endif
