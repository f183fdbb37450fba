#include "compiler/Interpreter/Execution.h"

#include "compiler/Interpreter/Evaluator.h"

#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tw::interpreter;
using namespace tw::graph;

static constexpr unsigned kDeepestCall = 64;

Execution::Tensors Execution::get(ValueRange values, unsigned rank) const {
  Tensors tensors;
  for (Value value : values)
    tensors.push_back(get(value, rank));
  return tensors;
}

static LogicalResult checkArguments(func::FuncOp function, ArrayRef<Tensor> arguments, unsigned rank) {
  if (function.isDeclaration())
    return function.emitError("has no body to execute");
  if (!function.getBody().hasOneBlock())
    return function.emitError("has several blocks; the interpreter executes functions of one block");
  if (arguments.size() != function.getNumArguments())
    return function.emitError("takes ") << function.getNumArguments() << " arguments, found " << arguments.size();
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    auto type = dyn_cast<RankedTensorType>(function.getArgumentTypes()[i]);
    if (type && argument.getType() != type)
      return function.emitError("argument ")
             << i << " of rank " << rank << " has type " << argument.getType() << ", expected " << type;
  }
  return success();
}

FailureOr<SmallVector<Execution::Tensors>> Execution::call(func::FuncOp function, ArrayRef<Tensors> arguments) {
  if (depth > kDeepestCall)
    return function.emitError("calls are nested more than ") << kDeepestCall << " deep";
  for (unsigned rank = 0; rank < getRanks(); ++rank) {
    if (failed(checkArguments(function, arguments[rank], rank)))
      return failure();
    for (auto [argument, tensor] : llvm::zip_equal(function.getArguments(), arguments[rank]))
      set(argument, rank, tensor);
  }
  Block &block = function.getBody().front();
  if (failed(run(block)))
    return failure();
  SmallVector<Tensors> results;
  for (unsigned rank = 0; rank < getRanks(); ++rank)
    results.push_back(get(block.getTerminator()->getOperands(), rank));
  return results;
}

LogicalResult Execution::run(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(run(op)))
      return failure();
  return success();
}

LogicalResult Execution::run(Operation &op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](LoadOp load) { return runLoad(load); })
      .Case([&](StoreOp store) { return runStore(store); })
      .Case([&](AccumulateOp accumulate) { return runAccumulate(accumulate); })
      .Case([&](FusedOp fused) { return runFused(fused); })
      .Case([&](func::CallOp call) { return runCall(call); })
      .Case([&](check::ExpectFiniteDifferencesOp expectation) {
        return checkFiniteDifferences(expectation, get(expectation.getArguments(), 0), interpreter);
      })
      .Default([&](Operation *other) {
        return isa<shard::ShardDialect>(other->getDialect()) ? runShard(*other) : runPure(*other);
      });
}

LogicalResult Execution::runPure(Operation &op) {
  for (unsigned rank = 0; rank < getRanks(); ++rank) {
    SmallVector<const Tensor *> operands;
    for (Value operand : op.getOperands())
      operands.push_back(&get(operand, rank));
    FailureOr<SmallVector<Tensor>> results = evaluate(&op, operands, roundFloats());
    if (failed(results))
      return failure();
    for (auto [result, tensor] : llvm::zip_equal(op.getResults(), *results))
      set(result, rank, std::move(tensor));
  }
  return success();
}

LogicalResult Execution::runLoad(LoadOp op) {
  auto parameter = SymbolTable::lookupNearestSymbolFrom<ParameterOp>(op, op.getParameterAttr());
  if (!parameter)
    return op.emitError("'") << op.getParameter() << "' does not name a graph.parameter";
  for (unsigned rank = 0; rank < getRanks(); ++rank) {
    FailureOr<const Tensor *> value = interpreter.states[rank].load(parameter);
    if (failed(value))
      return failure();
    if ((*value)->getType() != op.getType())
      return op.emitError("parameter '") << op.getParameter() << "' was given a value of type " << (*value)->getType()
                                         << ", expected " << op.getType();
    set(op.getResult(), rank, **value);
  }
  return success();
}

LogicalResult Execution::runStore(StoreOp op) {
  for (unsigned rank = 0; rank < getRanks(); ++rank)
    interpreter.states[rank].store(op.getParameter(), get(op.getValue(), rank));
  return success();
}

LogicalResult Execution::runCall(func::CallOp op) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, op.getCalleeAttr());
  if (!callee)
    return op.emitError("there is no function '") << op.getCallee() << "'";
  SmallVector<Tensors> arguments;
  for (unsigned rank = 0; rank < getRanks(); ++rank)
    arguments.push_back(get(op.getOperands(), rank));
  FailureOr<SmallVector<Tensors>> results = Execution(interpreter, depth + 1).call(callee, arguments);
  if (failed(results))
    return failure();
  for (unsigned rank = 0; rank < getRanks(); ++rank)
    for (auto [result, tensor] : llvm::zip_equal(op.getResults(), (*results)[rank]))
      set(result, rank, std::move(tensor));
  return success();
}

