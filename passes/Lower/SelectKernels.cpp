#include "passes/Lower/KernelCalls.h"
#include "passes/Lower/Passes.h"

#include <thread>

using namespace mlir;

namespace tw::lower {
#define GEN_PASS_DEF_SELECTKERNELSPASS
#include "passes/Lower/Passes.h.inc"

namespace {

/// Ops that eliminate-copies turns into views, or into kernels where that does not go.
bool onlyMovesElements(Operation *op) {
  return isa<graph::ReshapeOp, graph::TransposeOp, graph::SliceOp, graph::BroadcastOp, graph::ConcatOp>(op);
}

bool needsKernel(Operation *op) {
  return isa<graph::GraphDialect>(op->getDialect()) && !isa<graph::FusedOp, graph::LoadOp, graph::StoreOp>(op) &&
         !onlyMovesElements(op);
}

/// False after a diagnostic for a convolution that cuDNN, which pads both sides of a dimension alike, does not take.
bool takesPads(Operation *op) {
  if (!isa<graph::ConvolutionOp, graph::ConvolutionBackwardInputOp, graph::ConvolutionBackwardFilterOp>(op))
    return true;
  ArrayRef<int64_t> pads = op->getAttrOfType<DenseI64ArrayAttr>("pads").asArrayRef();
  for (auto [i, pair] : llvm::enumerate(llvm::zip(pads.take_front(pads.size() / 2), pads.drop_front(pads.size() / 2))))
    if (auto [before, after] = pair; before != after) {
      op->emitError() << "cuDNN pads both sides of a dimension alike, but this convolution has " << before
                      << " before and " << after << " after dimension " << i + 2
                      << ": pad by an op of its own in the model, or compile for the host";
      return false;
    }
  return true;
}

struct SelectKernelsPass : impl::SelectKernelsPassBase<SelectKernelsPass> {
  using SelectKernelsPassBase::SelectKernelsPassBase;

  void runOnOperation() override {
    KernelTarget kernelTarget{target, threads > 0 ? int(threads) : int(std::thread::hardware_concurrency())};
    bool failed = false;
    for (auto function : getOperation().getOps<func::FuncOp>())
      for (Operation &op : llvm::make_early_inc_range(function.getOps()))
        failed |= !select(&op, kernelTarget);
    if (failed)
      signalPassFailure();
  }

private:
  static bool select(Operation *op, const KernelTarget &target) {
    if (isa<arith::ArithDialect>(op->getDialect()) || op->getName().getDialectNamespace() == "math") {
      if (op->hasTrait<OpTrait::ConstantLike>())
        return true;
      op->emitError() << "there is no kernel for " << op->getName() << " outside of graph.fused";
      return false;
    }
    if (!needsKernel(op))
      return true;
    if (target.name == "cuda" && !takesPads(op))
      return false;
    OpBuilder builder(op);
    plan::KernelOp call = createKernelCall(builder, op, op->getOperands(), target);
    if (!call)
      return false;
    op->replaceAllUsesWith(call.getResults());
    op->erase();
    return true;
  }
};
} // namespace
} // namespace tw::lower
