// The passes of the Lower phase, in the order in which Passes.td lists them.
#ifndef TW_PASSES_LOWER_PASSES_H
#define TW_PASSES_LOWER_PASSES_H

#include "compiler/Dialect/Graph/Graph.h"
#include "compiler/Dialect/Plan/Plan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tw::lower {
#define GEN_PASS_DECL
#include "passes/Lower/Passes.h.inc"

/// Registers all passes and `--tw-lower-pipeline`.
void registerLowerPasses();
} // namespace tw::lower
#endif
