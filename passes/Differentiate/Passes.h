// The passes of the Differentiate phase, in the order in which Passes.td lists them.
#ifndef TW_PASSES_DIFFERENTIATE_PASSES_H
#define TW_PASSES_DIFFERENTIATE_PASSES_H

#include "compiler/Dialect/Graph/Graph.h"
#include "passes/Differentiate/Options.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace tw::differentiate {

#define GEN_PASS_DECL
#include "passes/Differentiate/Passes.h.inc"

std::unique_ptr<mlir::Pass> createUpdateParametersPass(const OptimizerOptions &options);

/// The whole phase.
void buildDifferentiatePipeline(mlir::OpPassManager &manager, const DifferentiateOptions &options);

/// Registers all passes and `--tw-differentiate-pipeline`.
void registerDifferentiatePasses();

} // namespace tw::differentiate

#endif
