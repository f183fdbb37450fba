#include "compiler/Recipe/ReadParts.h"

#include <cmath>

namespace tw::recipe {

static void readBetas(ObjectReader &params, Optimizer &optimizer) {
  const nlohmann::json *betas = params.find("betas");
  if (!betas)
    return;
  auto valid = [](const nlohmann::json &beta) {
    return beta.is_number() && beta.get<double>() >= 0 && beta.get<double>() < 1;
  };
  if (!betas->is_array() || betas->size() != 2 || !valid((*betas)[0]) || !valid((*betas)[1]))
    return params.problem("'" + params.pathOf("betas") + "' must be two numbers from 0 to below 1, found " +
                          betas->dump());
  optimizer.beta1 = (*betas)[0].get<double>();
  optimizer.beta2 = (*betas)[1].get<double>();
}

static bool isOnnx(const Optimizer &optimizer) {
  return optimizer.definition == Optimizer::Definition::ONNX;
}

static void readAdam(ObjectReader &params, Optimizer &optimizer, bool decoupled) {
  bool adamWMode = true, torchAdam = false, biasCorrection = true, amsgrad = false;
  if (isOnnx(optimizer))
    optimizer.eps = 1e-6;
  readBetas(params, optimizer);
  params.number("eps", optimizer.eps, 0);
  params.boolean("torch_adam", torchAdam); // which implementation DeepSpeed takes: no difference here
  params.boolean("bias_correction", biasCorrection);
  params.boolean("amsgrad", amsgrad);
  if (!decoupled)
    params.boolean("adam_w_mode", adamWMode);
  optimizer.kind = decoupled || adamWMode ? Optimizer::Kind::AdamW : Optimizer::Kind::Adam;
  if (!biasCorrection)
    params.problem("not supported yet: '" + params.pathOf("bias_correction") + "' false");
  if (amsgrad)
    params.problem("not supported yet: '" + params.pathOf("amsgrad") + "'");
}

static void readMomentum(ObjectReader &params, Optimizer &optimizer) {
  optimizer.kind = Optimizer::Kind::SGD;
  params.number("momentum", optimizer.momentum, 0);
  params.number("dampening", optimizer.dampening, 0);
  params.boolean("nesterov", optimizer.nesterov);
  if (optimizer.nesterov && optimizer.momentum <= 0)
    params.problem("'" + params.pathOf("nesterov") + "' needs a momentum above 0");
  if (optimizer.nesterov && optimizer.dampening != 0 && !isOnnx(optimizer))
    params.problem("'" + params.pathOf("nesterov") + "' needs no dampening, unless the definition is ONNX's");
}

static void readAdagrad(ObjectReader &params, Optimizer &optimizer) {
  optimizer.kind = Optimizer::Kind::Adagrad;
  optimizer.eps = isOnnx(optimizer) ? 1e-6 : 1e-10;
  params.number("eps", optimizer.eps, 0);
  params.number("initial_accumulator_value", optimizer.initialAccumulator, 0);
  params.number("lr_decay", optimizer.lrDecay, 0);
}

void readOptimizer(ObjectReader &top, Optimizer &optimizer) {
  std::optional<ObjectReader> object = top.object("optimizer");
  if (!object)
    return;
  enum Type { SGD, Momentum, Nesterov, Adam, AdamW, Adagrad } type = SGD;
  if (!object->find("type"))
    object->problem("'optimizer.type' is missing: one of SGD, Momentum, Nesterov, Adam, AdamW, Adagrad");
  object->choice("type", type, {"SGD", "Momentum", "Nesterov", "Adam", "AdamW", "Adagrad"});
  static const nlohmann::json none = nlohmann::json::object();
  Problems unused;
  std::optional<ObjectReader> given = object->object("params");
  ObjectReader params = given.value_or(ObjectReader(none, "optimizer.params", unused));
  if (type == Adagrad)
    optimizer.lr = 1e-2;
  if (type == AdamW && !isOnnx(optimizer))
    optimizer.weightDecay = 1e-2;
  params.number("lr", optimizer.lr, 0);
  params.number("weight_decay", optimizer.weightDecay, 0);
  if (type == Momentum || type == Nesterov)
    optimizer.momentum = 0.9;
  optimizer.nesterov = type == Nesterov;
  if (type == Adam || type == AdamW)
    readAdam(params, optimizer, type == AdamW);
  else if (type == Adagrad)
    readAdagrad(params, optimizer);
  else
    readMomentum(params, optimizer);
  params.finish();
  object->finish();
}

void readScheduler(ObjectReader &top, Scheduler &scheduler) {
  std::optional<ObjectReader> object = top.object("scheduler");
  if (!object)
    return;
  object->choice("type", scheduler.kind, {"Constant", "WarmupLR", "WarmupDecayLR", "WarmupCosineLR"});
  if (std::optional<ObjectReader> params = object->object("params")) {
    using Kind = Scheduler::Kind;
    bool total = scheduler.kind == Kind::WarmupDecayLR || scheduler.kind == Kind::WarmupCosineLR;
    if (scheduler.kind != Kind::Constant)
      params->integer("warmup_num_steps", scheduler.warmupSteps, 0);
    if (total)
      params->integer("total_num_steps", scheduler.totalSteps, 1);
    if (scheduler.kind == Kind::WarmupCosineLR) {
      params->number("warmup_min_ratio", scheduler.warmupMinRatio, 0, 1);
      params->number("cos_min_ratio", scheduler.cosineMinRatio, 0, 1);
    } else if (scheduler.kind != Kind::Constant) {
      params->number("warmup_min_lr", scheduler.warmupMinLr, 0);
      params->number("warmup_max_lr", scheduler.warmupMaxLr, 0);
    }
    if (scheduler.kind != Kind::Constant)
      params->choice("warmup_type", scheduler.linearWarmup, {"log", "linear"});
    params->finish();
    if (total && !params->find("total_num_steps"))
      params->problem("'scheduler.params.total_num_steps' is missing: after how many steps the decay ends");
  } else if (scheduler.kind == Scheduler::Kind::WarmupDecayLR || scheduler.kind == Scheduler::Kind::WarmupCosineLR) {
    object->problem("'scheduler.params.total_num_steps' is missing: after how many steps the decay ends");
  }
  object->finish();
}

} // namespace tw::recipe
