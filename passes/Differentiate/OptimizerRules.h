// The optimizers' update rules.
#ifndef TW_PASSES_DIFFERENTIATE_OPTIMIZERRULES_H
#define TW_PASSES_DIFFERENTIATE_OPTIMIZERRULES_H

#include "passes/Differentiate/Gradients.h"
#include "passes/Differentiate/Options.h"

namespace tw::differentiate {

/// Reads and writes one parameter's optimizer state.
struct StateAccess {
  /// The state `optimizer/<kind>/<parameter>` at the step's start; declared when there is none, filled with `fill`.
  llvm::function_ref<mlir::Value(llvm::StringRef kind, double fill)> load;
  llvm::function_ref<void(llvm::StringRef kind, mlir::Value value)> store;
};

/// An optimizer at one step: what all parameters share is built once.
class OptimizerRule {
public:
  virtual ~OptimizerRule() = default;
  /// The parameter's value after the step.
  virtual mlir::Value update(Elementwise &e, mlir::Value parameter, mlir::Value gradient, double weightDecay,
                             const StateAccess &state) = 0;
};

/// `step` (from 0) and `learningRate` are rank-0 f64.
std::unique_ptr<OptimizerRule> createOptimizerRule(Elementwise &e, const OptimizerOptions &options, mlir::Value step,
                                                   mlir::Value learningRate);

} // namespace tw::differentiate

#endif
