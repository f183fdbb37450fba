// tw-adapt-attach-loss: @main becomes @forward, @evaluate and @loss_weight.
#include "passes/Adapt/Passes.h"

#include "passes/Adapt/Loss.h"
#include "passes/Adapt/NearNames.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tw::adapt {

#define GEN_PASS_DEF_ATTACHLOSSPASS
#include "passes/Adapt/Passes.h.inc"

namespace {

constexpr llvm::StringLiteral kName = "graph.name";

std::string argumentName(func::FuncOp function, unsigned index) {
  auto name = function.getArgAttrOfType<StringAttr>(index, kName);
  return name ? name.str() : std::string();
}

std::string resultName(func::FuncOp function, unsigned index) {
  auto name = function.getResultAttrOfType<StringAttr>(index, kName);
  return name ? name.str() : std::string();
}

/// What attaching needs to know of @main.
struct Plan {
  LossOptions options;
  unsigned output = 0; // result that the loss is about
  int64_t labels = -1; // argument that holds the labels; -1: a new one
  RankedTensorType outputType, labelsType;
  SmallVector<unsigned> kept; // results that stay
};

FailureOr<unsigned> findOutput(func::FuncOp main, StringRef wanted, StringRef what) {
  std::vector<std::string> names;
  for (unsigned i = 0; i < main.getNumResults(); ++i) {
    names.push_back(resultName(main, i));
    if (names.back() == wanted)
      return i;
  }
  if (wanted.empty() && names.size() == 1)
    return 0u;
  if (wanted.empty())
    return main.emitError("the model has ")
           << names.size() << " outputs (" << llvm::join(names, ", ") << "): name the one that the loss is about";
  return main.emitError("the model has no output '") << wanted << "' for " << what << nearNames(wanted, names);
}

FailureOr<Plan> makePlan(func::FuncOp main, const LossOptions &options, ArrayRef<std::string> outputs) {
  Plan plan;
  plan.options = options;
  auto output = findOutput(main, options.output, "the loss");
  if (failed(output))
    return failure();
  plan.output = *output;
  plan.options.output = resultName(main, *output);
  plan.outputType = cast<RankedTensorType>(main.getResultTypes()[*output]);
  auto labels = labelsType(plan.options, plan.outputType, main.getLoc());
  if (failed(labels))
    return failure();
  plan.labelsType = *labels;
  for (const std::string &name : outputs) {
    auto kept = findOutput(main, name, "keeping");
    if (failed(kept))
      return failure();
    plan.kept.push_back(*kept);
  }
  if (outputs.empty())
    llvm::append_range(plan.kept, llvm::seq<unsigned>(0, main.getNumResults()));
  if (options.kind == LossKind::Output)
    return plan;
  for (unsigned i = 0; i < main.getNumArguments(); ++i)
    if (argumentName(main, i) == options.labels)
      plan.labels = i;
  if (plan.labels < 0)
    for (auto parameter : main->getParentOfType<ModuleOp>().getOps<graph::ParameterOp>())
      if (parameter.getSymName() == options.labels || parameter.getOnnxNameOrSymbol() == options.labels)
        return main.emitError("the loss's labels are named '")
               << options.labels << "', which is a parameter of the model; name an input, or what is no name yet";
  if (plan.labels >= 0 && main.getArgumentTypes()[plan.labels] != plan.labelsType)
    return main.emitError("input '") << options.labels << "' is " << main.getArgumentTypes()[plan.labels]
                                     << ", but as labels it has to be " << plan.labelsType;
  return plan;
}

/// The labels of a function that has @main's arguments: one of these, or a new one at the end.
Value labelsOf(func::FuncOp function, const Plan &plan) {
  if (plan.options.kind == LossKind::Output)
    return {};
  if (plan.labels >= 0)
    return function.getArgument(plan.labels);
  unsigned index = function.getNumArguments();
  Builder builder(function.getContext());
  auto attributes = builder.getDictionaryAttr(builder.getNamedAttr(kName, builder.getStringAttr(plan.options.labels)));
  (void)function.insertArgument(index, plan.labelsType, attributes, function.getLoc());
  return function.getArgument(index);
}

void setResults(func::FuncOp function, ArrayRef<std::pair<std::string, Value>> results) {
  Operation *end = function.front().getTerminator();
  SmallVector<Type> types;
  SmallVector<Value> values;
  for (const auto &[name, value] : results) {
    values.push_back(value);
    types.push_back(value.getType());
  }
  end->setOperands(values);
  // The attributes of old results go with them.
  function.setResAttrsAttr({});
  function.setFunctionType(FunctionType::get(function.getContext(), function.getArgumentTypes(), types));
  Builder builder(function.getContext());
  for (auto [i, result] : llvm::enumerate(results))
    function.setResultAttr(i, kName, builder.getStringAttr(result.first));
}

Location lossLocation(MLIRContext *context) {
  return NameLoc::get(StringAttr::get(context, "loss"), NameLoc::get(StringAttr::get(context, "Loss")));
}

func::FuncOp cloneMain(func::FuncOp main, StringRef name) {
  OpBuilder builder(main);
  auto clone = cast<func::FuncOp>(builder.clone(*main));
  clone.setName(name);
  return clone;
}

void finish(func::FuncOp function, const Plan &plan, bool withWeight) {
  Location location = lossLocation(function.getContext());
  SmallVector<std::string> names;
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    names.push_back(resultName(function, i));
  Value labels = labelsOf(function, plan);
  Operation *end = function.front().getTerminator();
  OpBuilder builder(end);
  Value output = end->getOperand(plan.output);
  SmallVector<std::pair<std::string, Value>> results;
  results.push_back({"loss_sum", buildLossSum(plan.options, output, labels, builder, location)});
  if (withWeight)
    results.push_back({"loss_weight", buildLossWeight(plan.options, plan.outputType, labels, builder, location)});
  for (unsigned kept : plan.kept)
    results.push_back({names[kept], end->getOperand(kept)});
  setResults(function, results);
}

/// Batch norms use their running statistics, dropouts let everything through.
LogicalResult useInferenceMode(func::FuncOp function) {
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) {
    if (isa<graph::BatchNormTrainingOp, graph::DropoutOp, graph::AttentionOp>(op))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    if (auto dropout = dyn_cast<graph::DropoutOp>(op)) {
      dropout.getResult().replaceAllUsesWith(dropout.getInput());
      dropout.erase();
      continue;
    }
    if (auto attention = dyn_cast<graph::AttentionOp>(op)) {
      attention.removeDropout();
      continue;
    }
    auto norm = cast<graph::BatchNormTrainingOp>(op);
    auto mean = norm->getAttrOfType<FlatSymbolRefAttr>("running_mean");
    auto variance = norm->getAttrOfType<FlatSymbolRefAttr>("running_variance");
    if (!mean || !variance || !norm.getMean().use_empty() || !norm.getVariance().use_empty())
      return norm.emitError("cannot be evaluated by running statistics: running_mean and running_variance are missing, "
                            "or the batch's statistics are used");
    OpBuilder builder(norm);
    Type type = norm.getMean().getType();
    Value means = graph::LoadOp::create(builder, norm.getLoc(), type, mean);
    Value variances = graph::LoadOp::create(builder, norm.getLoc(), type, variance);
    Value result = graph::BatchNormOp::create(builder, norm.getLoc(), norm.getResult().getType(), norm.getInput(),
                                              norm.getScale(), norm.getBias(), means, variances, norm.getEpsilon());
    norm.getResult().replaceAllUsesWith(result);
    norm.erase();
  }
  return success();
}

