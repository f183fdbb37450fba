// Gradient rules of losses and dropout.
#include "compiler/Autodiff/Rules.h"

#include "compiler/Dialect/Graph/Graph.h"

using namespace mlir;
using namespace tw::graph;

namespace tw::autodiff {

static Cotangents crossEntropyRule(CrossEntropyOp op, Reverse &r) {
  if (failed(r.onlyFirstResult()))
    return failure();
  return r.each({[&] {
    return r.make<CrossEntropyBackwardOp>(op.getLogits().getType(), r.dy(), op.getLogits(), op.getLabels(),
                                          op.getLogsumexp(), op.getIgnoreIndex(), op.getLabelSmoothing());
  }});
}

/// The same elements fall: dropout is linear and symmetric.
static Cotangents dropoutRule(DropoutOp op, Reverse &r) {
  return r.each({[&] {
    return r.make<DropoutOp>(op.getType(), r.dy(), op.getSeed(), op.getStep(), op.getRow(), op.getRatio(), op.getId());
  }});
}

void registerLossRules(MLIRContext *context) {
  attach<CrossEntropyOp, crossEntropyRule>(context);
  attach<DropoutOp, dropoutRule>(context);
}

} // namespace tw::autodiff
