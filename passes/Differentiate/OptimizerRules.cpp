// The formulas are those of torch.optim's documentation and of ONNX's ai.onnx.preview.training operators, in their
// order of operations.
#include "passes/Differentiate/OptimizerRules.h"

using namespace mlir;

namespace tw::differentiate {

static Value addDecay(Elementwise &e, Value gradient, Value parameter, double weightDecay) {
  return weightDecay == 0.0 ? gradient : e.add(gradient, e.scale(parameter, weightDecay));
}

namespace {

/// b = momentum b + (1 - dampening) g, at the first step b = g; d = b, or g + momentum b; p -= lr d. ONNX's Momentum is
/// the same with alpha = momentum and beta = 1 - dampening.
class SGDRule : public OptimizerRule {
public:
  SGDRule(Elementwise &e, const OptimizerOptions &options, Value step, Value learningRate)
      : options(options), learningRate(learningRate) {
    if (options.dampening != 0.0)
      freshness =
          e.selectLess(step, e.constant(step, 1.0), e.constant(step, 1.0), e.constant(step, 1.0 - options.dampening));
  }
  Value update(Elementwise &e, Value parameter, Value gradient, double weightDecay, const StateAccess &state) override {
    Value direction = addDecay(e, gradient, parameter, weightDecay);
    if (options.momentum != 0.0) {
      Value fresh = freshness ? e.mul(direction, e.spread(freshness, direction)) : direction;
      Value buffer = e.add(e.scale(state.load("momentum_buffer", 0.0), options.momentum), fresh);
      state.store("momentum_buffer", buffer);
      direction = options.nesterov ? e.add(direction, e.scale(buffer, options.momentum)) : buffer;
    }
    return e.sub(parameter, e.mul(direction, e.spread(learningRate, direction)));
  }

private:
  const OptimizerOptions &options;
  Value learningRate, freshness;
};

/// m = b1 m + (1 - b1) g; v = b2 v + (1 - b2) g^2; p -= lr / (1 - b1^t) m / (sqrt(v) / sqrt(1 - b2^t) + eps).
/// AdamW first scales p by 1 - lr decay; Adam adds decay p to g.
class AdamRule : public OptimizerRule {
public:
  AdamRule(Elementwise &e, const OptimizerOptions &options, Value step, Value learningRate)
      : options(options), learningRate(learningRate) {
    Value time = e.plus(step, 1.0);
    auto correction = [&](double beta) { return e.sub(e.constant(time, 1.0), e.pow(e.constant(time, beta), time)); };
    stepSize = e.div(learningRate, correction(options.beta1));
    root = e.sqrt(correction(options.beta2));
  }
  Value update(Elementwise &e, Value parameter, Value gradient, double weightDecay, const StateAccess &state) override {
    bool decoupled = options.kind == OptimizerKind::AdamW;
    if (!decoupled)
      gradient = addDecay(e, gradient, parameter, weightDecay);
    else if (weightDecay != 0.0)
      parameter = e.mul(parameter, e.spread(keep(e, weightDecay), parameter));
    Value first = e.add(e.scale(state.load("exp_avg", 0.0), options.beta1), e.scale(gradient, 1.0 - options.beta1));
    Value second = e.add(e.scale(state.load("exp_avg_sq", 0.0), options.beta2),
                         e.scale(e.mul(gradient, gradient), 1.0 - options.beta2));
    state.store("exp_avg", first);
    state.store("exp_avg_sq", second);
    Value denominator = e.plus(e.div(e.sqrt(second), e.spread(root, second)), options.epsilon);
    return e.sub(parameter, e.mul(e.div(first, denominator), e.spread(stepSize, first)));
  }

private:
  /// 1 - lr decay
  Value keep(Elementwise &e, double weightDecay) {
    return e.sub(e.constant(learningRate, 1.0), e.scale(learningRate, weightDecay));
  }
  const OptimizerOptions &options;
  Value learningRate, stepSize, root;
};

/// ONNX's Adam, T updates having been done: V = alpha V + (1 - alpha) g; H = beta H + (1 - beta) g^2;
/// r = T > 0 ? R sqrt(1 - beta^T) / (1 - alpha^T) : R; X -= r V / (sqrt(H) + eps). The norm's coefficient is added to g
/// before (Adam), or scales X by 1 - coefficient afterwards (AdamW; norm_coefficient_post).
class OnnxAdamRule : public OptimizerRule {
public:
  OnnxAdamRule(Elementwise &e, const OptimizerOptions &options, Value step, Value learningRate) : options(options) {
    auto correction = [&](double beta) { return e.sub(e.constant(step, 1.0), e.pow(e.constant(step, beta), step)); };
    Value corrected = e.div(e.mul(learningRate, e.sqrt(correction(options.beta2))), correction(options.beta1));
    stepSize = e.selectLess(e.constant(step, 0.0), step, corrected, learningRate);
  }
  Value update(Elementwise &e, Value parameter, Value gradient, double weightDecay, const StateAccess &state) override {
    bool after = options.kind == OptimizerKind::AdamW;
    if (!after)
      gradient = addDecay(e, gradient, parameter, weightDecay);
    Value first = e.add(e.scale(state.load("exp_avg", 0.0), options.beta1), e.scale(gradient, 1.0 - options.beta1));
    Value second = e.add(e.scale(state.load("exp_avg_sq", 0.0), options.beta2),
                         e.scale(e.mul(gradient, gradient), 1.0 - options.beta2));
    state.store("exp_avg", first);
    state.store("exp_avg_sq", second);
    Value direction = e.div(first, e.plus(e.sqrt(second), options.epsilon));
    Value updated = e.sub(parameter, e.mul(direction, e.spread(stepSize, direction)));
    return after && weightDecay != 0.0 ? e.scale(updated, 1.0 - weightDecay) : updated;
  }

private:
  const OptimizerOptions &options;
  Value stepSize;
};

/// s += g^2; p -= lr / (1 + (t - 1) lr_decay) g / (sqrt(s) + eps). ONNX's Adagrad is the same, T being t - 1.
class AdagradRule : public OptimizerRule {
public:
  AdagradRule(Elementwise &e, const OptimizerOptions &options, Value step, Value learningRate)
      : options(options), stepSize(learningRate) {
    if (options.learningRateDecay != 0.0)
      stepSize = e.div(learningRate, e.plus(e.scale(step, options.learningRateDecay), 1.0));
  }
  Value update(Elementwise &e, Value parameter, Value gradient, double weightDecay, const StateAccess &state) override {
    gradient = addDecay(e, gradient, parameter, weightDecay);
    Value sum = e.add(state.load("sum", options.initialAccumulator), e.mul(gradient, gradient));
    state.store("sum", sum);
    Value ratio = e.div(gradient, e.plus(e.sqrt(sum), options.epsilon));
    return e.sub(parameter, e.mul(ratio, e.spread(stepSize, ratio)));
  }

private:
  const OptimizerOptions &options;
  Value stepSize;
};

} // namespace

std::unique_ptr<OptimizerRule> createOptimizerRule(Elementwise &e, const OptimizerOptions &options, Value step,
                                                   Value learningRate) {
  switch (options.kind) {
  case OptimizerKind::SGD:
    return std::make_unique<SGDRule>(e, options, step, learningRate);
  case OptimizerKind::Adam:
  case OptimizerKind::AdamW:
    if (options.definition == OptimizerDefinition::ONNX)
      return std::make_unique<OnnxAdamRule>(e, options, step, learningRate);
    return std::make_unique<AdamRule>(e, options, step, learningRate);
  case OptimizerKind::Adagrad:
    return std::make_unique<AdagradRule>(e, options, step, learningRate);
  }
  llvm_unreachable("every kind is above");
}

} // namespace tw::differentiate
