#include "compiler/Import/Differentiability.h"

#include "compiler/Dialect/Graph/Graph.h"
#include "compiler/Interfaces/DifferentiableOpInterface.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace tw::import {

static bool isFloatTensor(Value value) {
  return isa<FloatType>(getElementTypeOrSelf(value.getType()));
}

/// "'node' (operator), as graph.op".
static std::string describe(Operation *op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto name = dyn_cast<NameLoc>(op->getLoc())) {
    os << "'" << name.getName().getValue() << "'";
    if (auto kind = dyn_cast<NameLoc>(name.getChildLoc()))
      os << " (" << kind.getName().getValue() << ")";
    os << ", as ";
  }
  os << op->getName();
  return text;
}

void findNotDifferentiable(ModuleOp module, Report &report) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  SymbolTable symbols(module);
  llvm::DenseSet<Value> active;
  for (Operation &op : main.front().without_terminator()) {
    if (auto load = dyn_cast<graph::LoadOp>(op)) {
      auto parameter = symbols.lookup<graph::ParameterOp>(load.getParameter());
      if (parameter && parameter.getRole() == graph::Role::Trainable)
        active.insert(load.getResult());
      continue;
    }
    auto rule = dyn_cast<DifferentiableOpInterface>(op);
    bool reached = false;
    for (OpOperand &operand : op.getOpOperands())
      reached |= active.contains(operand.get()) && (!rule || rule.isDifferentiable(operand.getOperandNumber()));
    bool carries = reached && llvm::any_of(op.getResults(), isFloatTensor);
    // Results after the first are statistics that gradient rules save.
    bool leadsOn = llvm::any_of(llvm::drop_begin(op.getResults(), op.getNumResults() ? 1 : 0),
                                [](Value result) { return isFloatTensor(result) && !result.use_empty(); });
    if (carries && !rule)
      report.notDifferentiable.push_back(describe(&op));
    else if (carries && leadsOn)
      report.notDifferentiable.push_back(describe(&op) + ", through a result other than its first");
    if (carries)
      active.insert(op.result_begin(), op.result_end());
  }
}

} // namespace tw::import
