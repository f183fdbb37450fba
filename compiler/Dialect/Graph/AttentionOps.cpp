// Verifiers of attention.
#include "compiler/Dialect/Graph/Verification.h"

using namespace mlir;
using namespace tw::graph;

/// (C1) about the bias.
template <typename Op>
static LogicalResult verifyBias(Op op, Value value) {
  if (failed(verifyRank(op, "C1", "bias", value, 4)))
    return failure();
  Type element = typeOf(value).getElementType();
  if (!isa<FloatType>(element) && !element.isInteger(1))
    return op.emitOpError("(C1) bias has elements of ") << element << ", expected floats or i1";
  ArrayRef<int64_t> query = shapeOf(op.getQuery()), bias = shapeOf(value);
  int64_t full[] = {query[0], query[1], query[2], shapeOf(op.getKey())[2]};
  for (int i = 0; i < 4; ++i)
    if (bias[i] != full[i] && (i == 3 || bias[i] != 1))
      return op.emitOpError("(C1) bias has shape ") << toText(bias) << ", expected that of the scores, " << toText(full)
                                                    << ", or 1 in place of all but the last";
  return success();
}

/// (C4): the random operands, the dropout's ratio and the window.
template <typename Op>
static LogicalResult verifyVisibility(Op op) {
  double dropout = op.getDropout().convertToDouble();
  if (static_cast<int64_t>(op.getWindow()) < 0)
    return op.emitOpError("(C4) window is ") << static_cast<int64_t>(op.getWindow()) << ", expected 0 or more";
  if (!(dropout >= 0 && dropout < 1))
    return op.emitOpError("(C4) dropout is ") << dropout << ", expected 0 <= dropout < 1";
  size_t wanted = dropout > 0 ? 3 : 0;
  if (op.getRandom().size() != wanted)
    return op.emitOpError("(C4) dropout of ")
           << dropout << " needs " << wanted << " random operands after the bias, found " << op.getRandom().size();
  for (auto [name, value] : llvm::zip(ArrayRef<StringRef>{"seed", "step", "row"}, op.getRandom()))
    if (failed(verifyType(op, "C4", name, value, RankedTensorType::get({}, IntegerType::get(op.getContext(), 64)))))
      return failure();
  return success();
}

/// (C1), (C3) and (C4) of graph.attention, as far as they speak of operands that both ops have.
template <typename Op>
static LogicalResult verifyOperands(Op op) {
  if (failed(verifyRank(op, "C1", "query", op.getQuery(), 4)) || failed(verifyRank(op, "C1", "key", op.getKey(), 4)) ||
      failed(verifyRank(op, "C1", "value", op.getValue(), 4)))
    return failure();
  ArrayRef<int64_t> query = shapeOf(op.getQuery()), key = shapeOf(op.getKey()), value = shapeOf(op.getValue());
  if (query[0] != key[0] || query[3] != key[3] || key.take_front(3) != value.take_front(3))
    return op.emitOpError("(C1) sizes of query ")
           << toText(query) << ", key " << toText(key) << " and value " << toText(value) << " disagree";
  if (key[1] < 1 || query[1] % key[1] != 0)
    return op.emitOpError("(C1) ") << key[1] << " key heads do not divide " << query[1] << " query heads";
  for (Value other : {op.getKey(), op.getValue()})
    if (typeOf(other).getElementType() != typeOf(op.getQuery()).getElementType())
      return op.emitOpError("(C3) query has elements of ")
             << typeOf(op.getQuery()).getElementType() << ", key or value of " << typeOf(other).getElementType();
  if (op.getExtras().size() > 4 || op.getExtras().size() == 2)
    return op.emitOpError("(C4) has ") << op.getExtras().size() << " extra operands, expected a bias, the three random "
                                       << "operands, or both";
  if (op.getBias() && failed(verifyBias(op, op.getBias())))
    return failure();
  return verifyVisibility(op);
}

/// (C2) and (C3) about the result and logsumexp.
template <typename Op>
static LogicalResult verifyForward(Op op, StringRef constraint) {
  SmallVector<int64_t> expected(shapeOf(op.getQuery()));
  expected[3] = shapeOf(op.getValue())[3];
  RankedTensorType type = typeOf(op.getQuery()), rows = type.clone(type.getShape().take_front(3));
  if (type.getElementTypeBitWidth() < 32)
    rows = rows.clone(Float32Type::get(op.getContext()));
  return success(succeeded(verifyType(op, constraint, "result", op.getResult(), type.clone(expected))) &&
                 succeeded(verifyType(op, constraint, "logsumexp", op.getLogsumexp(), rows)));
}

void AttentionOp::removeDropout() {
  SmallVector<Value> kept;
  if (Value bias = getBias())
    kept.push_back(bias);
  getExtrasMutable().assign(kept);
  setDropout(llvm::APFloat(0.0));
  setId(0);
}

LogicalResult AttentionOp::verify() {
  return success(succeeded(verifyOperands(*this)) && succeeded(verifyForward(*this, "C2")));
}

LogicalResult AttentionBackwardOp::verify() {
  if (failed(verifyOperands(*this)) || failed(verifyForward(*this, "C1")) ||
      failed(verifyType(*this, "C1", "cotangent", getCotangent(), typeOf(getResult()))) ||
      failed(verifyType(*this, "C1", "d_query", getDQuery(), typeOf(getQuery()))) ||
      failed(verifyType(*this, "C1", "d_key", getDKey(), typeOf(getKey()))) ||
      failed(verifyType(*this, "C1", "d_value", getDValue(), typeOf(getValue()))))
    return failure();
  if (getDBias().empty())
    return success();
  if (getDBias().size() > 1 || !getBias() || !isa<FloatType>(typeOf(getBias()).getElementType()))
    return emitOpError("(C2) d_bias comes at most once, and with a float bias alone");
  return verifyType(*this, "C1", "d_bias", getDBias().front(), typeOf(getBias()));
}
