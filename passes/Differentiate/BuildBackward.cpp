// tw-differentiate-build-backward: @train from @forward.
#include "passes/Differentiate/Passes.h"

#include "compiler/Autodiff/ReverseMode.h"
#include "passes/Differentiate/NamedResults.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tw::differentiate {

#define GEN_PASS_DEF_BUILDBACKWARDPASS
#include "passes/Differentiate/Passes.h.inc"

namespace {

/// Batch norm's running statistics while the step runs: the present value of every buffer.
using Buffers = llvm::MapVector<StringAttr, Value>;

constexpr StringLiteral kRunningMean = "running_mean", kRunningVariance = "running_variance", kMomentum = "momentum";

/// What one pass over a (micro-)batch gives.
struct StepValues {
  Value lossSum;
  SmallVector<Value> outputs;
  SmallVector<Value> gradients; ///< one for each entry of TrainBuilder::differentiated
};

class TrainBuilder {
public:
  TrainBuilder(ModuleOp module, func::FuncOp forward, func::FuncOp lossWeight, int64_t microBatches)
      : module(module), forward(forward), lossWeight(lossWeight), microBatches(microBatches), builder(module) {}

  LogicalResult run();

private:
  LogicalResult checkForward();
  void createFunction();
  Value buildLossWeight();
  LogicalResult buildSingle(Value seed, StepValues &values);
  LogicalResult buildAccumulation(Value seed, StepValues &values);
  LogicalResult buildBody(Block *body, Value seed, Buffers &buffers, StepValues &values);
  LogicalResult buildStep(ValueRange arguments, Value microBatch, Value seed, Buffers &buffers, StepValues &values);
  LogicalResult buildGradients(ArrayRef<Operation *> body, Value seed, StepValues &values);
  LogicalResult reportUnreached(ArrayRef<graph::ParameterOp> unreached);
  void shiftDropout(ArrayRef<Operation *> body, Value microBatch);
  void updateRunningStatistics(ArrayRef<Operation *> body, Buffers &buffers);
  Buffers loadBuffers();
  SmallVector<Value> inlineBody(func::FuncOp function, ValueRange arguments, SmallVectorImpl<Operation *> &ops);
  Value splat(Type type, double value);

  ModuleOp module;
  func::FuncOp forward, lossWeight, train;
  int64_t microBatches;
  OpBuilder builder;
  SmallVector<graph::ParameterOp> differentiated;
};

} // namespace

/// [micro_batches, shape...]
static RankedTensorType stackedType(Type type, int64_t microBatches) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape{microBatches};
  llvm::append_range(shape, tensor.getShape());
  return tensor.clone(shape);
}

Value TrainBuilder::splat(Type type, double value) {
  auto tensor = cast<RankedTensorType>(type);
  Attribute element = isa<FloatType>(tensor.getElementType())
                          ? Attribute(FloatAttr::get(tensor.getElementType(), value))
                          : Attribute(IntegerAttr::get(tensor.getElementType(), static_cast<int64_t>(value)));
  return arith::ConstantOp::create(builder, forward.getLoc(), DenseElementsAttr::get(tensor, element));
}

LogicalResult TrainBuilder::checkForward() {
  auto isScalar = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.getRank() == 0 && isa<FloatType>(tensor.getElementType());
  };
  if (forward.getNumResults() == 0 || !isScalar(forward.getResultTypes().front()))
    return forward.emitError("@forward must return the loss's sum, a rank-0 float tensor, first");
  if (lossWeight.getArgumentTypes() != forward.getArgumentTypes() ||
      lossWeight.getResultTypes() != forward.getResultTypes().take_front())
    return lossWeight.emitError("@loss_weight must have @forward's arguments and return one value of the loss's type");
  return success();
}

void TrainBuilder::createFunction() {
  SmallVector<Type> arguments(forward.getArgumentTypes());
  if (microBatches > 1)
    for (Type &type : arguments)
      type = stackedType(type, microBatches);
  builder.setInsertionPoint(forward);
  train = func::FuncOp::create(builder, forward.getLoc(), "train", builder.getFunctionType(arguments, {}));
  if (ArrayAttr attributes = forward.getArgAttrsAttr())
    train.setArgAttrsAttr(attributes);
  builder.setInsertionPointToStart(train.addEntryBlock());
}

