// Gradient rule of attention.
#include "compiler/Autodiff/Rules.h"

#include "compiler/Dialect/Graph/Graph.h"

using namespace mlir;
using namespace tw::graph;

namespace tw::autodiff {

static Cotangents attentionRule(AttentionOp op, Reverse &r) {
  if (failed(r.onlyFirstResult()))
    return failure();
  auto backward = r.makeOp<AttentionBackwardOp>(op.getQuery().getType(), op.getKey().getType(), op.getValue().getType(),
                                                r.dy(), op.getQuery(), op.getKey(), op.getValue(), op.getResult(),
                                                op.getLogsumexp(), op.getBias(), op.getScale(), op.getCausal());
  return r.each(
      {[&] { return backward.getDQuery(); }, [&] { return backward.getDKey(); }, [&] { return backward.getDValue(); }});
}

namespace {
/// The bias ends the path: attention_backward has no cotangent for it.
struct AttentionModel : DifferentiableOpInterface::ExternalModel<AttentionModel, AttentionOp> {
  Cotangents backward(Operation *op, OpBuilder &builder, ValueRange cotangents, ArrayRef<bool> wanted) const {
    Reverse reverse(op, builder, cotangents, wanted);
    return attentionRule(cast<AttentionOp>(op), reverse);
  }
  bool isDifferentiable(Operation *, unsigned operand) const { return operand < 3; }
};
} // namespace

void registerAttentionRules(MLIRContext *context) {
  AttentionOp::attachInterface<AttentionModel>(*context);
}

} // namespace tw::autodiff
