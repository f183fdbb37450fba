// Passes that execute programs.
#ifndef TW_INTERPRETER_PASSES
#define TW_INTERPRETER_PASSES
include "mlir/Pass/PassBase.td"

def CheckExecutePass : Pass<"tw-check-execute", "mlir::ModuleOp"> {
  let summary = "run test functions in the reference interpreter";
  let description = [{
    Runs every function without arguments whose name starts with `test_`, each from the parameters' first values, on as
    many ranks as the module's first shard.grid has devices (without a grid: one). An expectation (`check` dialect) that
    does not hold is an error. A module without a test function is an error too.
  }];
  let options = [
    Option<"prefix", "prefix", "std::string", "\"test_\"", "run the functions whose names start with this">,
    Option<"fileRoot", "file-root", "std::string", "\"\"", "folder of parameters' relative files">,
    Option<"precision", "precision", "std::string", "\"typed\"",
           "typed (round after each op) or double (round nothing)">,
  ];
}
#endif
