// tw-adapt-select-trainable: roles of parameters by name patterns.
#include "passes/Adapt/Passes.h"

#include "passes/Adapt/NearNames.h"

#include "llvm/Support/GlobPattern.h"

using namespace mlir;

namespace tw::adapt {

#define GEN_PASS_DEF_SELECTTRAINABLEPASS
#include "passes/Adapt/Passes.h.inc"

namespace {

using Parameters = SmallVector<graph::ParameterOp>;

/// Sets the role of every parameter that a pattern matches; a pattern without a match is an error.
LogicalResult setRoles(ModuleOp module, const Parameters &parameters, ArrayRef<std::string> patterns,
                       graph::Role role) {
  for (const std::string &text : patterns) {
    auto pattern = llvm::GlobPattern::create(text);
    if (!pattern)
      return module.emitError("'") << text << "' is not a pattern: " << llvm::toString(pattern.takeError());
    bool matched = false;
    for (graph::ParameterOp parameter : parameters)
      if (pattern->match(parameter.getSymName()) || pattern->match(parameter.getOnnxNameOrSymbol())) {
        parameter.setRole(role);
        matched = true;
      }
    if (matched)
      continue;
    std::vector<std::string> names;
    for (graph::ParameterOp parameter : parameters)
      names.push_back(parameter.getSymName().str());
    return module.emitError("no parameter matches '") << text << "'" << nearNames(text, names);
  }
  return success();
}

struct SelectTrainablePass : impl::SelectTrainablePassBase<SelectTrainablePass> {
  using SelectTrainablePassBase::SelectTrainablePassBase;
  void runOnOperation() override {
    Parameters parameters;
    for (auto parameter : getOperation().getOps<graph::ParameterOp>())
      if (parameter.getRole() == graph::Role::Trainable || parameter.getRole() == graph::Role::Frozen)
        parameters.push_back(parameter);
    if (!trainable.empty())
      for (graph::ParameterOp parameter : parameters)
        parameter.setRole(graph::Role::Frozen);
    SmallVector<std::string> train(trainable.begin(), trainable.end()), freeze(frozen.begin(), frozen.end());
    if (failed(setRoles(getOperation(), parameters, train, graph::Role::Trainable)) ||
        failed(setRoles(getOperation(), parameters, freeze, graph::Role::Frozen)))
      signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> createSelectTrainablePass(ArrayRef<std::string> trainable, ArrayRef<std::string> frozen) {
  SelectTrainablePassOptions options;
  options.trainable.assign(trainable.begin(), trainable.end());
  options.frozen.assign(frozen.begin(), frozen.end());
  return createSelectTrainablePass(options);
}

} // namespace tw::adapt
