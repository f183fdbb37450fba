// The passes of the Adapt phase, in the order in which Passes.td lists them.
#ifndef TW_PASSES_ADAPT_PASSES_H
#define TW_PASSES_ADAPT_PASSES_H

#include "compiler/Dialect/Graph/Graph.h"
#include "passes/Adapt/Options.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace tw::adapt {

#define GEN_PASS_DECL
#include "passes/Adapt/Passes.h.inc"

std::unique_ptr<mlir::Pass> createAttachLossPass(const LossOptions &options, llvm::ArrayRef<std::string> outputs = {});
std::unique_ptr<mlir::Pass> createSelectTrainablePass(llvm::ArrayRef<std::string> trainable,
                                                      llvm::ArrayRef<std::string> frozen);
std::unique_ptr<mlir::Pass> createCheckBatchedParametersPass(llvm::ArrayRef<std::string> wholeInputs,
                                                             int64_t dataRanks);

/// The whole phase.
void buildAdaptPipeline(mlir::OpPassManager &manager, const AdaptOptions &options);

/// Registers all passes and `--tw-adapt-pipeline`.
void registerAdaptPasses();

} // namespace tw::adapt

#endif
