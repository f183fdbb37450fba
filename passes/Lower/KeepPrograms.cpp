#include "passes/Lower/Passes.h"

using namespace mlir;

namespace tw::lower {
#define GEN_PASS_DEF_KEEPPROGRAMSPASS
#include "passes/Lower/Passes.h.inc"

namespace {
struct KeepProgramsPass : impl::KeepProgramsPassBase<KeepProgramsPass> {
  using KeepProgramsPassBase::KeepProgramsPassBase;

  void runOnOperation() override {
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (!isKept(function.getSymName()))
        function.erase();
  }

private:
  bool isKept(StringRef name) const {
    if (programs.empty())
      return name == "train" || name == "dump" || name == "evaluate";
    return llvm::is_contained(programs, name);
  }
};
} // namespace
} // namespace tw::lower
