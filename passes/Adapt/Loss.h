// Losses as graph ops.
#ifndef TW_PASSES_ADAPT_LOSS_H
#define TW_PASSES_ADAPT_LOSS_H

#include "passes/Adapt/Options.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

namespace tw::adapt {

/// The type of the labels that go with an output; an error at `location` if the loss cannot be taken of it.
mlir::FailureOr<mlir::RankedTensorType> labelsType(const LossOptions &options, mlir::RankedTensorType output,
                                                   mlir::Location location);

/// The loss summed over what counts, a rank-0 f32. `labels` is null for LossKind::Output.
mlir::Value buildLossSum(const LossOptions &options, mlir::Value output, mlir::Value labels, mlir::OpBuilder &builder,
                         mlir::Location location);

/// What the sum is divided by, a rank-0 f32 that depends on the labels alone.
mlir::Value buildLossWeight(const LossOptions &options, mlir::RankedTensorType output, mlir::Value labels,
                            mlir::OpBuilder &builder, mlir::Location location);

} // namespace tw::adapt

#endif
