#include "compiler/Interpreter/Interpreter.h"
#include "compiler/Interpreter/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tw::interpreter {
#define GEN_PASS_DEF_CHECKEXECUTEPASS
#include "compiler/Interpreter/Passes.h.inc"
} // namespace tw::interpreter

using namespace mlir;
using namespace tw::interpreter;

namespace {
struct CheckExecutePass : tw::interpreter::impl::CheckExecutePassBase<CheckExecutePass> {
  using CheckExecutePassBase::CheckExecutePassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (precision != "typed" && precision != "double") {
      module.emitError("tw-check-execute: precision is 'typed' or 'double', not '") << precision << "'";
      return signalPassFailure();
    }
    InterpreterOptions options;
    options.precision = precision == "double" ? Precision::Double : Precision::Typed;
    options.fileRoot = fileRoot;
    bool found = false;
    for (auto function : module.getOps<func::FuncOp>()) {
      if (!function.getName().starts_with(prefix) || function.getNumArguments() || function.isDeclaration())
        continue;
      found = true;
      if (failed(Interpreter(module, options, getRankCount(module)).run(function.getName(), {})))
        signalPassFailure(); // its error is out; the other functions still run
    }
    if (!found) {
      module.emitError("tw-check-execute: no function without arguments has a name that starts with '")
          << prefix << "'";
      signalPassFailure();
    }
  }
};
} // namespace
