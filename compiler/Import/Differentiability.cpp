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
    if (carries && !rule)
      report.notDifferentiable.push_back(describe(&op));
    if (carries)
      active.insert(op.result_begin(), op.result_end());
  }
}

} // namespace tw::import
