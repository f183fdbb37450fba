// Attaches every cost model.
#include "compiler/Cost/Costs.h"

#include "compiler/Dialect/Graph/Graph.h"
#include "compiler/Interfaces/Models.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;

void tw::registerCostModels(DialectRegistry &registry) {
  cost::registerElementwiseCosts(registry);
  registry.addExtension(+[](MLIRContext *context, graph::GraphDialect *) {
    cost::registerContractionCosts(context);
    cost::registerNormalizationCosts(context);
    cost::registerAttentionCosts(context);
    cost::registerStructureCosts(context);
    cost::registerLossCosts(context);
  });
}

int64_t cost::product(ArrayRef<int64_t> sizes) {
  if (llvm::is_contained(sizes, 0))
    return 0;
  uint64_t total = 1;
  for (int64_t size : sizes)
    total = std::min<uint64_t>(llvm::SaturatingMultiply<uint64_t>(total, size), INT64_MAX);
  return total;
}

int64_t cost::elementsOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? product(type.getShape()) : 1;
}

int64_t cost::largestTensor(Operation *op) {
  int64_t largest = 0;
  for (Value value : op->getOperands())
    largest = std::max(largest, elementsOf(value));
  for (Value value : op->getResults())
    largest = std::max(largest, elementsOf(value));
  return largest;
}