SmallVector<Value> TrainBuilder::inlineBody(func::FuncOp function, ValueRange arguments,
                                            SmallVectorImpl<Operation *> &ops) {
  IRMapping mapping;
  mapping.map(function.getArguments(), arguments);
  for (Operation &op : function.front().without_terminator())
    ops.push_back(builder.clone(op, mapping));
  return llvm::map_to_vector(function.front().getTerminator()->getOperands(),
                             [&](Value value) { return mapping.lookupOrDefault(value); });
}

/// max(sum of loss_weight over all micro-batches, 1).
Value TrainBuilder::buildLossWeight() {
  Location location = lossWeight.getLoc();
  Type type = lossWeight.getResultTypes().front();
  SmallVector<Operation *> ops;
  Value weight;
  bool isConstant = llvm::all_of(lossWeight.getArguments(), [](Value argument) { return argument.use_empty(); });
  if (microBatches == 1 || isConstant) {
    weight = inlineBody(lossWeight, microBatches == 1 ? ValueRange(train.getArguments()) : ValueRange(), ops).front();
    if (microBatches > 1)
      weight = arith::MulFOp::create(builder, location, weight, splat(type, microBatches));
  } else {
    auto loop = graph::AccumulateOp::create(builder, location, TypeRange(type), TypeRange(), TypeRange(),
                                            train.getArguments(), ValueRange(), microBatches);
    OpBuilder::InsertionGuard guard(builder);
    Block *body = builder.createBlock(&loop.getBody());
    body->addArgument(RankedTensorType::get({}, builder.getI64Type()), location);
    for (Type argument : forward.getArgumentTypes())
      body->addArgument(argument, location);
    Value part = inlineBody(lossWeight, body->getArguments().drop_front(), ops).front();
    graph::YieldOp::create(builder, location, part, ValueRange(), ValueRange());
    weight = loop.getSums().front();
  }
  return arith::MaximumFOp::create(builder, location, weight, splat(type, 1.0));
}

/// Row r of micro-batch i is row i * rows + r of the whole batch.
void TrainBuilder::shiftDropout(ArrayRef<Operation *> body, Value microBatch) {
  for (Operation *op : body) {
    OpOperand *row = nullptr;
    if (auto dropout = dyn_cast<graph::DropoutOp>(op))
      row = &dropout.getRowMutable();
    else if (auto attention = dyn_cast<graph::AttentionOp>(op); attention && !attention.getRandom().empty())
      row = &op->getOpOperand(op->getNumOperands() - 1);
    if (!row)
      continue;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(op);
    Location location = op->getLoc();
    Value rows = splat(microBatch.getType(), cast<RankedTensorType>(op->getResultTypes().front()).getDimSize(0));
    Value first = arith::MulIOp::create(builder, location, microBatch, rows);
    row->set(arith::AddIOp::create(builder, location, first, row->get()));
  }
}

/// running = running * momentum + batch * (1 - momentum), ONNX's definition, with the biased variance of the batch.
void TrainBuilder::updateRunningStatistics(ArrayRef<Operation *> body, Buffers &buffers) {
  for (Operation *op : body) {
    auto norm = dyn_cast<graph::BatchNormTrainingOp>(op);
    auto momentum = norm ? norm->getAttrOfType<FloatAttr>(kMomentum) : FloatAttr();
    if (!momentum)
      continue;
    auto update = [&](StringRef attribute, Value batch) {
      auto buffer = norm->getAttrOfType<FlatSymbolRefAttr>(attribute);
      if (!buffer)
        return;
      Location location = norm.getLoc();
      double kept = momentum.getValueAsDouble();
      Value &running = buffers[buffer.getAttr()];
      Value old = arith::MulFOp::create(builder, location, running, splat(batch.getType(), kept));
      Value fresh = arith::MulFOp::create(builder, location, batch, splat(batch.getType(), 1.0 - kept));
      running = arith::AddFOp::create(builder, location, old, fresh);
      norm->removeAttr(attribute);
    };
    update(kRunningMean, norm.getMean());
    update(kRunningVariance, norm.getVariance());
    norm->removeAttr(kMomentum);
  }
}

