#include "tools/twc/Compiler.h"

#include "compiler/Dialect/Plan/KernelLibrary.h"
#include "compiler/Import/Import.h"
#include "compiler/Support/Registration.h"
#include "compiler/Support/WriteText.h"
#include "passes/Adapt/Passes.h"
#include "passes/Differentiate/Passes.h"
#include "passes/Import/Passes.h"
#include "passes/Lower/Pipeline.h"
#include "passes/Partition/Passes.h"
#include "passes/Pipelines/FromRecipe.h"
#include "tools/twc/Batch.h"
#include "tools/twc/Diagnostics.h"
#include "tools/twc/Program.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"

#include <chrono>
#include <thread>

using namespace mlir;

namespace tw::twc {
namespace {
double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}
} // namespace

Compiler::Compiler(const Options &options) : options(options), dims(options.dims) {
  registerAllDialects(registry);
  plan::attachKernelLibrary(registry, tw_find_kernel);
  context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  installDiagnosticPrinter(*context, options.quiet);
  threads = options.threads ? options.threads : std::max(1u, std::thread::hardware_concurrency());
}

void Compiler::progress(const char *what, double seconds) const {
  if (!options.quiet)
    llvm::errs() << llvm::format("twc: %-14s %6.2f s\n", what, seconds);
}

bool Compiler::readRecipe() {
  auto result = options.recipe.empty() ? recipe::parseRecipe("{}", options.overrides)
                                       : recipe::readRecipe(options.recipe, options.overrides);
  if (!result)
    return fail(llvm::toString(result.takeError()));
  recipe = std::move(*result);
  return true;
}

bool Compiler::bindBatch() {
  if (!recipe.microBatch)
    return true;
  std::string message;
  return bindBatchDimensions(options.model, *recipe.microBatch * recipe.mesh.data, dims, message) || fail(message);
}

bool Compiler::import() {
  auto start = std::chrono::steady_clock::now();
  import::ImportOptions importOptions;
  importOptions.dims = dims;
  importOptions.weights = options.weights == WeightMode::Absent ? import::Weights::Absent : import::Weights::Mapped;
  importOptions.batchNorm = recipe.freezeBatchNorm ? import::BatchNorm::Frozen : import::BatchNorm::Train;
  importOptions.parameterInputs = options.parameterInputs;
  importOptions.parameterFile = options.parameterFile;
  importOptions.parameterNames = options.parameterNames;
  import::Report report;
  module = import::importModel(options.model, importOptions, context.get(), &report);
  if (!module)
    return false;
  if (!options.quiet)
    for (const std::string &warning : report.warnings)
      llvm::errs() << "twc: warning: " << warning << "\n";
  PassManager verifier(context.get());
  verifier.addPass(import::createVerifyImportPass());
  if (failed(verifier.run(*module)))
    return false;
  progress("import", secondsSince(start));
  return true;
}

bool Compiler::checkBatch() {
  std::string message;
  int64_t wanted = recipe.microBatch.value_or(0) * recipe.mesh.data;
  std::optional<BatchInputs> inputs = findBatchInputs(*module, wanted, recipe.mesh.data, message);
  if (!inputs)
    return fail(message);
  wholeInputs = inputs->whole;
  recipe.microBatch = inputs->batch / recipe.mesh.data;
  return true;
}

bool Compiler::runPhase(const char *name, const std::function<void(OpPassManager &)> &build) {
  auto start = std::chrono::steady_clock::now();
  PassManager manager(context.get());
  build(manager);
  if (failed(manager.run(*module)))
    return false;
  progress(name, secondsSince(start));
  return true;
}

bool Compiler::printModule() {
  OpPrintingFlags flags;
  if (options.locations)
    flags.enableDebugInfo();
  std::string problem = writeText(options.output, [&](llvm::raw_ostream &out) { module->print(out, flags); });
  return problem.empty() || fail(problem);
}

bool Compiler::emit() {
  auto start = std::chrono::steady_clock::now();
  ProgramOptions program;
  program.command = options;
  program.plan.target = options.target;
  program.plan.threads = int(threads);
  program.plan.data = recipe.mesh.data;
  program.plan.tensor = recipe.mesh.tensor;
  program.plan.pipeline = recipe.mesh.pipeline;
  program.plan.microBatches = recipe.microBatches;
  program.plan.microBatch = *recipe.microBatch;
  program.plan.wholeInputs = wholeInputs;
  program.plan.metadata = {{"recipe", recipe.text}, {"model", options.model}};
  if (!writeProgram(*module, program))
    return false;
  progress("emit", secondsSince(start));
  return true;
}

bool Compiler::run() {
  if (!readRecipe() || !bindBatch() || !import())
    return false;
  if (options.stopAfter == Phase::Import)
    return printModule();
  if (!checkBatch())
    return false;
  struct Step {
    Phase phase;
    const char *name;
    std::function<void(OpPassManager &)> build;
  };
  const Step steps[] = {
      {Phase::Adapt, "adapt",
       [&](OpPassManager &manager) {
         adapt::buildAdaptPipeline(manager, pipelines::adaptOptions(recipe, wholeInputs));
       }},
      {Phase::Differentiate, "differentiate",
       [&](OpPassManager &manager) {
         differentiate::buildDifferentiatePipeline(manager, pipelines::differentiateOptions(recipe));
       }},
      {Phase::Partition, "partition",
       [&](OpPassManager &manager) {
         partition::buildPartitionPipeline(manager, pipelines::partitionOptions(recipe, wholeInputs));
       }},
      {Phase::Lower, "lower",
       [&](OpPassManager &manager) { lower::buildLowerPipeline(manager, {options.target, threads}); }},
  };
  for (const Step &step : steps) {
    if (!runPhase(step.name, step.build))
      return false;
    if (options.stopAfter == step.phase)
      return printModule();
  }
  return emit();
}

} // namespace tw::twc
