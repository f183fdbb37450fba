// How a function from an op to its ShardingRule becomes an implementation of ShardableOpInterface.
#ifndef TW_COMPILER_SHARDING_RULES_H
#define TW_COMPILER_SHARDING_RULES_H

#include "compiler/Interfaces/ShardableOpInterface.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectRegistry.h"

namespace tw::sharding {

template <typename OpT, ShardingRule (*rule)(OpT)>
struct Model : ShardableOpInterface::ExternalModel<Model<OpT, rule>, OpT> {
  ShardingRule getShardingRule(mlir::Operation *op) const { return rule(llvm::cast<OpT>(op)); }
};
/// Attaches `rule` to OpT.
template <typename OpT, ShardingRule (*rule)(OpT)>
void attach(mlir::MLIRContext *context) {
  OpT::template attachInterface<Model<OpT, rule>>(*context);
}

/// The factors of one tensor, a dimension at a time; `kWhole` is a dimension that is never split.
inline constexpr int kWhole = -1;
TensorFactors tensor(std::initializer_list<int> factors);
/// One factor for each dimension of the value, except those that `isWhole` names.
TensorFactors addFactors(ShardingRule &rule, mlir::Value value, llvm::function_ref<bool(int64_t)> isWhole,
                         FactorKind kind = FactorKind::Parallel);
int64_t rankOf(mlir::Value value);
int64_t sizeOf(mlir::Value value, int64_t dimension);

void registerArithRules(mlir::DialectRegistry &registry);
void registerMathRules(mlir::DialectRegistry &registry);
void registerContractionRules(mlir::MLIRContext *context);
void registerNormalizationRules(mlir::MLIRContext *context);
void registerAttentionRules(mlir::MLIRContext *context);
void registerStructureRules(mlir::MLIRContext *context);
void registerLossRules(mlir::MLIRContext *context);

} // namespace tw::sharding

#endif
