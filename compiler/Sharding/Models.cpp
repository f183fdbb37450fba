// Attaches every sharding rule.
#include "compiler/Sharding/Rules.h"

#include "compiler/Dialect/Graph/Graph.h"
#include "compiler/Interfaces/Models.h"

using namespace mlir;

void tw::registerShardableModels(DialectRegistry &registry) {
  sharding::registerArithRules(registry);
  sharding::registerMathRules(registry);
  registry.addExtension(+[](MLIRContext *context, graph::GraphDialect *) {
    sharding::registerContractionRules(context);
    sharding::registerNormalizationRules(context);
    sharding::registerAttentionRules(context);
    sharding::registerStructureRules(context);
    sharding::registerLossRules(context);
  });
}

namespace tw::sharding {

TensorFactors tensor(std::initializer_list<int> factors) {
  TensorFactors result;
  for (int factor : factors)
    result.push_back(factor == kWhole ? DimensionFactors() : DimensionFactors{static_cast<unsigned>(factor)});
  return result;
}

int64_t rankOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getRank();
}
int64_t sizeOf(Value value, int64_t dimension) {
  return cast<RankedTensorType>(value.getType()).getDimSize(dimension);
}

TensorFactors addFactors(ShardingRule &rule, Value value, llvm::function_ref<bool(int64_t)> isWhole, FactorKind kind) {
  TensorFactors result;
  for (int64_t dimension = 0; dimension < rankOf(value); ++dimension) {
    DimensionFactors list;
    if (!isWhole(dimension))
      list.push_back(rule.addFactor(sizeOf(value, dimension), kind));
    result.push_back(list);
  }
  return result;
}

} // namespace tw::sharding
