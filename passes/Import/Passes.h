// The passes of the Import phase, in the order in which Passes.td lists them.
#ifndef TW_PASSES_IMPORT_PASSES_H
#define TW_PASSES_IMPORT_PASSES_H

#include "compiler/Dialect/Graph/Graph.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace tw::import {

#define GEN_PASS_DECL
#include "passes/Import/Passes.h.inc"

/// The whole phase.
void buildImportPipeline(mlir::OpPassManager &manager, ReadModelPassOptions options);

/// Registers all passes and `--tw-import-pipeline`.
void registerImportPasses();

} // namespace tw::import

#endif
