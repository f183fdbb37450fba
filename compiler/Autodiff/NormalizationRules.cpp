// Gradient rules of normalisation, softmax and activations.
#include "compiler/Autodiff/Rules.h"

#include "compiler/Dialect/Graph/Graph.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tw::graph;

namespace tw::autodiff {

static Cotangents batchNormTrainingRule(BatchNormTrainingOp op, Reverse &r) {
  if (failed(r.onlyFirstResult()))
    return failure();
  auto backward =
      r.makeOp<BatchNormBackwardOp>(op.getInput().getType(), op.getScale().getType(), op.getBias().getType(), r.dy(),
                                    op.getInput(), op.getScale(), op.getMean(), op.getVariance(), op.getEpsilon());
  return r.each({[&] { return backward.getDInput(); }, [&] { return backward.getDScale(); },
                 [&] { return backward.getDBias(); }});
}

/// y = (x - m) q s + b with q = 1/sqrt(v + epsilon):
/// dx = dy s q, ds = sum dy (x - m) q, db = sum dy, dm = -s q db, dv = -1/2 s q^2 ds.
static Cotangents batchNormRule(BatchNormOp op, Reverse &r) {
  Value inverse = r.make<math::RsqrtOp>(r.plus(op.getVariance(), op.getEpsilon().convertToDouble()));
  Value factor = r.mul(op.getScale(), inverse);
  BatchNormBackwardReduceOp sums;
  if (r.wanted(1) || r.wanted(2) || r.wanted(3) || r.wanted(4))
    sums = r.makeOp<BatchNormBackwardReduceOp>(op.getScale().getType(), op.getBias().getType(), r.dy(), op.getInput(),
                                               op.getMean(), op.getVariance(), op.getEpsilon());
  return r.each({[&] { return r.mul(r.dy(), r.broadcast(factor, r.dy().getType(), {1})); },
                 [&] { return sums.getDScale(); }, [&] { return sums.getDBias(); },
                 [&] { return r.neg(r.mul(factor, sums.getDBias())); },
                 [&] { return r.scale(r.mul(r.mul(factor, inverse), sums.getDScale()), -0.5); }});
}

static Cotangents layerNormRule(LayerNormOp op, Reverse &r) {
  if (failed(r.onlyFirstResult()))
    return failure();
  Type scale = op.getScale().getType();
  auto backward = r.makeOp<LayerNormBackwardOp>(op.getInput().getType(), scale, scale, r.dy(), op.getInput(),
                                                op.getScale(), op.getMean(), op.getInverseDeviation(), op.getAxis());
  return r.each({[&] { return backward.getDInput(); }, [&] { return backward.getDScale(); },
                 [&] { return backward.getDBias(); }});
}

static Cotangents rmsNormRule(RmsNormOp op, Reverse &r) {
  if (failed(r.onlyFirstResult()))
    return failure();
  auto backward = r.makeOp<RmsNormBackwardOp>(op.getInput().getType(), op.getScale().getType(), r.dy(), op.getInput(),
                                              op.getScale(), op.getInverseRms(), op.getAxis());
  return r.each({[&] { return backward.getDInput(); }, [&] { return backward.getDScale(); }});
}

template <typename OpT, typename BackwardOpT>
static Cotangents softmaxRule(OpT op, Reverse &r) {
  return r.each({[&] { return r.make<BackwardOpT>(op.getType(), r.dy(), op.getResult(), op.getAxis()); }});
}

static Cotangents geluRule(GeluOp op, Reverse &r) {
  return r.each({[&] { return r.make<GeluBackwardOp>(op.getType(), r.dy(), op.getInput(), op.getTanh()); }});
}

static Cotangents sigmoidRule(SigmoidOp op, Reverse &r) {
  Value y = op.getResult();
  return r.each({[&] { return r.mul(r.dy(), r.mul(y, r.sub(r.constant(y, 1.0), y))); }});
}

void registerNormalizationRules(MLIRContext *context) {
  attach<BatchNormTrainingOp, batchNormTrainingRule>(context);
  attach<BatchNormOp, batchNormRule>(context);
  attach<LayerNormOp, layerNormRule>(context);
  attach<RmsNormOp, rmsNormRule>(context);
  attach<SoftmaxOp, softmaxRule<SoftmaxOp, SoftmaxBackwardOp>>(context);
  attach<LogSoftmaxOp, softmaxRule<LogSoftmaxOp, LogSoftmaxBackwardOp>>(context);
  attach<GeluOp, geluRule>(context);
  attach<SigmoidOp, sigmoidRule>(context);
}

} // namespace tw::autodiff
