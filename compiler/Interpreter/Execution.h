// One call of a function on all ranks in lockstep: op by op, each op on every rank before the next op.
#ifndef TW_COMPILER_INTERPRETER_EXECUTION_H
#define TW_COMPILER_INTERPRETER_EXECUTION_H

#include "compiler/Interpreter/Interpreter.h"

#include "compiler/Dialect/Check/Check.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tw::interpreter {

class Execution {
public:
  using Tensors = Interpreter::Tensors;
  /// What each rank has for one value.
  using PerRank = llvm::SmallVector<const Tensor *>;

  Execution(Interpreter &interpreter, unsigned depth)
      : interpreter(interpreter), depth(depth), environments(interpreter.getRanks()) {}

  /// Runs a function; one entry a rank in and out.
  mlir::FailureOr<llvm::SmallVector<Tensors>> call(mlir::func::FuncOp function, mlir::ArrayRef<Tensors> arguments);

private:
  mlir::LogicalResult run(mlir::Block &block);
  mlir::LogicalResult run(mlir::Operation &op);
  mlir::LogicalResult runPure(mlir::Operation &op);
  mlir::LogicalResult runLoad(graph::LoadOp op);
  mlir::LogicalResult runStore(graph::StoreOp op);
  mlir::LogicalResult runAccumulate(graph::AccumulateOp op);
  /// Gives the body's arguments their values.
  void beginIteration(graph::AccumulateOp op, int64_t i, mlir::ArrayRef<Tensors> carried);
  /// Adds what the body yielded to the results.
  void endIteration(graph::AccumulateOp op, int64_t i, mlir::MutableArrayRef<Tensors> carried,
                    mlir::MutableArrayRef<Tensors> results);
  mlir::LogicalResult runFused(graph::FusedOp op);
  mlir::LogicalResult runCall(mlir::func::CallOp op);
  mlir::LogicalResult runShard(mlir::Operation &op);

  const Tensor &get(mlir::Value value, unsigned rank) const { return environments[rank].find(value)->second; }
  void set(mlir::Value value, unsigned rank, Tensor tensor) { environments[rank][value] = std::move(tensor); }
  Tensors get(mlir::ValueRange values, unsigned rank) const;
  unsigned getRanks() const { return environments.size(); }
  bool roundFloats() const { return interpreter.getOptions().precision == Precision::Typed; }

  Interpreter &interpreter;
  unsigned depth; // of calls
  llvm::SmallVector<llvm::DenseMap<mlir::Value, Tensor>> environments;
};

/// The result of a shard op on each rank. Fails after an error at the op.
mlir::FailureOr<llvm::SmallVector<llvm::SmallVector<Tensor>>>
evaluateShardOp(mlir::Operation *op, mlir::ArrayRef<const Tensor *> inputs, unsigned ranks);

/// Compares a gradient function with central differences.
mlir::LogicalResult checkFiniteDifferences(check::ExpectFiniteDifferencesOp op, mlir::ArrayRef<Tensor> arguments,
                                           Interpreter &interpreter);

} // namespace tw::interpreter

#endif
