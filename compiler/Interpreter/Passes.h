// Passes that execute programs.
#ifndef TW_COMPILER_INTERPRETER_PASSES_H
#define TW_COMPILER_INTERPRETER_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tw::interpreter {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/Interpreter/Passes.h.inc"
} // namespace tw::interpreter

#endif
