// tw-import: an ONNX model as graph IR, or a report on whether it can be trained.
#include "compiler/Import/Differentiability.h"
#include "compiler/Import/Import.h"
#include "compiler/Support/Registration.h"
#include "compiler/Support/WriteText.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"

namespace cl = llvm::cl;
using namespace tw::import;

namespace {

cl::OptionCategory category("tw-import options");
cl::opt<std::string> inputPath(cl::Positional, cl::Required, cl::desc("<model.onnx>"), cl::cat(category));
cl::opt<std::string> outputPath("o", cl::desc("Where the IR or the report goes (default: standard output)"),
                                cl::value_desc("file"), cl::init("-"), cl::cat(category));
cl::list<std::string> dims("dim", cl::desc("Size of a symbolic dimension; repeat for each"),
                           cl::value_desc("name=size"), cl::cat(category));
cl::opt<Weights> weights("weights", cl::desc("Values of weights:"), cl::init(Weights::Mapped),
                         cl::values(clEnumValN(Weights::Mapped, "mapped", "ranges of the model's files (default)"),
                                    clEnumValN(Weights::Absent, "absent", "none: enough to plan with")),
                         cl::cat(category));
cl::opt<BatchNorm>
    batchNorm("batch-norm", cl::desc("BatchNormalization nodes:"), cl::init(BatchNorm::Train),
              cl::values(clEnumValN(BatchNorm::Train, "train",
                                    "normalise by the batch's statistics and update the running ones (default)"),
                         clEnumValN(BatchNorm::Frozen, "frozen", "normalise by the running statistics")),
              cl::cat(category));
cl::list<std::string> parameterInputs("parameter-inputs",
                                      cl::desc("Inputs that are parameters; repeat for each pattern"),
                                      cl::value_desc("pattern"), cl::cat(category));
cl::opt<std::string> parameterFile("parameters-from", cl::desc("File that holds the values of --parameter-inputs"),
                                   cl::value_desc("file.safetensors or file.onnx"), cl::cat(category));
cl::list<std::string> parameterNames("parameter-name",
                                     cl::desc("Name in --parameters-from where it differs from the input's"),
                                     cl::value_desc("input=name"), cl::cat(category));
cl::opt<bool> report("report", cl::desc("Print what can be trained and what stands in the way, instead of IR"),
                     cl::cat(category));
cl::opt<bool> json("json", cl::desc("Print the report as JSON"), cl::cat(category));
cl::opt<bool> locations("locations", cl::desc("Print the ONNX node of each op"), cl::cat(category));

bool fail(const llvm::Twine &message) {
  llvm::errs() << "tw-import: error: " << message << "\n";
  return false;
}

bool readOptions(ImportOptions &options) {
  for (llvm::StringRef text : dims) {
    auto [name, size] = text.rsplit('=');
    int64_t value;
    if (name.empty() || size.getAsInteger(10, value))
      return fail("--dim " + text + ": expected name=size, such as --dim batch=8");
    if (!options.dims.insert({name.str(), value}).second)
      return fail("--dim " + name + " is given twice");
  }
  for (llvm::StringRef text : parameterNames) {
    auto [input, name] = text.split('=');
    if (input.empty() || name.empty())
      return fail("--parameter-name " + text + ": expected input=name");
    options.parameterNames[input.str()] = name.str();
  }
  options.weights = weights;
  options.batchNorm = batchNorm;
  options.parameterInputs.assign(parameterInputs.begin(), parameterInputs.end());
  options.parameterFile = parameterFile;
  return true;
}

/// "tw-import: error: model.onnx: ..." and "tw-import: error: node '/fc/MatMul' (MatMul): ...".
mlir::LogicalResult printDiagnostic(mlir::Diagnostic &diagnostic) {
  bool isError = diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error;
  llvm::errs() << "tw-import: " << (isError ? "error: " : "");
  if (auto name = mlir::dyn_cast<mlir::NameLoc>(diagnostic.getLocation())) {
    auto op = mlir::dyn_cast<mlir::NameLoc>(name.getChildLoc());
    if (op)
      llvm::errs() << "node '" << name.getName().getValue() << "' (" << op.getName().getValue() << "): ";
    else
      llvm::errs() << name.getName().getValue() << ": ";
  }
  llvm::errs() << diagnostic << "\n";
  return mlir::success();
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "Reads an ONNX model and prints it as graph IR, or reports on it.\n");
  ImportOptions options;
  if (!readOptions(options))
    return 1;
  mlir::DialectRegistry registry;
  tw::registerAllDialects(registry);
  mlir::MLIRContext context(registry);
  context.getDiagEngine().registerHandler(printDiagnostic);
  Report found;
  mlir::OwningOpRef<mlir::ModuleOp> module = importModel(inputPath, options, &context, &found);
  if (!module)
    return 1;
  if (json || report)
    findNotDifferentiable(*module, found);
  else
    for (const std::string &warning : found.warnings)
      llvm::errs() << "tw-import: warning: " << warning << "\n";
  std::string problem = tw::writeText(outputPath, [&](llvm::raw_ostream &out) {
    mlir::OpPrintingFlags flags;
    if (locations)
      flags.enableDebugInfo();
    if (json)
      found.printJson(out);
    else if (report)
      found.print(out);
    else
      module->print(out, flags);
  });
  return problem.empty() || fail(problem) ? 0 : 1;
}
