#include "compiler/Interpreter/Interpreter.h"

#include "compiler/Interpreter/Execution.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"

using namespace mlir;
using namespace tw::interpreter;
using namespace tw::graph;

Interpreter::Interpreter(ModuleOp module, InterpreterOptions options, unsigned ranks)
    : module(module), options(options), states(ranks, State(options.fileRoot)) {}

FailureOr<Interpreter::Tensors> Interpreter::run(StringRef function, ArrayRef<Tensor> arguments) {
  SmallVector<Tensors> all(states.size(), Tensors(arguments));
  FailureOr<SmallVector<Tensors>> results = runRanks(function, all);
  if (failed(results))
    return failure();
  return std::move(results->front());
}

FailureOr<SmallVector<Interpreter::Tensors>> Interpreter::runRanks(StringRef name, ArrayRef<Tensors> arguments) {
  auto function = module.lookupSymbol<func::FuncOp>(name);
  if (!function)
    return module.emitError("there is no function '") << name << "' to execute";
  if (arguments.size() != states.size())
    return function.emitError("needs arguments for ") << states.size() << " ranks, found " << arguments.size();
  FailureOr<SmallVector<Tensors>> results = Execution(*this, /*depth=*/0).call(function, arguments);
  for (State &state : states)
    succeeded(results) ? state.commit() : state.discard();
  return results;
}

FailureOr<Tensor> Interpreter::getParameter(StringRef name, unsigned rank) {
  auto parameter = module.lookupSymbol<ParameterOp>(name);
  if (!parameter)
    return module.emitError("there is no parameter '") << name << "'";
  FailureOr<const Tensor *> value = states[rank].load(parameter);
  if (failed(value))
    return failure();
  return **value;
}

void Interpreter::setParameter(StringRef name, const Tensor &value) {
  for (State &state : states)
    state.set(name, value);
}

unsigned tw::interpreter::getRankCount(ModuleOp module) {
  auto grids = module.getOps<shard::GridOp>();
  if (grids.empty())
    return 1;
  int64_t count = 1;
  for (int64_t size : (*grids.begin()).getShape())
    count *= std::max<int64_t>(size, 1);
  return count;
}
