// Evaluators of pure ops, looked up by op name. One file a family; each adds its ops to the table.
#ifndef TW_COMPILER_INTERPRETER_EVALUATOR_H
#define TW_COMPILER_INTERPRETER_EVALUATOR_H

#include "compiler/Interpreter/Tensor.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringMap.h"

#include <functional>

namespace tw::interpreter {

/// One op about to be evaluated. `results` come as zeros of the results' types. Evaluators compute in double and in
/// 64-bit integers; whoever calls them rounds and wraps to the results' element types.
struct Evaluation {
  mlir::Operation *op;
  mlir::ArrayRef<const Tensor *> operands;
  mlir::MutableArrayRef<Tensor> results;

  /// The tensor of one of the op's operands, by its value (as ODS accessors give it).
  const Tensor &operator[](mlir::Value value) const { return *find(value); }
  /// The same, or null for an absent optional operand.
  const Tensor *find(mlir::Value value) const;
};

/// Fails after an error at the op.
using Evaluator = std::function<mlir::LogicalResult(Evaluation &)>;

class EvaluatorTable {
public:
  /// The table of all families.
  static const EvaluatorTable &get();
  const Evaluator *find(mlir::StringRef opName) const;
  void add(mlir::StringRef opName, Evaluator evaluator) { evaluators[opName] = std::move(evaluator); }
  /// An evaluator that takes the op in its own class: add<MatMulOp>([](MatMulOp op, Evaluation &e) {...}).
  template <typename Op>
  void add(mlir::LogicalResult (*evaluate)(Op, Evaluation &)) {
    add(Op::getOperationName(),
        [evaluate](Evaluation &evaluation) { return evaluate(mlir::cast<Op>(evaluation.op), evaluation); });
  }
  /// The same for ops whose evaluation cannot fail.
  template <typename Op>
  void add(void (*evaluate)(Op, Evaluation &)) {
    add(Op::getOperationName(), [evaluate](Evaluation &evaluation) {
      evaluate(mlir::cast<Op>(evaluation.op), evaluation);
      return mlir::success();
    });
  }

private:
  llvm::StringMap<Evaluator> evaluators;
};

void addFloatEvaluators(EvaluatorTable &table);
void addIntegerEvaluators(EvaluatorTable &table);
void addCastEvaluators(EvaluatorTable &table);
void addStructureEvaluators(EvaluatorTable &table);
void addContractionEvaluators(EvaluatorTable &table);
void addPoolingEvaluators(EvaluatorTable &table);
void addNormalizationEvaluators(EvaluatorTable &table);
void addSoftmaxEvaluators(EvaluatorTable &table);
void addAttentionEvaluators(EvaluatorTable &table);
void addLossEvaluators(EvaluatorTable &table);
void addCheckEvaluators(EvaluatorTable &table);

/// Evaluates one pure op: looks up its evaluator, then rounds (if asked) and wraps the results. Fails after an error
/// at the op, also when there is no evaluator.
mlir::FailureOr<llvm::SmallVector<Tensor>> evaluate(mlir::Operation *op, mlir::ArrayRef<const Tensor *> operands,
                                                    bool roundFloats);

/// The results of a pure op on constant operands, rounded to their types: dense elements, or scalars for scalar types.
/// Fails silently when an operand is null or unreadable, a result is no static tensor or scalar, or the op has no
/// evaluator; fails after an error at the op when its evaluation fails (an index outside of its range, say).
mlir::FailureOr<llvm::SmallVector<mlir::Attribute>> evaluateConstant(mlir::Operation *op,
                                                                     mlir::ArrayRef<mlir::Attribute> operands);

} // namespace tw::interpreter

#endif
