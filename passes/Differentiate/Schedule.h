// The learning rate as a function of the step.
#ifndef TW_PASSES_DIFFERENTIATE_SCHEDULE_H
#define TW_PASSES_DIFFERENTIATE_SCHEDULE_H

#include "passes/Differentiate/Gradients.h"
#include "passes/Differentiate/Options.h"

namespace tw::differentiate {

/// The learning rate of step `step` (rank-0 f64, counted from 0), rank-0 f64.
mlir::Value buildLearningRate(Elementwise &e, mlir::Value step, const OptimizerOptions &options);

} // namespace tw::differentiate

#endif
