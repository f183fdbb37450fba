// Masks of attention: as biases, and as `causal` where they are.
#ifndef TW_PASSES_ADAPT_ATTENTIONMASK_H
#define TW_PASSES_ADAPT_ATTENTIONMASK_H

#include "compiler/Dialect/Graph/Graph.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"

namespace tw::adapt {

/// True if the value comes from a matrix product through scales, sums and selects: scores, not a bias.
bool isScoreLike(mlir::Value value);

/// select(mask, scores, number) or select(mask, number, scores) with a very negative number: the bias that does the
/// same when it is added; null for other selects.
mlir::Value biasOfSelect(mlir::arith::SelectOp select, mlir::PatternRewriter &rewriter);

/// The sum of biases that broadcast to scores of shape `scores` (rank 4), as [b or 1, h or 1, s or 1, t]; null if one
/// does not fit.
mlir::Value sumOfBiases(llvm::ArrayRef<mlir::Value> biases, llvm::ArrayRef<int64_t> scores,
                        mlir::PatternRewriter &rewriter, mlir::Location location);

/// Patterns on graph.attention: a bias that hides exactly the later keys becomes `causal`, one that hides nothing
/// disappears, and a conjunction of masks that has such a part loses it.
void addMaskPatterns(mlir::RewritePatternSet &patterns);

} // namespace tw::adapt

#endif