LogicalResult Execution::runFused(FusedOp op) {
  Block &block = op.getBlock();
  for (unsigned rank = 0; rank < getRanks(); ++rank)
    for (auto [argument, input] : llvm::zip_equal(block.getArguments(), op.getInputs()))
      set(argument, rank, Tensor(get(input, rank)));
  if (failed(run(block)))
    return failure();
  for (unsigned rank = 0; rank < getRanks(); ++rank)
    for (auto [result, value] : llvm::zip_equal(op.getResults(), block.getTerminator()->getOperands()))
      set(result, rank, Tensor(get(value, rank)));
  return success();
}

LogicalResult Execution::runShard(Operation &op) {
  // Annotations carry no data.
  if (isa<shard::ShardingOp, shard::GetShardingOp>(op))
    return success();
  SmallVector<const Tensor *> inputs;
  for (unsigned rank = 0; rank < getRanks() && op.getNumOperands(); ++rank)
    inputs.push_back(&get(op.getOperand(0), rank));
  FailureOr<SmallVector<SmallVector<Tensor>>> results = evaluateShardOp(&op, inputs, getRanks());
  if (failed(results))
    return failure();
  for (unsigned rank = 0; rank < getRanks(); ++rank)
    for (auto [result, tensor] : llvm::zip_equal(op.getResults(), (*results)[rank])) {
      tensor.normalize(roundFloats());
      set(result, rank, std::move(tensor));
    }
  return success();
}

//===----------------------------------------------------------------------===//
// graph.accumulate
//===----------------------------------------------------------------------===//

/// Slice `i` along dimension 0, that dimension dropped.
static Tensor sliceOf(const Tensor &tensor, int64_t i) {
  Tensor slice(tensor.getShape().drop_front(), tensor.getElementType());
  for (int64_t offset = 0, count = slice.getNumElements(); offset < count; ++offset)
    slice.copyElement(offset, tensor, i * count + offset);
  return slice;
}

static void putSlice(Tensor &tensor, int64_t i, const Tensor &slice) {
  for (int64_t offset = 0, count = slice.getNumElements(); offset < count; ++offset)
    tensor.copyElement(i * count + offset, slice, offset);
}

static void addTo(Tensor &sum, const Tensor &term, bool roundFloats) {
  for (int64_t offset = 0, count = sum.getNumElements(); offset < count; ++offset)
    if (sum.isFloat())
      sum.real(offset) += term.real(offset);
    else
      sum.integer(offset) = static_cast<uint64_t>(sum.integer(offset)) + static_cast<uint64_t>(term.integer(offset));
  sum.normalize(roundFloats);
}

void Execution::beginIteration(AccumulateOp op, int64_t i, ArrayRef<Tensors> carried) {
  Block &block = op.getBody().front();
  for (unsigned rank = 0; rank < getRanks(); ++rank) {
    Tensor index(block.getArgument(0).getType());
    index.integer(0) = i;
    set(block.getArgument(0), rank, std::move(index));
    for (auto [k, value] : llvm::enumerate(op.getSliced()))
      set(block.getArgument(1 + k), rank, sliceOf(get(value, rank), i));
    for (auto [k, tensor] : llvm::enumerate(carried[rank]))
      set(block.getArgument(1 + op.getSliced().size() + k), rank, tensor);
  }
}

void Execution::endIteration(AccumulateOp op, int64_t i, MutableArrayRef<Tensors> carried,
                             MutableArrayRef<Tensors> results) {
  auto yield = cast<YieldOp>(op.getBody().front().getTerminator());
  for (unsigned rank = 0; rank < getRanks(); ++rank) {
    size_t position = 0;
    for (Value sum : yield.getSums())
      addTo(results[rank][position++], get(sum, rank), roundFloats());
    carried[rank] = get(yield.getCarried(), rank);
    for (const Tensor &tensor : carried[rank])
      results[rank][position++] = tensor;
    for (Value stacked : yield.getStacked())
      putSlice(results[rank][position++], i, get(stacked, rank));
  }
}

LogicalResult Execution::runAccumulate(AccumulateOp op) {
  SmallVector<Tensors> carried(getRanks()), results(getRanks());
  for (unsigned rank = 0; rank < getRanks(); ++rank) {
    carried[rank] = get(op.getInitial(), rank);
    for (Type type : op.getResultTypes())
      results[rank].emplace_back(type);
  }
  for (int64_t i = 0; i < static_cast<int64_t>(op.getMicroBatches()); ++i) {
    beginIteration(op, i, carried);
    if (failed(run(op.getBody().front())))
      return failure();
    endIteration(op, i, carried, results);
  }
  for (unsigned rank = 0; rank < getRanks(); ++rank)
    for (auto [result, tensor] : llvm::zip_equal(op.getResults(), results[rank]))
      set(result, rank, std::move(tensor));
  return success();
}
