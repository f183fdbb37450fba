// tw-adapt-check-batched-parameters: parameters whose shape holds the batch.
#include "passes/Adapt/Passes.h"

#include "compiler/Interfaces/ShardableOpInterface.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tw::adapt {

#define GEN_PASS_DEF_CHECKBATCHEDPARAMETERSPASS
#include "passes/Adapt/Passes.h.inc"

namespace {

/// Follows the batch dimension from the inputs through the factors of each op, and from an op that meets it in an
/// operand that no input reaches back to the parameter that this comes from.
class BatchTracer {
public:
  using Dimension = std::pair<StringAttr, int64_t>; // of a parameter

  void trace(func::FuncOp function, ArrayRef<std::string> wholeInputs) {
    for (BlockArgument argument : function.getArguments()) {
      auto type = cast<RankedTensorType>(argument.getType());
      auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "graph.name");
      bool isWhole = name && llvm::is_contained(wholeInputs, name.str());
      if (!isWhole && type.getRank() > 0 && type.getDimSize(0) > 1)
        batchDimensions[argument] = 0;
    }
    for (auto op : function.getOps<ShardableOpInterface>())
      visit(op);
  }

  ArrayRef<Dimension> getFound() const { return found.getArrayRef(); }

private:
  llvm::DenseMap<Value, int64_t> batchDimensions;
  llvm::SetVector<Dimension> found;

  /// The factor that a dimension is split by: its major one.
  static std::optional<unsigned> majorFactor(const DimensionFactors &factors) {
    return factors.empty() ? std::nullopt : std::optional(factors.front());
  }

  static std::optional<int64_t> dimensionOf(const TensorFactors &tensor, unsigned factor) {
    for (auto [dimension, factors] : llvm::enumerate(tensor))
      if (majorFactor(factors) == factor)
        return dimension;
    return std::nullopt;
  }

  void visit(ShardableOpInterface op) {
    ShardingRule rule = op.getShardingRule();
    std::optional<unsigned> batch;
    for (auto [operand, tensor] : llvm::zip_equal(op->getOperands(), rule.operands))
      if (auto dimension = batchDimensions.find(operand); !batch && dimension != batchDimensions.end())
        batch = majorFactor(tensor[dimension->second]);
    if (!batch)
      return;
    for (auto [operand, tensor] : llvm::zip_equal(op->getOperands(), rule.operands))
      if (auto dimension = dimensionOf(tensor, *batch); dimension && !batchDimensions.contains(operand))
        blame(operand, *dimension);
    for (auto [result, tensor] : llvm::zip_equal(op->getResults(), rule.results))
      if (auto dimension = dimensionOf(tensor, *batch))
        batchDimensions[result] = *dimension;
  }

  void blame(Value value, int64_t dimension) {
    if (auto load = value.getDefiningOp<graph::LoadOp>()) {
      found.insert({load.getParameterAttr().getAttr(), dimension});
      return;
    }
    auto op = value.getDefiningOp<ShardableOpInterface>();
    if (!op)
      return;
    ShardingRule rule = op.getShardingRule();
    auto factor = majorFactor(rule.results[cast<OpResult>(value).getResultNumber()][dimension]);
    if (!factor)
      return;
    for (auto [operand, tensor] : llvm::zip_equal(op->getOperands(), rule.operands))
      if (auto source = dimensionOf(tensor, *factor))
        blame(operand, *source);
  }
};

struct CheckBatchedParametersPass : impl::CheckBatchedParametersPassBase<CheckBatchedParametersPass> {
  using CheckBatchedParametersPassBase::CheckBatchedParametersPassBase;

  void runOnOperation() override {
    auto forward = getOperation().lookupSymbol<func::FuncOp>("forward");
    if (!forward)
      return;
    BatchTracer tracer;
    tracer.trace(forward, wholeInputs);
    for (auto [name, dimension] : tracer.getFound()) {
      auto parameter = getOperation().lookupSymbol<graph::ParameterOp>(name);
      if (parameter && parameter.getRole() == graph::Role::Trainable)
        report(parameter, dimension);
    }
  }

private:
  /// Values of its own for each place in the batch are another model than the one that was exported; with several
  /// ranks each would train its part of them.
  void report(graph::ParameterOp parameter, int64_t dimension) {
    InFlightDiagnostic diagnostic = data > 1 ? parameter.emitError() : parameter.emitWarning();
    diagnostic << "dimension " << dimension << " of parameter '" << parameter.getSymName() << "' ("
               << parameter.getType() << ") is the batch";
    if (data > 1) {
      diagnostic << ", so that " << data.getValue() << " data-parallel ranks cannot share it";
      signalPassFailure();
    }
    diagnostic << ": the exporter folded an expansion into it, and every place in the batch would train values of its "
                  "own; export the model with a dynamic batch dimension, or without constant folding, or freeze it";
  }
};

} // namespace

std::unique_ptr<Pass> createCheckBatchedParametersPass(ArrayRef<std::string> wholeInputs, int64_t dataRanks) {
  CheckBatchedParametersPassOptions options;
  options.wholeInputs.assign(wholeInputs.begin(), wholeInputs.end());
  options.data = dataRanks;
  return createCheckBatchedParametersPass(options);
}

} // namespace tw::adapt
