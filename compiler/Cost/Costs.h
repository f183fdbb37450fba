// What the cost models share. A multiply-add counts as two operations, any function of one element (exp, erf) as one.
#ifndef TW_COMPILER_COST_COSTS_H
#define TW_COMPILER_COST_COSTS_H

#include "compiler/Interfaces/CostOpInterface.h"

#include "mlir/IR/BuiltinTypes.h"

namespace tw::cost {

/// The product of sizes (none of them negative). Saturates.
int64_t product(llvm::ArrayRef<int64_t> sizes);
/// Elements of a tensor, 1 for a scalar. Saturates.
int64_t elementsOf(mlir::Value value);
/// Elements of the op's largest operand or result.
int64_t largestTensor(mlir::Operation *op);

/// An op whose operations `flops` counts.
template <typename Op, int64_t (*flops)(Op)>
struct CostModel : CostOpInterface::ExternalModel<CostModel<Op, flops>, Op> {
  int64_t getFlops(mlir::Operation *op) const { return flops(llvm::cast<Op>(op)); }
};
template <typename Op, int64_t (*flops)(Op)>
void attach(mlir::MLIRContext *context) {
  Op::template attachInterface<CostModel<Op, flops>>(*context);
}

/// Ops that do `perElement` operations for each element of their largest tensor; 0 for those that only move elements.
template <typename Op, int64_t perElement>
struct ElementCostModel : CostOpInterface::ExternalModel<ElementCostModel<Op, perElement>, Op> {
  int64_t getFlops(mlir::Operation *op) const {
    return op->hasTrait<mlir::OpTrait::ConstantLike>() ? 0 : product({perElement, largestTensor(op)});
  }
};
template <int64_t perElement, typename... Ops>
void attachPerElement(mlir::MLIRContext *context) {
  (Ops::template attachInterface<ElementCostModel<Ops, perElement>>(*context), ...);
}

void registerContractionCosts(mlir::MLIRContext *context);
void registerNormalizationCosts(mlir::MLIRContext *context);
void registerAttentionCosts(mlir::MLIRContext *context);
void registerStructureCosts(mlir::MLIRContext *context);
void registerLossCosts(mlir::MLIRContext *context);
void registerElementwiseCosts(mlir::DialectRegistry &registry);

} // namespace tw::cost

#endif