/// Removes what no result needs.
void eraseDeadOps(func::FuncOp function) {
  bool changed = true;
  while (changed) {
    changed = false;
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(function.front())))
      if (isOpTriviallyDead(&op)) {
        op.erase();
        changed = true;
      }
  }
}

void makeLossWeight(func::FuncOp main, const Plan &plan) {
  func::FuncOp function = cloneMain(main, "loss_weight");
  Value labels = labelsOf(function, plan);
  OpBuilder builder(function.front().getTerminator());
  Location location = lossLocation(function.getContext());
  setResults(function, {{"loss_weight", buildLossWeight(plan.options, plan.outputType, labels, builder, location)}});
  eraseDeadOps(function);
}

LogicalResult attachLoss(ModuleOp module, const LossOptions &options, ArrayRef<std::string> outputs) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main || !main.getBody().hasOneBlock())
    return module.emitError("there is no function @main to attach a loss to");
  auto plan = makePlan(main, options, outputs);
  if (failed(plan))
    return failure();
  func::FuncOp forward = cloneMain(main, "forward"), evaluate = cloneMain(main, "evaluate");
  finish(forward, *plan, /*withWeight=*/false);
  finish(evaluate, *plan, /*withWeight=*/true);
  makeLossWeight(main, *plan);
  if (failed(useInferenceMode(evaluate)))
    return failure();
  main.erase();
  eraseDeadOps(forward);
  eraseDeadOps(evaluate);
  return success();
}

std::optional<LossKind> kindNamed(StringRef name) {
  return llvm::StringSwitch<std::optional<LossKind>>(name)
      .Case("cross_entropy", LossKind::CrossEntropy)
      .Case("binary_cross_entropy", LossKind::BinaryCrossEntropy)
      .Case("mse", LossKind::MeanSquaredError)
      .Case("l1", LossKind::MeanAbsoluteError)
      .Case("output", LossKind::Output)
      .Default(std::nullopt);
}

struct AttachLossPass : impl::AttachLossPassBase<AttachLossPass> {
  using AttachLossPassBase::AttachLossPassBase;
  void runOnOperation() override {
    LossOptions options;
    auto kind = kindNamed(loss);
    if (!kind) {
      getOperation().emitError("there is no loss '")
          << loss << "'" << nearNames(loss, {"cross_entropy", "binary_cross_entropy", "mse", "l1", "output"});
      return signalPassFailure();
    }
    options.kind = *kind;
    options.output = output;
    options.labels = labels;
    options.ignoreIndex = ignoreIndex;
    options.labelSmoothing = labelSmoothing;
    options.classAxis = classAxis;
    options.fromLogits = fromLogits;
    if (failed(attachLoss(getOperation(), options, SmallVector<std::string>(outputs.begin(), outputs.end()))))
      signalPassFailure();
  }
};

StringRef nameOf(LossKind kind) {
  switch (kind) {
  case LossKind::CrossEntropy:
    return "cross_entropy";
  case LossKind::BinaryCrossEntropy:
    return "binary_cross_entropy";
  case LossKind::MeanSquaredError:
    return "mse";
  case LossKind::MeanAbsoluteError:
    return "l1";
  case LossKind::Output:
    return "output";
  }
  return "";
}

} // namespace

std::unique_ptr<Pass> createAttachLossPass(const LossOptions &options, ArrayRef<std::string> outputs) {
  AttachLossPassOptions flags;
  flags.loss = nameOf(options.kind).str();
  flags.output = options.output;
  flags.labels = options.labels;
  flags.ignoreIndex = options.ignoreIndex;
  flags.labelSmoothing = options.labelSmoothing;
  flags.classAxis = options.classAxis;
  flags.fromLogits = options.fromLogits;
  flags.outputs.assign(outputs.begin(), outputs.end());
  return createAttachLossPass(flags);
}

} // namespace tw::adapt
