// Reductions.
#include "compiler/Import/Importer.h"

#include <numeric>

using namespace mlir;

namespace tw::import {
namespace {

struct Reduced {
  Value input;
  ShapeVector dimensions;
  ShapeVector shape; // of the result
  int64_t count = 1; // elements that combine
};

FailureOr<Reduced> readReduction(Node &node) {
  Reduced reduced;
  reduced.input = node.input(0);
  int64_t rank = rankOf(reduced.input);
  auto given = node.intsFrom("axes", 1);
  if (failed(given))
    return failure();
  if (*given && !(*given)->empty()) {
    auto axes = node.axes(**given, rank);
    if (failed(axes))
      return failure();
    reduced.dimensions = *axes;
  } else if (!node.intAttribute("noop_with_empty_axes", 0)) {
    reduced.dimensions.resize(rank);
    std::iota(reduced.dimensions.begin(), reduced.dimensions.end(), 0);
  }
  bool keep = node.intAttribute("keepdims", 1);
  for (auto [i, size] : llvm::enumerate(shapeOf(reduced.input))) {
    bool dropped = llvm::is_contained(reduced.dimensions, static_cast<int64_t>(i));
    if (dropped)
      reduced.count *= size;
    if (!dropped || keep)
      reduced.shape.push_back(dropped ? 1 : size);
  }
  return reduced;
}

/// before: applied to the input; after: to what the reduction gives, with the number of elements.
template <graph::Reduction kind, Value (*before)(Emitter &, Value), Value (*after)(Emitter &, Value, int64_t)>
LogicalResult reduction(Node &node) {
  auto reduced = readReduction(node);
  if (failed(reduced))
    return failure();
  Emitter &emit = node.emit;
  Value value = emit.reduce(before(emit, reduced->input), kind, reduced->dimensions);
  return node.result(emit.reshape(after(emit, value, reduced->count), reduced->shape));
}

Value same(Emitter &, Value x) {
  return x;
}
Value square(Emitter &emit, Value x) {
  return emit.mul(x, x);
}
Value magnitude(Emitter &emit, Value x) {
  return isFloat(x) ? emit.unary<math::AbsFOp>(x) : emit.maximum(x, emit.negate(x));
}
Value unchanged(Emitter &, Value x, int64_t) {
  return x;
}
Value divided(Emitter &emit, Value x, int64_t count) {
  return isFloat(x) ? emit.scale(x, 1.0 / count) : emit.div(x, emit.splatLike(x, count));
}
Value rooted(Emitter &emit, Value x, int64_t) {
  return emit.unary<math::SqrtOp>(x);
}
Value logged(Emitter &emit, Value x, int64_t) {
  return emit.unary<math::LogOp>(x);
}

// max + log(sum(exp(x - max))), max being a constant for the derivative.
LogicalResult importLogSumExp(Node &node) {
  auto reduced = readReduction(node);
  if (failed(reduced))
    return failure();
  Emitter &emit = node.emit;
  Value x = reduced->input;
  Value largest = emit.reduce(x, graph::Reduction::Max, reduced->dimensions);
  ShapeVector kept;
  for (int64_t i = 0; i < rankOf(x); ++i)
    if (!llvm::is_contained(reduced->dimensions, i))
      kept.push_back(i);
  Value shifted = emit.unary<math::ExpOp>(emit.sub(x, emit.broadcast(largest, shapeOf(x), kept)));
  Value sum = emit.unary<math::LogOp>(emit.reduce(shifted, graph::Reduction::Sum, reduced->dimensions));
  return node.result(emit.reshape(emit.add(largest, sum), reduced->shape));
}

} // namespace

void addReduction(HandlerTable &table) {
  using R = graph::Reduction;
  table["ReduceSum"] = {reduction<R::Sum, same, unchanged>, 1};
  table["ReduceMean"] = {reduction<R::Sum, same, divided>, 1};
  table["ReduceMax"] = {reduction<R::Max, same, unchanged>, 1};
  table["ReduceMin"] = {reduction<R::Min, same, unchanged>, 1};
  table["ReduceProd"] = {reduction<R::Prod, same, unchanged>, 1};
  table["ReduceSumSquare"] = {reduction<R::Sum, square, unchanged>, 1};
  table["ReduceL1"] = {reduction<R::Sum, magnitude, unchanged>, 1};
  table["ReduceL2"] = {reduction<R::Sum, square, rooted>, 1};
  table["ReduceLogSum"] = {reduction<R::Sum, same, logged>, 1};
  table["ReduceLogSumExp"] = {importLogSumExp, 1};
}

} // namespace tw::import
