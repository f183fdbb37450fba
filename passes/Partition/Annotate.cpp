// tw-partition-annotate: the grid, and how arguments are split over it.
#include "passes/Partition/Passes.h"

#include "passes/Partition/Propagation.h"

using namespace mlir;

namespace tw::partition {

#define GEN_PASS_DEF_ANNOTATEPASS
#include "passes/Partition/Passes.h.inc"

/// The batch dimension of an argument: 1 behind the micro-batches that graph.accumulate slices, else 0.
static int64_t batchDimension(Value argument) {
  for (OpOperand &use : argument.getUses())
    if (auto loop = dyn_cast<graph::AccumulateOp>(use.getOwner()))
      if (use.getOperandNumber() < loop.getSliced().size())
        return 1;
  return 0;
}

namespace {
struct AnnotatePass : impl::AnnotatePassBase<AnnotatePass> {
  using AnnotatePassBase::AnnotatePassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(checkOptions()))
      return signalPassFailure();
    OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
    shard::GridOp::create(builder, module.getLoc(), kMeshName, ArrayRef<int64_t>{data, tensor, pipeline});
    for (auto function : module.getOps<func::FuncOp>())
      for (BlockArgument argument : function.getArguments())
        if (failed(annotate(function, argument)))
          return signalPassFailure();
  }

private:
  LogicalResult checkOptions() {
    ModuleOp module = getOperation();
    if (data < 1 || tensor < 1 || pipeline < 1)
      return module.emitError("the mesh's sizes must be at least 1, but are ")
             << data.getValue() << " x " << tensor.getValue() << " x " << pipeline.getValue();
    if (module.lookupSymbol(kMeshName))
      return module.emitError("the program has a @mesh already; it can be partitioned once only");
    return success();
  }

  LogicalResult annotate(func::FuncOp function, BlockArgument argument) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "graph.name");
    if (!type || (name && llvm::is_contained(wholeArguments, name.str())))
      return success();
    int64_t batch = batchDimension(argument);
    if (batch >= type.getRank())
      return success(); // a scalar: every rank gets it
    if (type.getDimSize(batch) % data != 0)
      return function.emitError("argument '")
             << (name ? name.getValue() : "") << "' of @" << function.getName() << " has " << type.getDimSize(batch)
             << " rows, which cannot be split evenly over " << data.getValue()
             << " data-parallel ranks; choose a batch that is a multiple of it";
    OpBuilder builder = OpBuilder::atBlockBegin(&function.front());
    MLIRContext *context = &getContext();
    SmallVector<shard::GridAxesAttr> split(batch, shard::GridAxesAttr::get(context, {}));
    split.push_back(shard::GridAxesAttr::get(context, {kDataAxis}));
    Value sharding =
        shard::ShardingOp::create(builder, argument.getLoc(), FlatSymbolRefAttr::get(context, kMeshName), split);
    auto sharded = shard::ShardOp::create(builder, argument.getLoc(), argument, sharding);
    argument.replaceAllUsesExcept(sharded, sharded);
    return success();
  }
};
} // namespace

} // namespace tw::partition
