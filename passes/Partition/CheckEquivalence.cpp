// tw-partition-check-equivalence: sharded means the same.
#include "passes/Partition/Passes.h"

#include "compiler/Interpreter/Interpreter.h"

#include <random>

using namespace mlir;
using tw::interpreter::Interpreter;
using tw::interpreter::Tensor;

namespace tw::partition {

#define GEN_PASS_DEF_CHECKEQUIVALENCEPASS
#include "passes/Partition/Passes.h.inc"

using Tensors = SmallVector<Tensor>;

namespace {
class Comparison {
public:
  Comparison(ModuleOp whole, ModuleOp parts, int64_t ranks, int64_t integersBelow, double tolerance)
      : whole(whole, {interpreter::Precision::Double, ""}), parts(parts, {interpreter::Precision::Double, ""}, ranks),
        ranks(ranks), integersBelow(integersBelow), tolerance(tolerance) {}

  void randomizeParameters();
  /// Runs a function whole and in parts and compares results. Fails after an error.
  LogicalResult runFunction(StringRef name);
  LogicalResult compareParameters();

private:
  Tensor random(Type type);
  LogicalResult compare(Operation *op, const Twine &what, const Tensor &expected, const Tensor &actual, int64_t rank);

  Interpreter whole, parts;
  int64_t ranks, integersBelow;
  double tolerance;
  std::mt19937_64 generator{1}; // NOLINT(bugprone-random-generator-seed): the same inputs each time
};
} // namespace

/// Part `rank` of a tensor along the dimensions in which `type` is smaller.
static Tensor partOf(const Tensor &tensor, RankedTensorType type, int64_t rank) {
  Tensor part(type);
  SmallVector<int64_t> starts;
  for (auto [size, local] : llvm::zip_equal(tensor.getShape(), type.getShape()))
    starts.push_back(size == local ? 0 : rank * local);
  interpreter::forEachIndex(type.getShape(), [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> from;
    for (auto [i, start] : llvm::zip_equal(index, starts))
      from.push_back(i + start);
    part.copyElement(part.offsetOf(index), tensor, tensor.offsetOf(from));
  });
  return part;
}

Tensor Comparison::random(Type type) {
  Tensor tensor(type);
  for (int64_t i = 0, count = tensor.getNumElements(); i < count; ++i)
    if (tensor.isFloat())
      tensor.real(i) = static_cast<double>(generator() >> 11) * 0x1p-52 - 1.0;
    else
      tensor.integer(i) = static_cast<int64_t>(generator() % integersBelow);
  return tensor;
}

void Comparison::randomizeParameters() {
  for (auto parameter : whole.getModule().getOps<graph::ParameterOp>()) {
    graph::Role role = parameter.getRole();
    if (role == graph::Role::Counter || role == graph::Role::Optimizer)
      continue;
    Tensor value = random(parameter.getTensorType());
    if (role == graph::Role::Buffer) // variances must not be negative
      for (int64_t i = 0; value.isFloat() && i < value.getNumElements(); ++i)
        value.real(i) = std::abs(value.real(i)) + 0.5;
    whole.setParameter(parameter.getSymName(), value);
    parts.setParameter(parameter.getSymName(), value);
  }
}

LogicalResult Comparison::compare(Operation *op, const Twine &what, const Tensor &expected, const Tensor &actual,
                                  int64_t rank) {
  for (int64_t i = 0, count = expected.getNumElements(); i < count; ++i) {
    double a = expected.isFloat() ? expected.real(i) : expected.integer(i);
    double b = actual.isFloat() ? actual.real(i) : actual.integer(i);
    if (a == b || std::abs(a - b) <= tolerance * std::max(1.0, std::abs(a)))
      continue;
    return op->emitError("rank ") << rank << " disagrees with the whole program in " << what << ", element " << i
                                  << ": " << b << " instead of " << a;
  }
  return success();
}

LogicalResult Comparison::runFunction(StringRef name) {
  auto function = whole.getModule().lookupSymbol<func::FuncOp>(name);
  auto local = parts.getModule().lookupSymbol<func::FuncOp>(name);
  if (!function || !local)
    return success();
  Tensors arguments = llvm::map_to_vector(function.getArgumentTypes(), [&](Type type) { return random(type); });
  SmallVector<Tensors> localArguments(ranks);
  for (int64_t rank = 0; rank < ranks; ++rank)
    for (auto [argument, type] : llvm::zip_equal(arguments, local.getArgumentTypes()))
      localArguments[rank].push_back(partOf(argument, cast<RankedTensorType>(type), rank));
  auto expected = whole.run(name, arguments);
  auto actual = parts.runRanks(name, localArguments);
  if (failed(expected) || failed(actual))
    return failure();
  for (int64_t rank = 0; rank < ranks; ++rank)
    for (auto [index, result] : llvm::enumerate((*actual)[rank])) {
      Tensor part = partOf((*expected)[index], cast<RankedTensorType>(local.getResultTypes()[index]), rank);
      if (failed(compare(function, "result " + Twine(index) + " of @" + name, part, result, rank)))
        return failure();
    }
  return success();
}

LogicalResult Comparison::compareParameters() {
  for (auto parameter : whole.getModule().getOps<graph::ParameterOp>())
    for (int64_t rank = 0; rank < ranks; ++rank) {
      auto expected = whole.getParameter(parameter.getSymName());
      auto actual = parts.getParameter(parameter.getSymName(), rank);
      if (failed(expected) || failed(actual) ||
          failed(compare(parameter, "parameter " + parameter.getSymName(), *expected, *actual, rank)))
        return failure();
    }
  return success();
}

namespace {
struct CheckEquivalencePass : impl::CheckEquivalencePassBase<CheckEquivalencePass> {
  using CheckEquivalencePassBase::CheckEquivalencePassBase;
  void runOnOperation() override {
    markAllAnalysesPreserved();
    OwningOpRef<ModuleOp> copy = getOperation().clone();
    PassManager manager(&getContext());
    PartitionOptions options;
    options.data = data;
    buildPartitionPipeline(manager, options);
    if (failed(manager.run(*copy)))
      return signalPassFailure();
    Comparison comparison(getOperation(), *copy, data, integersBelow, tolerance);
    comparison.randomizeParameters();
    for (int64_t step = 0; step < steps; ++step)
      if (failed(comparison.runFunction("train")) || failed(comparison.compareParameters()))
        return signalPassFailure();
    if (failed(comparison.runFunction("dump")) || failed(comparison.runFunction("evaluate")))
      signalPassFailure();
  }
};
} // namespace

} // namespace tw::partition
