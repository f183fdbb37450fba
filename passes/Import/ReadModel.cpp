// tw-import-read-model: an ONNX file becomes the module's content.
#include "passes/Import/Passes.h"

#include "compiler/Import/Import.h"

using namespace mlir;

namespace tw::import {

#define GEN_PASS_DEF_READMODELPASS
#include "passes/Import/Passes.h.inc"

namespace {
struct ReadModelPass : impl::ReadModelPassBase<ReadModelPass> {
  using ReadModelPassBase::ReadModelPassBase;

  LogicalResult readOptions(ImportOptions &options) {
    for (StringRef text : dims) {
      auto [name, size] = text.rsplit('=');
      int64_t value;
      if (name.empty() || size.getAsInteger(10, value))
        return getOperation().emitError("option dims takes name=size, but is '") << text << "'";
      options.dims[name.str()] = value;
    }
    options.weights = absent ? Weights::Absent : Weights::Mapped;
    options.batchNorm = frozenBatchNorm ? BatchNorm::Frozen : BatchNorm::Train;
    options.parameterInputs.assign(parameterInputs.begin(), parameterInputs.end());
    options.parameterFile = parameterFile;
    return success();
  }

  LogicalResult read(ModuleOp module) {
    if (model.empty())
      return module.emitError("option model is missing: the ONNX file to read");
    if (!module.getBody()->empty())
      return module.emitError("a model is read into an empty module, but this one holds ")
             << module.getBody()->getOperations().size() << " operations";
    ImportOptions options;
    if (failed(readOptions(options)))
      return failure();
    Report report;
    OwningOpRef<ModuleOp> imported = importModel(model, options, &getContext(), &report);
    if (!imported)
      return failure();
    for (const std::string &warning : report.warnings)
      module.emitWarning() << warning;
    module->setAttrs((*imported)->getAttrDictionary());
    module->setLoc(imported->getLoc());
    module.getBody()->getOperations().splice(module.getBody()->end(), imported->getBody()->getOperations());
    return success();
  }

  void runOnOperation() override {
    if (failed(read(getOperation())))
      signalPassFailure();
  }
};
} // namespace

} // namespace tw::import
