// tw-differentiate-update-parameters: learning rate, optimizer and counters at the end of @train.
#include "passes/Differentiate/Passes.h"

#include "passes/Differentiate/OptimizerRules.h"
#include "passes/Differentiate/Schedule.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/GlobPattern.h"

using namespace mlir;

namespace tw::differentiate {

#define GEN_PASS_DEF_UPDATEPARAMETERSPASS
#include "passes/Differentiate/Passes.h.inc"

namespace {

/// Which decay holds for which parameter. Patterns that match nothing are an error.
class WeightDecay {
public:
  LogicalResult initialize(Operation *anchor, const OptimizerOptions &options) {
    fallback = options.weightDecay;
    for (const WeightDecayGroup &group : options.weightDecayGroups) {
      auto glob = llvm::GlobPattern::create(group.pattern);
      if (!glob)
        return anchor->emitError("weight-decay pattern '")
               << group.pattern << "' is not a glob: " << llvm::toString(glob.takeError());
      groups.push_back({group, std::move(*glob), false});
    }
    return success();
  }
  double of(graph::ParameterOp parameter) {
    for (Group &group : groups)
      if (group.glob.match(parameter.getSymName()) || group.glob.match(parameter.getOnnxNameOrSymbol())) {
        group.used = true;
        return group.options.weightDecay;
      }
    return fallback;
  }
  LogicalResult checkUsed(Operation *anchor) {
    for (const Group &group : groups)
      if (!group.used)
        return anchor->emitError("weight-decay pattern '")
               << group.options.pattern << "' matches no parameter that is left to it; remove it or correct it";
    return success();
  }

private:
  struct Group {
    WeightDecayGroup options;
    llvm::GlobPattern glob;
    bool used;
  };
  SmallVector<Group> groups;
  double fallback = 0.0;
};

class TrainUpdate {
public:
  TrainUpdate(func::FuncOp train, const OptimizerOptions &options)
      : train(train), module(train->getParentOfType<ModuleOp>()), options(options),
        builder(train.front().getTerminator()), e(builder, train.getLoc()) {}

  LogicalResult run();

private:
  Value loadStep();
  void countStep();
  void updateOne(OptimizerRule &rule, graph::ParameterOp parameter, Value gradient, double weightDecay);
  graph::ParameterOp declare(StringRef name, Type type, graph::Role role, double fill);

