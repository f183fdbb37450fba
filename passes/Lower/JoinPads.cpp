#include "passes/Lower/Passes.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tw::lower {
#define GEN_PASS_DEF_JOINPADSPASS
#include "passes/Lower/Passes.h.inc"

namespace {

/// The only dimension along which `pad` puts zeros around its input, or none.
std::optional<int64_t> paddedDimension(graph::PadOp pad) {
  if (!pad.getValue().isZero() || !pad->hasOneUse())
    return std::nullopt;
  std::optional<int64_t> dimension;
  for (int64_t d = 0, rank = pad.getType().getRank(); d < rank; ++d) {
    if (pad.getInterior()[d])
      return std::nullopt;
    if (!pad.getLow()[d] && !pad.getHigh()[d])
      continue;
    if (dimension)
      return std::nullopt;
    dimension = d;
  }
  return dimension;
}

/// The pads that a tree of additions, each used once, adds up. False when there is anything else.
bool collectPads(Value value, SmallVectorImpl<graph::PadOp> &pads) {
  if (auto pad = value.getDefiningOp<graph::PadOp>()) {
    pads.push_back(pad);
    return paddedDimension(pad).has_value();
  }
  auto add = value.getDefiningOp<arith::AddFOp>();
  return add && add->hasOneUse() && collectPads(add.getLhs(), pads) && collectPads(add.getRhs(), pads);
}

struct JoinPads : OpRewritePattern<arith::AddFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::AddFOp add, PatternRewriter &rewriter) const override {
    SmallVector<graph::PadOp> pads;
    if (!collectPads(add.getLhs(), pads) || !collectPads(add.getRhs(), pads))
      return failure();
    int64_t dimension = *paddedDimension(pads.front());
    llvm::sort(pads, [&](graph::PadOp a, graph::PadOp b) { return a.getLow()[dimension] < b.getLow()[dimension]; });
    int64_t end = 0;
    SmallVector<Value> parts;
    for (graph::PadOp pad : pads) {
      if (paddedDimension(pad) != dimension || pad.getLow()[dimension] != end)
        return failure();
      parts.push_back(pad.getInput());
      end += cast<RankedTensorType>(pad.getInput().getType()).getDimSize(dimension);
    }
    if (end != cast<RankedTensorType>(add.getType()).getDimSize(dimension))
      return failure();
    rewriter.replaceOpWithNewOp<graph::ConcatOp>(add, add.getType(), parts, rewriter.getI64IntegerAttr(dimension));
    return success();
  }
};

struct JoinPadsPass : impl::JoinPadsPassBase<JoinPadsPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<JoinPads>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
} // namespace tw::lower
