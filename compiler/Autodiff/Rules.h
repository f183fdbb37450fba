// What every gradient rule sees, and how a rule becomes an implementation of DifferentiableOpInterface.
#ifndef TW_COMPILER_AUTODIFF_RULES_H
#define TW_COMPILER_AUTODIFF_RULES_H

#include "compiler/Interfaces/DifferentiableOpInterface.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectRegistry.h"

namespace tw::autodiff {

using Cotangents = llvm::FailureOr<llvm::SmallVector<mlir::Value>>;

/// The builder of one op's reverse: knows the cotangents that arrive and which operands want one.
class Reverse {
public:
  Reverse(mlir::Operation *op, mlir::OpBuilder &builder, mlir::ValueRange cotangents, llvm::ArrayRef<bool> wanted)
      : op(op), builder(builder), cotangents(cotangents), wantedOperands(wanted) {}

  /// The cotangent of result `index`; null where it is zero.
  mlir::Value dy(unsigned index = 0) const { return cotangents[index]; }
  bool wanted(unsigned operand) const { return wantedOperands[operand]; }
  mlir::Location loc() const { return op->getLoc(); }

  /// One value an operand, computed only where the operand wants it.
  Cotangents each(std::initializer_list<llvm::function_ref<mlir::Value()>> rules);
  /// No operand has a cotangent: the derivative is zero almost everywhere.
  Cotangents zero() { return llvm::SmallVector<mlir::Value>(wantedOperands.size()); }
  /// Fails with the op's error if a result other than the first carries a cotangent, or if there is none at all.
  llvm::LogicalResult onlyFirstResult();

  template <typename OpT, typename... Args>
  mlir::Value make(Args &&...args) {
    return OpT::create(builder, loc(), std::forward<Args>(args)...)->getResult(0);
  }
  /// An op with several results, all of them.
  template <typename OpT, typename... Args>
  OpT makeOp(Args &&...args) {
    return OpT::create(builder, loc(), std::forward<Args>(args)...);
  }

  /// A splat of `value` in the (tensor or float) type of `like`.
  mlir::Value constant(mlir::Value like, double value);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value div(mlir::Value a, mlir::Value b);
  mlir::Value neg(mlir::Value a);
  mlir::Value scale(mlir::Value a, double factor) { return mul(a, constant(a, factor)); }
  mlir::Value plus(mlir::Value a, double summand) { return add(a, constant(a, summand)); }
  mlir::Value square(mlir::Value a) { return mul(a, a); }
  mlir::Value equal(mlir::Value a, mlir::Value b);
  mlir::Value greater(mlir::Value a, mlir::Value b);
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);

  /// The sum over `dimensions`, which disappear.
  mlir::Value sum(mlir::Value input, llvm::ArrayRef<int64_t> dimensions);
  mlir::Value reshape(mlir::Value input, mlir::Type type);
  mlir::Value broadcast(mlir::Value input, mlir::Type type, llvm::ArrayRef<int64_t> dimensions);

private:
  mlir::Operation *op;
  mlir::OpBuilder &builder;
  mlir::ValueRange cotangents;
  llvm::ArrayRef<bool> wantedOperands;
};

/// Turns `rule` into the implementation of DifferentiableOpInterface for OpT.
template <typename OpT, Cotangents (*rule)(OpT, Reverse &)>
struct Model : DifferentiableOpInterface::ExternalModel<Model<OpT, rule>, OpT> {
  Cotangents backward(mlir::Operation *op, mlir::OpBuilder &builder, mlir::ValueRange cotangents,
                      llvm::ArrayRef<bool> wanted) const {
    Reverse reverse(op, builder, cotangents, wanted);
    return rule(llvm::cast<OpT>(op), reverse);
  }
};

/// Attaches `rule` to OpT: `attach<math::ExpOp, expRule>(context)`.
template <typename OpT, Cotangents (*rule)(OpT, Reverse &)>
void attach(mlir::MLIRContext *context) {
  OpT::template attachInterface<Model<OpT, rule>>(*context);
}

void registerArithRules(mlir::DialectRegistry &registry);
void registerMathRules(mlir::DialectRegistry &registry);
void registerContractionRules(mlir::MLIRContext *context);
void registerNormalizationRules(mlir::MLIRContext *context);
void registerAttentionRules(mlir::MLIRContext *context);
void registerStructureRules(mlir::MLIRContext *context);
void registerReductionRules(mlir::MLIRContext *context);
void registerLossRules(mlir::MLIRContext *context);

} // namespace tw::autodiff

#endif