/// The value at the step's start of every buffer that batch norms of @forward update.
Buffers TrainBuilder::loadBuffers() {
  Buffers buffers;
  forward.walk([&](graph::BatchNormTrainingOp norm) {
    for (auto [attribute, statistic] :
         {std::pair(kRunningMean, norm.getMean()), {kRunningVariance, norm.getVariance()}})
      if (auto buffer = norm->getAttrOfType<FlatSymbolRefAttr>(attribute);
          buffer && !buffers.contains(buffer.getAttr()))
        buffers[buffer.getAttr()] = graph::LoadOp::create(builder, norm.getLoc(), statistic.getType(), buffer);
  });
  return buffers;
}

LogicalResult TrainBuilder::reportUnreached(ArrayRef<graph::ParameterOp> unreached) {
  if (differentiated.empty())
    return forward.emitError("no trainable parameter has a path to the loss; nothing can be trained");
  for (graph::ParameterOp parameter : unreached)
    parameter.emitWarning("trainable parameter '")
        << parameter.getSymName() << "' has no path to the loss and stays as it is; freeze it to silence this";
  return success();
}

LogicalResult TrainBuilder::buildGradients(ArrayRef<Operation *> body, Value seed, StepValues &values) {
  llvm::MapVector<Operation *, SmallVector<unsigned>> loadsOf;
  for (auto parameter : module.getOps<graph::ParameterOp>())
    if (parameter.getRole() == graph::Role::Trainable)
      loadsOf[parameter] = {};
  SmallVector<Value> sources;
  for (Operation *op : body)
    if (auto load = dyn_cast<graph::LoadOp>(op)) {
      auto found = loadsOf.find(module.lookupSymbol(load.getParameter()));
      if (found == loadsOf.end())
        continue;
      found->second.push_back(sources.size());
      sources.push_back(load);
    }
  autodiff::Paths paths(sources, values.lossSum);
  if (failed(autodiff::verifyDifferentiable(forward, paths)))
    return failure();
  auto cotangents = autodiff::buildReverse(builder, sources, values.lossSum, seed, paths);
  if (failed(cotangents))
    return failure();
  SmallVector<graph::ParameterOp> unreached;
  for (auto &[parameter, loads] : loadsOf) {
    Value gradient; // tied weights: the sum over all loads
    for (unsigned load : loads)
      if (Value part = (*cotangents)[load])
        gradient = gradient ? arith::AddFOp::create(builder, part.getLoc(), gradient, part).getResult() : part;
    if (!gradient) {
      unreached.push_back(cast<graph::ParameterOp>(parameter));
      continue;
    }
    differentiated.push_back(cast<graph::ParameterOp>(parameter));
    values.gradients.push_back(gradient);
  }
  return reportUnreached(unreached);
}

LogicalResult TrainBuilder::buildStep(ValueRange arguments, Value microBatch, Value seed, Buffers &buffers,
                                      StepValues &values) {
  SmallVector<Operation *> body;
  SmallVector<Value> results = inlineBody(forward, arguments, body);
  if (microBatch)
    shiftDropout(body, microBatch);
  values.lossSum = results.front();
  values.outputs.assign(std::next(results.begin()), results.end());
  updateRunningStatistics(body, buffers);
  return buildGradients(body, seed, values);
}

LogicalResult TrainBuilder::buildSingle(Value seed, StepValues &values) {
  Buffers buffers = loadBuffers();
  if (failed(buildStep(train.getArguments(), Value(), seed, buffers, values)))
    return failure();
  for (auto &[buffer, value] : buffers)
    graph::StoreOp::create(builder, value.getLoc(), value, buffer);
  return success();
}

