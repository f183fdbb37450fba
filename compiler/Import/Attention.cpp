// The Attention operator (opset 23).
#include "compiler/Import/Importer.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace tw::import {
namespace {

// [batch, sequence, heads * size] to [batch, heads, sequence, size].
FailureOr<Value> splitHeads(Node &node, Value value, StringRef attribute) {
  if (rankOf(value) == 4)
    return value;
  int64_t heads = node.intAttribute(attribute, 0);
  if (rankOf(value) != 3 || heads < 1 || shapeOf(value)[2] % heads != 0)
    return node.error() << "expected [batch, heads, sequence, size], or [batch, sequence, heads * size] with "
                        << attribute << ", found " << value.getType();
  Shape shape = shapeOf(value);
  Value split = node.emit.reshape(value, {shape[0], shape[1], heads, shape[2] / heads});
  return node.emit.transpose(split, {0, 2, 1, 3});
}

// A mask [.., s, t], boolean (true: visible) or added to the scores, as a bias of rank 4.
FailureOr<Value> readMask(Node &node, Value mask, Shape scores, Type element) {
  Emitter &emit = node.emit;
  auto shape = broadcastShapes(shapeOf(mask), scores);
  if (!shape || Shape(*shape) != scores)
    return node.error() << "a mask of type " << mask.getType() << " does not fit the scores";
  ShapeVector full(4 - rankOf(mask), 1);
  llvm::append_range(full, shapeOf(mask));
  full.back() = scores.back();
  Value bias = emit.broadcastTo(mask, Shape(full).drop_front(4 - rankOf(mask)));
  bias = emit.reshape(bias, full);
  if (isBool(bias)) {
    auto type = RankedTensorType::get(full, element);
    Value hidden = emit.splat(type, -std::numeric_limits<double>::infinity());
    bias = emit.select(bias, emit.splat(type, 0), hidden);
  }
  if (elementOf(bias) != element)
    return node.error() << "expected a mask of booleans or of the query's element type, found " << mask.getType();
  return bias;
}

LogicalResult refuseUnsupported(Node &node) {
  if (node.hasInput(4) || node.hasInput(5) || node.hasInput(6))
    return node.error() << "past keys and values and valid lengths are for generation, which is not supported";
  if (node.floatAttribute("softcap", 0) != 0)
    return node.error() << "softcap is not supported";
  return node.refuseOutputsFrom(1, "present keys, values or scores");
}

LogicalResult importAttention(Node &node) {
  Emitter &emit = node.emit;
  if (failed(refuseUnsupported(node)))
    return failure();
  bool merged = rankOf(node.input(0)) == 3;
  auto query = splitHeads(node, node.input(0), "q_num_heads");
  auto key = splitHeads(node, node.input(1), "kv_num_heads");
  auto value = splitHeads(node, node.input(2), "kv_num_heads");
  if (failed(query) || failed(key) || failed(value))
    return failure();
  Shape q = shapeOf(*query), k = shapeOf(*key), v = shapeOf(*value);
  if (!isFloat(*query) || q[0] != k[0] || q[0] != v[0] || q[3] != k[3] || k[1] != v[1] || k[2] != v[2] || k[1] < 1 ||
      q[1] % k[1] != 0)
    return node.error() << "query, key and value do not fit: " << (*query).getType() << ", " << (*key).getType() << ", "
                        << (*value).getType();
  Value bias;
  if (node.hasInput(3)) {
    auto mask = readMask(node, node.input(3), {q[0], q[1], q[2], k[2]}, elementOf(*query));
    if (failed(mask))
      return failure();
    bias = *mask;
  }
  double scale = node.floatAttribute("scale", 1 / std::sqrt(static_cast<double>(q[3])));
  auto op = graph::AttentionOp::create(
      emit.builder, emit.location,
      TypeRange{typeOf(*query).clone(Shape{q[0], q[1], q[2], v[3]}), typeOf(*query).clone(q.take_front(3))}, *query,
      *key, *value, bias ? ValueRange(bias) : ValueRange(), llvm::APFloat(scale),
      node.intAttribute("is_causal", 0) != 0,
      /*window=*/0, /*dropout=*/llvm::APFloat(0.0));
  Value result = op.getResult();
  if (merged)
    result = emit.reshape(emit.transpose(result, {0, 2, 1, 3}), {q[0], q[2], q[1] * v[3]});
  return node.result(result);
}

} // namespace

void addAttention(HandlerTable &table) {
  table["Attention"] = {importAttention, 3};
}

} // namespace tw::import
