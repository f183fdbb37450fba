#include "passes/Lower/BuildProgram.h"

using namespace mlir;

namespace tw::lower {

static int64_t integerAttribute(plan::KernelOp call, StringRef name) {
  auto value = call.getCallAttributes().getAs<IntegerAttr>(name);
  return value ? value.getInt() : 0;
}

static void restrict(InputBounds &bounds, int64_t upper, std::optional<int64_t> ignore) {
  bounds.lower = 0;
  bounds.upper = std::min(bounds.upper.value_or(upper), upper);
  if (ignore && (*ignore < 0 || *ignore >= upper))
    bounds.ignore = ignore;
}

static void restrictByUse(InputBounds &bounds, plan::KernelOp call, unsigned operand) {
  auto type = [&](unsigned i) { return cast<RankedTensorType>(call.getInputs()[i].getType()); };
  if (call.getKernel().starts_with("gather_") && operand == 1)
    restrict(bounds, type(0).getDimSize(integerAttribute(call, "axis")), std::nullopt);
  else if (call.getKernel().starts_with("cross_entropy_backward_") && operand == 2)
    restrict(bounds, type(1).getDimSize(1), integerAttribute(call, "ignore_index"));
  else if (call.getKernel().starts_with("cross_entropy_") && operand == 1)
    restrict(bounds, type(0).getDimSize(1), integerAttribute(call, "ignore_index"));
}

static void collect(InputBounds &bounds, Value value) {
  for (OpOperand &use : value.getUses()) {
    if (auto call = dyn_cast<plan::KernelOp>(use.getOwner())) {
      restrictByUse(bounds, call, use.getOperandNumber());
      if (call.getKernel().starts_with("transpose_b")) // a copy
        collect(bounds, call.getResult(0));
    } else if (auto view = dyn_cast<plan::ViewOp>(use.getOwner())) {
      collect(bounds, view.getResult());
    }
  }
}

InputBounds inputBounds(BlockArgument argument) {
  InputBounds bounds;
  if (cast<RankedTensorType>(argument.getType()).getElementType().isInteger())
    collect(bounds, argument);
  return bounds;
}

} // namespace tw::lower
