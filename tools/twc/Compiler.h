// The compiler's phases, one after another.
#ifndef TW_TOOLS_TWC_COMPILER_H
#define TW_TOOLS_TWC_COMPILER_H

#include "compiler/Recipe/Recipe.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include "tools/twc/Options.h"

#include <functional>

namespace tw::twc {

class Compiler {
public:
  explicit Compiler(const Options &options);
  /// Runs everything the options ask for; false after an error was printed.
  bool run();

private:
  bool readRecipe();
  /// Binds the batch dimension of the model's inputs to the recipe's batch.
  bool bindBatch();
  bool import();
  /// Which inputs have no batch dimension; checks that the others agree.
  bool checkBatch();
  /// Runs one phase with a progress line.
  bool runPhase(const char *name, const std::function<void(mlir::OpPassManager &)> &build);
  bool printModule();
  bool emit();
  void progress(const char *what, double seconds) const;

  const Options &options;
  mlir::DialectRegistry registry;
  std::unique_ptr<mlir::MLIRContext> context;
  recipe::Recipe recipe;
  std::map<std::string, int64_t> dims;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<std::string> wholeInputs;
  int64_t threads = 1;
};

} // namespace tw::twc
#endif
