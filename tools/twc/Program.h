// From the lowered module to the files that twc leaves behind.
#ifndef TW_TOOLS_TWC_PROGRAM_H
#define TW_TOOLS_TWC_PROGRAM_H

#include "mlir/IR/BuiltinOps.h"
#include "passes/Lower/EmitPlan.h"
#include "tools/twc/Options.h"

namespace tw::twc {

struct ProgramOptions {
  Options command;
  lower::EmitPlanOptions plan;
};

/// Emits plan and object code, links the program and writes it with its payload under a temporary name that becomes
/// the output's only when everything went well. False after an error was printed.
bool writeProgram(mlir::ModuleOp module, ProgramOptions options);

} // namespace tw::twc
#endif
