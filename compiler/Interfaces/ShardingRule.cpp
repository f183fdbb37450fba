#include "compiler/Interfaces/ShardableOpInterface.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace tw;

unsigned ShardingRule::addFactor(int64_t size, FactorKind kind) {
  factors.push_back({size, kind});
  return factors.size() - 1;
}

static bool isReduction(FactorKind kind) {
  return kind == FactorKind::ReduceSum || kind == FactorKind::ReduceMax || kind == FactorKind::ReduceMin;
}

static LogicalResult verifyDimension(Operation *op, const ShardingRule &rule, const DimensionFactors &list,
                                     int64_t size, bool isResult, const Twine &where) {
  int64_t product = 1;
  for (unsigned index : list) {
    if (index >= rule.factors.size())
      return op->emitError("sharding rule: ")
             << where << " names factor " << index << ", but there are " << rule.factors.size();
    if (isResult && isReduction(rule.factors[index].kind))
      return op->emitError("sharding rule: ") << where << " has reduction factor " << index;
    product *= rule.factors[index].size;
  }
  if (!list.empty() && product != size)
    return op->emitError("sharding rule: factors of ")
           << where << " multiply to " << product << ", but its size is " << size;
  return success();
}

static LogicalResult verifyTensors(Operation *op, const ShardingRule &rule, ArrayRef<TensorFactors> tensors,
                                   TypeRange types, bool isResult) {
  StringRef kind = isResult ? "result " : "operand ";
  if (tensors.size() != types.size())
    return op->emitError("sharding rule: has ")
           << tensors.size() << " entries for " << types.size() << " " << kind.trim() << "s";
  for (auto [number, entry] : llvm::enumerate(llvm::zip_equal(tensors, types))) {
    auto [tensor, type] = entry;
    auto ranked = dyn_cast<RankedTensorType>(type);
    size_t rank = ranked ? ranked.getRank() : 0;
    if (tensor.size() != rank)
      return op->emitError("sharding rule: ")
             << kind << number << " has " << tensor.size() << " entries for rank " << rank;
    for (size_t dimension = 0; dimension < rank; ++dimension)
      if (failed(verifyDimension(op, rule, tensor[dimension], ranked.getDimSize(dimension), isResult,
                                 kind + Twine(number) + " dimension " + Twine(dimension))))
        return failure();
  }
  return success();
}

LogicalResult tw::verifyShardingRule(Operation *op, const ShardingRule &rule) {
  if (failed(verifyTensors(op, rule, rule.operands, op->getOperandTypes(), /*isResult=*/false)) ||
      failed(verifyTensors(op, rule, rule.results, op->getResultTypes(), /*isResult=*/true)))
    return failure();
  for (unsigned operand : rule.linearOperands)
    if (operand >= op->getNumOperands())
      return op->emitError("sharding rule: linear operand ") << operand << " does not exist";
  return success();
}

ShardingRule tw::elementwiseShardingRule(Operation *op) {
  ShardingRule rule;
  TensorFactors full;
  for (Type type : op->getResultTypes()) {
    auto ranked = dyn_cast<RankedTensorType>(type);
    if (full.empty() && ranked)
      for (int64_t size : ranked.getShape())
        full.push_back({rule.addFactor(size)});
    rule.results.push_back(full);
  }
  for (Type type : op->getOperandTypes()) {
    auto ranked = dyn_cast<RankedTensorType>(type);
    rule.operands.push_back(ranked && ranked.getRank() ? full : TensorFactors());
  }
  return rule;
}

Operation *tw::cloneWithTypes(OpBuilder &builder, Operation *op, ValueRange operands, TypeRange resultTypes) {
  IRMapping mapping;
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(operands);
  state.addTypes(resultTypes);
  state.attributes = op->getAttrDictionary();
  state.addSuccessors(op->getSuccessors());
  for (Region &region : op->getRegions())
    region.cloneInto(state.addRegion(), mapping);
  return builder.create(state);
}
