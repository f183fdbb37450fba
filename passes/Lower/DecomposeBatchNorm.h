// Patterns that write batch normalisation as elementwise ops and reductions, which then fuse with their neighbours.
#ifndef TW_PASSES_LOWER_DECOMPOSE_BATCH_NORM_H
#define TW_PASSES_LOWER_DECOMPOSE_BATCH_NORM_H

#include "mlir/IR/PatternMatch.h"

namespace tw::lower {

/// graph.batch_norm and batch_norm_backward_apply.
void populateBatchNormPatterns(mlir::RewritePatternSet &patterns);
/// graph.centered_square_sum and batch_norm_backward_reduce.
void populateBatchNormReductionPatterns(mlir::RewritePatternSet &patterns);

} // namespace tw::lower
#endif