  func::FuncOp train;
  ModuleOp module;
  const OptimizerOptions &options;
  OpBuilder builder;
  Elementwise e;
};

} // namespace

/// The module's parameter of that name, made if there is none.
graph::ParameterOp TrainUpdate::declare(StringRef name, Type type, graph::Role role, double fill) {
  if (auto found = module.lookupSymbol<graph::ParameterOp>(name))
    return found;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(train);
  return graph::ParameterOp::create(builder, train.getLoc(), name, type, role, /*file=*/StringAttr(),
                                    /*offset=*/IntegerAttr(), /*length=*/IntegerAttr(), /*value=*/ElementsAttr(),
                                    builder.getF64FloatAttr(fill), /*copy_of=*/FlatSymbolRefAttr(),
                                    /*onnx_name=*/StringAttr());
}

/// @step as rank-0 f64.
Value TrainUpdate::loadStep() {
  auto type = RankedTensorType::get({}, builder.getI64Type());
  declare("step", type, graph::Role::Counter, 0.0);
  Value step = graph::LoadOp::create(builder, train.getLoc(), type, "step");
  return arith::SIToFPOp::create(builder, train.getLoc(), type.clone(builder.getF64Type()), step);
}

void TrainUpdate::countStep() {
  auto type = RankedTensorType::get({}, builder.getI64Type());
  Value step = graph::LoadOp::create(builder, train.getLoc(), type, "step");
  Value one = arith::ConstantOp::create(builder, train.getLoc(),
                                        DenseElementsAttr::get(type, builder.getI64IntegerAttr(1).getValue()));
  Value next = arith::AddIOp::create(builder, train.getLoc(), step, one);
  graph::StoreOp::create(builder, train.getLoc(), next, "step");
}

void TrainUpdate::updateOne(OptimizerRule &rule, graph::ParameterOp parameter, Value gradient, double weightDecay) {
  Type type = parameter.getTensorType();
  Location location = parameter.getLoc();
  Elementwise local(builder, location);
  auto nameOf = [&](StringRef kind) { return ("optimizer/" + kind + "/" + parameter.getSymName()).str(); };
  auto load = [&](StringRef kind, double fill) -> Value {
    declare(nameOf(kind), type, graph::Role::Optimizer, fill);
    return graph::LoadOp::create(builder, location, type, nameOf(kind));
  };
  auto store = [&](StringRef kind, Value value) { graph::StoreOp::create(builder, location, value, nameOf(kind)); };
  Value value = graph::LoadOp::create(builder, location, type, parameter.getSymName());
  Value updated = rule.update(local, value, gradient, weightDecay, {load, store});
  graph::StoreOp::create(builder, location, updated, parameter.getSymName());
}

LogicalResult TrainUpdate::run() {
  SmallVector<NamedResult> results = getNamedResults(train);
  SmallVector<Gradient> gradients = getGradients(results, kClippedPrefix);
  if (gradients.empty())
    gradients = getGradients(results, kGradientPrefix);
  if (gradients.empty())
    return train.emitError("@train has no result named gradient/...; run tw-differentiate-build-backward first");
  WeightDecay weightDecay;
  if (failed(weightDecay.initialize(train, options)))
    return failure();
  Value step = loadStep();
  Value learningRate = buildLearningRate(e, step, options);
  auto rule = createOptimizerRule(e, options, step, learningRate);
  for (const Gradient &gradient : gradients) {
    auto parameter = module.lookupSymbol<graph::ParameterOp>(gradient.parameter);
    if (!parameter)
      return train.emitError("result gradient/") << gradient.parameter << " has no parameter of that name";
    updateOne(*rule, parameter, gradient.value, weightDecay.of(parameter));
  }
  countStep();
  results.insert(results.begin() + 1, {"learning_rate", e.convert(learningRate, builder.getF32Type())});
  setNamedResults(train, results);
  return weightDecay.checkUsed(train);
}

namespace {
struct UpdateParametersPass : impl::UpdateParametersPassBase<UpdateParametersPass> {
  using UpdateParametersPassBase::UpdateParametersPassBase;
  void runOnOperation() override {
    func::FuncOp train = lookupTrain(getOperation());
    OptimizerOptions options;
    if (!train || failed(readOptions(options)) || failed(TrainUpdate(train, options).run()))
      signalPassFailure();
  }

private:
  LogicalResult readOptions(OptimizerOptions &options);
  LogicalResult readSchedule(ScheduleOptions &options);
  LogicalResult readGroups(OptimizerOptions &options);
};
} // namespace

/// Looks `text` up among the spellings of an enumeration.
template <typename Kind>
static LogicalResult parseChoice(Operation *anchor, StringRef option, StringRef text,
                                 ArrayRef<std::pair<StringRef, Kind>> choices, Kind &kind) {
  for (const auto &[name, value] : choices)
    if (name == text) {
      kind = value;
      return success();
    }
  InFlightDiagnostic error = anchor->emitError("option ") << option << " must be one of ";
  llvm::interleaveComma(choices, error, [&](const auto &choice) { error << choice.first; });
  return error << ", but is '" << text << "'";
}

LogicalResult UpdateParametersPass::readGroups(OptimizerOptions &options) {
  for (const std::string &text : weightDecayGroups) {
    auto [pattern, value] = StringRef(text).rsplit('=');
    WeightDecayGroup group{pattern.str(), 0.0};
    if (value.empty() || value.getAsDouble(group.weightDecay))
      return getOperation().emitError("weight-decay group '") << text << "' is not of the form pattern=decay";
    options.weightDecayGroups.push_back(group);
  }
  return success();
}

LogicalResult UpdateParametersPass::readSchedule(ScheduleOptions &options) {
  options.warmupSteps = warmupSteps;
  options.totalSteps = totalSteps;
  options.warmupMinLearningRate = warmupMinLearningRate;
  options.warmupMaxLearningRate = warmupMaxLearningRate;
  options.warmupMinRatio = warmupMinRatio;
  options.cosineMinRatio = cosineMinRatio;
  if (failed(parseChoice<WarmupKind>(getOperation(), "warmup", warmup,
                                     {{"log", WarmupKind::Log}, {"linear", WarmupKind::Linear}}, options.warmup)) ||
      failed(parseChoice<ScheduleKind>(getOperation(), "schedule", schedule,
                                       {{"constant", ScheduleKind::Constant},
                                        {"WarmupLR", ScheduleKind::WarmupLR},
                                        {"WarmupDecayLR", ScheduleKind::WarmupDecayLR},
                                        {"WarmupCosineLR", ScheduleKind::WarmupCosineLR}},
                                       options.kind)))
    return failure();
  bool decays = options.kind == ScheduleKind::WarmupDecayLR || options.kind == ScheduleKind::WarmupCosineLR;
  if (decays && options.totalSteps <= 0)
    return getOperation().emitError("schedule ") << schedule.getValue() << " needs a positive total-steps";
  return success();
}

LogicalResult UpdateParametersPass::readOptions(OptimizerOptions &options) {
  options.learningRate = learningRate;
  options.weightDecay = weightDecay;
  options.beta1 = beta1;
  options.beta2 = beta2;
  options.epsilon = epsilon;
  options.momentum = momentum;
  options.dampening = dampening;
  options.nesterov = nesterov;
  options.initialAccumulator = initialAccumulator;
  options.learningRateDecay = learningRateDecay;
  if (failed(parseChoice<OptimizerDefinition>(
          getOperation(), "definition", definition,
          {{"pytorch", OptimizerDefinition::PyTorch}, {"onnx", OptimizerDefinition::ONNX}}, options.definition)))
    return failure();
  bool dampens = dampening != 0 && options.definition == OptimizerDefinition::PyTorch;
  if (nesterov && (momentum <= 0 || dampens))
    return getOperation().emitError("Nesterov's momentum needs a positive momentum and no dampening");
  if (failed(parseChoice<OptimizerKind>(getOperation(), "optimizer", optimizer,
                                        {{"sgd", OptimizerKind::SGD},
                                         {"adam", OptimizerKind::Adam},
                                         {"adamw", OptimizerKind::AdamW},
                                         {"adagrad", OptimizerKind::Adagrad}},
                                        options.kind)))
    return failure();
  return success(succeeded(readSchedule(options.schedule)) && succeeded(readGroups(options)));
}

static StringRef nameOf(OptimizerKind kind) {
  switch (kind) {
  case OptimizerKind::SGD:
    return "sgd";
  case OptimizerKind::Adam:
    return "adam";
  case OptimizerKind::AdamW:
    return "adamw";
  case OptimizerKind::Adagrad:
    return "adagrad";
  }
  llvm_unreachable("every kind is above");
}
static StringRef nameOf(ScheduleKind kind) {
  switch (kind) {
  case ScheduleKind::Constant:
    return "constant";
  case ScheduleKind::WarmupLR:
    return "WarmupLR";
  case ScheduleKind::WarmupDecayLR:
    return "WarmupDecayLR";
  case ScheduleKind::WarmupCosineLR:
    return "WarmupCosineLR";
  }
  llvm_unreachable("every kind is above");
}

std::unique_ptr<Pass> createUpdateParametersPass(const OptimizerOptions &options) {
  UpdateParametersPassOptions result;
  result.optimizer = nameOf(options.kind).str();
  result.definition = options.definition == OptimizerDefinition::ONNX ? "onnx" : "pytorch";
  result.learningRate = options.learningRate;
  result.weightDecay = options.weightDecay;
  for (const WeightDecayGroup &group : options.weightDecayGroups)
    result.weightDecayGroups.push_back(llvm::formatv("{0}={1:e17}", group.pattern, group.weightDecay).str());
  result.beta1 = options.beta1;
  result.beta2 = options.beta2;
  result.epsilon = options.epsilon;
  result.momentum = options.momentum;
  result.dampening = options.dampening;
  result.nesterov = options.nesterov;
  result.initialAccumulator = options.initialAccumulator;
  result.learningRateDecay = options.learningRateDecay;
  result.schedule = nameOf(options.schedule.kind).str();
  result.warmup = options.schedule.warmup == WarmupKind::Log ? "log" : "linear";
  result.warmupSteps = options.schedule.warmupSteps;
  result.totalSteps = options.schedule.totalSteps;
  result.warmupMinLearningRate = options.schedule.warmupMinLearningRate;
  result.warmupMaxLearningRate = options.schedule.warmupMaxLearningRate;
  result.warmupMinRatio = options.schedule.warmupMinRatio;
  result.cosineMinRatio = options.schedule.cosineMinRatio;
  return createUpdateParametersPass(std::move(result));
}

} // namespace tw::differentiate
