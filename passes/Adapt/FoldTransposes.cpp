// tw-adapt-fold-transposes: products read transposed matrices in place.
#include "passes/Adapt/Passes.h"

#include "passes/Adapt/Matching.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tw::adapt {

#define GEN_PASS_DEF_FOLDTRANSPOSESPASS
#include "passes/Adapt/Passes.h.inc"

namespace {

/// If the value is a transpose that puts the last dimension before the new last one: its input under the permutation
/// without that swap.
Value unswapped(Value value, PatternRewriter &rewriter) {
  auto transpose = value.getDefiningOp<graph::TransposeOp>();
  if (!transpose)
    return {};
  SmallVector<int64_t> permutation(transpose.getPermutation());
  int64_t rank = permutation.size();
  if (rank < 2 || permutation[rank - 2] != rank - 1)
    return {};
  std::swap(permutation[rank - 2], permutation[rank - 1]);
  if (llvm::equal(permutation, llvm::seq<int64_t>(0, rank)))
    return transpose.getInput();
  SmallVector<int64_t> shape(shapeOf(value));
  std::swap(shape[rank - 2], shape[rank - 1]);
  return graph::TransposeOp::create(rewriter, value.getLoc(), typeOf(value).clone(shape), transpose.getInput(),
                                    permutation);
}

struct FoldIntoProduct : OpRewritePattern<graph::MatMulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(graph::MatMulOp op, PatternRewriter &rewriter) const override {
    if (Value lhs = unswapped(op.getLhs(), rewriter)) {
      rewriter.modifyOpInPlace(op, [&] {
        op.getLhsMutable().assign(lhs);
        op.setTransposeLhs(!op.getTransposeLhs());
      });
      return success();
    }
    if (Value rhs = unswapped(op.getRhs(), rewriter)) {
      rewriter.modifyOpInPlace(op, [&] {
        op.getRhsMutable().assign(rhs);
        op.setTransposeRhs(!op.getTransposeRhs());
      });
      return success();
    }
    return failure();
  }
};

// [b, h, s, d] -> [b h, s, d] -> [b h, d, s] -> [b, h, d, s] is one transpose.
struct MergeBatchedTranspose : OpRewritePattern<graph::ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(graph::ReshapeOp op, PatternRewriter &rewriter) const override {
    auto transpose = op.getInput().getDefiningOp<graph::TransposeOp>();
    ArrayRef<int64_t> shape = shapeOf(op.getResult());
    if (!transpose || shape.size() != 4 || transpose.getPermutation() != ArrayRef<int64_t>{0, 2, 1} ||
        shapeOf(op.getInput()).drop_front() != shape.drop_front(2))
      return failure();
    SmallVector<int64_t> split{shape[0], shape[1], shape[3], shape[2]};
    Value input = graph::ReshapeOp::create(rewriter, op.getLoc(), typeOf(op.getInput()).clone(split),
                                           throughReshapes(transpose.getInput()));
    rewriter.replaceOpWithNewOp<graph::TransposeOp>(op, op.getType(), input, ArrayRef<int64_t>{0, 1, 3, 2});
    return success();
  }
};

struct FoldTransposesPass : impl::FoldTransposesPassBase<FoldTransposesPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<FoldIntoProduct, MergeBatchedTranspose>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace tw::adapt
