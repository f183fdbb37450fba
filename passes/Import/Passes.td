// The Import phase: from an ONNX file to a module with @main. The work is compiler/Import's; a pass lets tw-opt begin
// with a file, as with any other phase.
//
//   read-model            the model becomes the module's content
//   verify                what is no longer legal
#ifndef TW_PASSES_IMPORT
#define TW_PASSES_IMPORT
include "mlir/Pass/PassBase.td"

class ImportPass<string flag> : Pass<"tw-import-" # flag, "mlir::ModuleOp"> {
  let dependentDialects = ["::tw::graph::GraphDialect", "mlir::arith::ArithDialect", "mlir::math::MathDialect",
                           "mlir::func::FuncDialect"];
}

def ReadModelPass : ImportPass<"read-model"> {
  let summary = "read an ONNX model into an empty module";
  let description = [{
    The same as the tool tw-import. Warnings about doubtful choices are warnings at the module.

    ```
    echo 'module {}' | tw-opt --tw-import-pipeline="model=model.onnx dims=batch=8"
    ```
  }];
  let options = [
    Option<"model", "model", "std::string", "\"\"", "the ONNX file">,
    ListOption<"dims", "dims", "std::string", "name=size of symbolic dimensions">,
    Option<"absent", "absent-weights", "bool", "false", "weights have no values: enough to plan with">,
    Option<"frozenBatchNorm", "frozen-batch-norm", "bool", "false", "normalise by the running statistics">,
    ListOption<"parameterInputs", "parameter-inputs", "std::string", "glob patterns of inputs that are parameters">,
    Option<"parameterFile", "parameters-from", "std::string", "\"\"", "safetensors or ONNX file with their values">,
  ];
}
def VerifyImportPass : ImportPass<"verify"> {
  let summary = "check the form of an imported model";
  let description = [{
    There is one function, @main; its arguments and results are ranked tensors of static shape and have a `graph.name`;
    it holds ops of the dialects graph, arith and math alone, none of which stores; a batch norm in training says which
    parameters hold its running statistics.
  }];
}
#endif