LogicalResult TrainBuilder::buildBody(Block *body, Value seed, Buffers &buffers, StepValues &values) {
  Location location = forward.getLoc();
  Value microBatch = body->addArgument(RankedTensorType::get({}, builder.getI64Type()), location);
  for (Type type : forward.getArgumentTypes())
    body->addArgument(type, location);
  SmallVector<Value> slices(llvm::drop_begin(body->getArguments())); // a copy: more arguments follow
  for (auto &entry : buffers)
    entry.second = body->addArgument(entry.second.getType(), location);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(body);
  if (failed(buildStep(slices, microBatch, seed, buffers, values)))
    return failure();
  SmallVector<Value> sums{values.lossSum};
  llvm::append_range(sums, values.gradients);
  SmallVector<Value> carried = llvm::map_to_vector(buffers, [](auto &entry) { return entry.second; });
  graph::YieldOp::create(builder, location, sums, carried, values.outputs);
  return success();
}

LogicalResult TrainBuilder::buildAccumulation(Value seed, StepValues &values) {
  Location location = forward.getLoc();
  Buffers buffers = loadBuffers();
  SmallVector<Value> initial = llvm::map_to_vector(buffers, [](auto &entry) { return entry.second; });
  // The results' types are known only when the body is there, so the body is built first.
  Region region;
  Block *body = &region.emplaceBlock();
  if (failed(buildBody(body, seed, buffers, values)))
    return failure();
  auto yield = cast<graph::YieldOp>(body->getTerminator());
  auto stacked = llvm::map_to_vector(values.outputs,
                                     [&](Value value) -> Type { return stackedType(value.getType(), microBatches); });
  auto loop = graph::AccumulateOp::create(builder, location, yield.getSums().getTypes(), yield.getCarried().getTypes(),
                                          stacked, train.getArguments(), initial, microBatches);
  loop.getBody().takeBody(region);
  values.lossSum = loop.getSums().front();
  values.gradients.assign(loop.getSums().begin() + 1, loop.getSums().end());
  values.outputs.assign(loop.getStacked().begin(), loop.getStacked().end());
  for (auto [entry, value] : llvm::zip_equal(buffers, loop.getCarried()))
    graph::StoreOp::create(builder, location, value, entry.first);
  return success();
}

LogicalResult TrainBuilder::run() {
  if (failed(checkForward()))
    return failure();
  createFunction();
  Value weight = buildLossWeight();
  Value seed = arith::DivFOp::create(builder, forward.getLoc(), splat(weight.getType(), 1.0), weight);
  StepValues values;
  if (failed(microBatches > 1 ? buildAccumulation(seed, values) : buildSingle(seed, values)))
    return failure();
  Value loss = arith::DivFOp::create(builder, forward.getLoc(), values.lossSum, weight);
  func::ReturnOp::create(builder, forward.getLoc());

  SmallVector<NamedResult> results{{"loss", loss}};
  SmallVector<NamedResult> forwardResults = getNamedResults(forward);
  for (auto [index, value] : llvm::enumerate(values.outputs))
    results.push_back({forwardResults[index + 1].name, value});
  for (auto [parameter, gradient] : llvm::zip_equal(differentiated, values.gradients))
    results.push_back({(kGradientPrefix + parameter.getSymName()).str(), gradient});
  setNamedResults(train, results);
  forward.erase();
  lossWeight.erase();
  return success();
}

namespace {
struct BuildBackwardPass : impl::BuildBackwardPassBase<BuildBackwardPass> {
  using BuildBackwardPassBase::BuildBackwardPassBase;
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto forward = module.lookupSymbol<func::FuncOp>("forward");
    auto lossWeight = module.lookupSymbol<func::FuncOp>("loss_weight");
    if (!forward || !lossWeight) {
      module.emitError("expected functions @forward and @loss_weight; run the Adapt phase first");
      return signalPassFailure();
    }
    if (microBatches < 1) {
      module.emitError("micro-batches must be at least 1, but is ") << microBatches.getValue();
      return signalPassFailure();
    }
    if (failed(TrainBuilder(module, forward, lossWeight, microBatches).run()))
      signalPassFailure();
  }
};
} // namespace

} // namespace tw::differentiate
