#include "compiler/Autodiff/ReverseMode.h"

#include "compiler/Interfaces/DifferentiableOpInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tw::autodiff {

static bool isFloat(Value value) {
  return isa<FloatType>(getElementTypeOrSelf(value.getType()));
}

/// Whether a cotangent may flow to the operand. Of an op without the interface, every float operand counts: it has to
/// be reported.
static bool takesCotangent(OpOperand &operand) {
  if (!isFloat(operand.get()))
    return false;
  auto rule = dyn_cast<DifferentiableOpInterface>(operand.getOwner());
  return !rule || rule.isDifferentiable(operand.getOperandNumber());
}

Paths::Paths(ValueRange sources, Value target) {
  Block *block = target.getParentBlock();
  llvm::DenseSet<Value> reached(sources.begin(), sources.end());
  for (Operation &op : *block)
    if (llvm::any_of(op.getOpOperands(),
                     [&](OpOperand &operand) { return reached.contains(operand.get()) && takesCotangent(operand); }))
      for (Value result : op.getResults())
        if (isFloat(result))
          reached.insert(result);
  if (!reached.contains(target))
    return;
  values.insert(target);
  for (Operation &op : llvm::reverse(*block)) {
    if (!llvm::any_of(op.getResults(), [&](Value result) { return values.contains(result); }))
      continue;
    bool passesOn = false;
    for (OpOperand &operand : op.getOpOperands())
      if (reached.contains(operand.get()) && takesCotangent(operand)) {
        values.insert(operand.get());
        passesOn = true;
      }
    if (passesOn)
      ops.push_back(&op);
  }
  std::reverse(ops.begin(), ops.end());
}

/// A result after the first that the path goes through: these are statistics of ops, saved for their gradients.
static Value statisticsOnPath(Operation *op, const Paths &paths) {
  for (Value result : llvm::drop_begin(op->getResults()))
    if (paths.contains(result))
      return result;
  return {};
}

LogicalResult verifyDifferentiable(Operation *anchor, const Paths &paths) {
  SmallVector<Operation *> missing;
  for (Operation *op : paths.getOps())
    if (!isa<DifferentiableOpInterface>(op) || statisticsOnPath(op, paths))
      missing.push_back(op);
  if (missing.empty())
    return success();
  InFlightDiagnostic error = anchor->emitError()
                             << missing.size() << " operation" << (missing.size() == 1 ? "" : "s")
                             << " between trainable parameters and the loss cannot be differentiated; freeze the "
                                "parameters before them or replace them";
  for (Operation *op : missing) {
    Diagnostic &note = error.attachNote(op->getLoc()) << "'" << op->getName();
    if (!isa<DifferentiableOpInterface>(op))
      note << "' has no gradient rule";
    else
      note << "' carries no gradient through its result "
           << cast<OpResult>(statisticsOnPath(op, paths)).getResultNumber()
           << "; use only its first result on the way to the loss";
  }
  return error;
}

namespace {
/// The cotangents gathered so far; several uses of a value add up.
class Cotangent {
public:
  Cotangent(OpBuilder &builder) : builder(builder) {}
  void add(Value value, Value cotangent) {
    Value &sum = sums[value];
    sum = sum ? arith::AddFOp::create(builder, cotangent.getLoc(), sum, cotangent).getResult() : cotangent;
  }
  Value of(Value value) const { return sums.lookup(value); }

private:
  OpBuilder &builder;
  DenseMap<Value, Value> sums;
};
} // namespace

static LogicalResult reverseOne(OpBuilder &builder, Operation *op, const Paths &paths, Cotangent &cotangents) {
  auto arriving = llvm::map_to_vector(op->getResults(), [&](Value result) { return cotangents.of(result); });
  if (llvm::none_of(arriving, [](Value value) { return value != nullptr; }))
    return success();
  auto wanted = llvm::map_to_vector(op->getOpOperands(), [&](OpOperand &operand) {
    return paths.contains(operand.get()) && takesCotangent(operand);
  });
  auto leaving = cast<DifferentiableOpInterface>(op).backward(builder, arriving, wanted);
  if (failed(leaving))
    return failure();
  for (auto [operand, cotangent, isWanted] : llvm::zip_equal(op->getOperands(), *leaving, wanted))
    if (isWanted && cotangent)
      cotangents.add(operand, cotangent);
  return success();
}

FailureOr<SmallVector<Value>> buildReverse(OpBuilder &builder, ValueRange sources, Value target, Value seed,
                                           const Paths &paths) {
  Cotangent cotangents(builder);
  if (paths.contains(target))
    cotangents.add(target, seed);
  for (Operation *op : llvm::reverse(paths.getOps()))
    if (failed(reverseOne(builder, op, paths, cotangents)))
      return failure();
  return llvm::map_to_vector(sources, [&](Value source) { return cotangents.of(source); });
}

} // namespace tw::autodiff
