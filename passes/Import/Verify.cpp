// tw-import-verify: the form that architecture.md promises after this phase.
#include "passes/Import/Passes.h"

using namespace mlir;

namespace tw::import {

#define GEN_PASS_DEF_VERIFYIMPORTPASS
#include "passes/Import/Passes.h.inc"

static bool isStaticTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape();
}

static LogicalResult verifySignature(func::FuncOp main) {
  for (unsigned i = 0; i < main.getNumArguments(); ++i)
    if (!main.getArgAttrOfType<StringAttr>(i, "graph.name") || !isStaticTensor(main.getArgumentTypes()[i]))
      return main.emitError("argument ") << i << " of @main must be a tensor of static shape with a graph.name";
  for (unsigned i = 0; i < main.getNumResults(); ++i)
    if (!main.getResultAttrOfType<StringAttr>(i, "graph.name") || !isStaticTensor(main.getResultTypes()[i]))
      return main.emitError("result ") << i << " of @main must be a tensor of static shape with a graph.name";
  return success();
}

static LogicalResult verifyOp(Operation *op) {
  StringRef dialect = op->getName().getDialectNamespace();
  if (dialect != "graph" && dialect != "arith" && dialect != "math")
    return op->emitError("must not be there after the Import phase: only ops of graph, arith and math may");
  if (isa<graph::StoreOp>(op))
    return op->emitError("must not be there after the Import phase: a model writes no parameters");
  for (Type type : op->getResultTypes())
    if (!isStaticTensor(type))
      return op->emitError("must give tensors of static shape after the Import phase");
  bool complete = op->getAttrOfType<FlatSymbolRefAttr>("running_mean") &&
                  op->getAttrOfType<FlatSymbolRefAttr>("running_variance") && op->getAttrOfType<FloatAttr>("momentum");
  if (isa<graph::BatchNormTrainingOp>(op) && !complete)
    return op->emitError("must say which parameters hold its running statistics, and its momentum");
  return success();
}

static LogicalResult verifyImported(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main)
    return module.emitError("the Import phase must leave a function @main");
  for (Operation &op : *module.getBody())
    if (&op != main && !isa<graph::ParameterOp>(op))
      return op.emitError("must not be there after the Import phase: a module holds parameters and @main");
  if (failed(verifySignature(main)))
    return failure();
  for (Operation &op : main.front().without_terminator())
    if (failed(verifyOp(&op)))
      return failure();
  return success();
}

namespace {
struct VerifyImportPass : impl::VerifyImportPassBase<VerifyImportPass> {
  void runOnOperation() override {
    if (failed(verifyImported(getOperation())))
      signalPassFailure();
  }
};
} // namespace

} // namespace tw::import
