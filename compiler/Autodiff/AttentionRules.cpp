// Gradient rule of attention.
#include "compiler/Autodiff/Rules.h"

#include "compiler/Dialect/Graph/Graph.h"

using namespace mlir;
using namespace tw::graph;

namespace tw::autodiff {

/// The bias is operand 3, where there is one.
static bool hasFloatBias(AttentionOp op) {
  return op.getBias() && isa<FloatType>(cast<RankedTensorType>(op.getBias().getType()).getElementType());
}

static Cotangents attentionRule(AttentionOp op, Reverse &r) {
  if (failed(r.onlyFirstResult()))
    return failure();
  SmallVector<Type> biasType;
  if (hasFloatBias(op) && r.wanted(3))
    biasType.push_back(op.getBias().getType());
  auto backward = r.makeOp<AttentionBackwardOp>(op.getQuery().getType(), op.getKey().getType(), op.getValue().getType(),
                                                biasType, r.dy(), op.getQuery(), op.getKey(), op.getValue(),
                                                op.getResult(), op.getLogsumexp(), op.getExtras(), op.getScale(),
                                                op.getCausal(), op.getWindow(), op.getDropout(), op.getId());
  return r.each({[&] { return backward.getDQuery(); }, [&] { return backward.getDKey(); },
                 [&] { return backward.getDValue(); }, [&] { return backward.getDBias().front(); }});
}

namespace {
struct AttentionModel : DifferentiableOpInterface::ExternalModel<AttentionModel, AttentionOp> {
  Cotangents backward(Operation *op, OpBuilder &builder, ValueRange cotangents, ArrayRef<bool> wanted) const {
    Reverse reverse(op, builder, cotangents, wanted);
    return attentionRule(cast<AttentionOp>(op), reverse);
  }
  bool isDifferentiable(Operation *op, unsigned operand) const {
    return operand < 3 || (operand == 3 && hasFloatBias(cast<AttentionOp>(op)));
  }
};
} // namespace

void registerAttentionRules(MLIRContext *context) {
  AttentionOp::attachInterface<AttentionModel>(*context);
}

} // namespace tw::autodiff
