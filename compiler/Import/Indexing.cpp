// Slices, gathers and running sums.
#include "compiler/Import/Importer.h"

#include <limits>
#include <numeric>

using namespace mlir;

namespace tw::import {
namespace {

struct SliceBounds {
  ShapeVector starts, ends, axes, steps;
};

FailureOr<SliceBounds> readSlice(Node &node) {
  SliceBounds bounds;
  auto read = [&](ShapeVector &into, StringRef name, unsigned index, bool required) -> LogicalResult {
    auto values = node.intsFrom(name, index);
    if (failed(values))
      return failure();
    if (*values)
      into = **values;
    else if (required)
      return node.error() << name << " are missing";
    return success();
  };
  if (failed(read(bounds.starts, "starts", 1, true)) || failed(read(bounds.ends, "ends", 2, true)))
    return failure();
  bounds.axes.resize(bounds.starts.size());
  std::iota(bounds.axes.begin(), bounds.axes.end(), 0);
  bounds.steps.assign(bounds.starts.size(), 1);
  if (failed(read(bounds.axes, "axes", 3, false)) || failed(read(bounds.steps, "steps", 4, false)))
    return failure();
  size_t count = bounds.starts.size();
  if (bounds.ends.size() != count || bounds.axes.size() != count || bounds.steps.size() != count)
    return node.error() << "starts, ends, axes and steps differ in length";
  return bounds;
}

LogicalResult importSlice(Node &node) {
  Value input = node.input(0);
  auto bounds = readSlice(node);
  if (failed(bounds))
    return failure();
  int64_t rank = rankOf(input);
  ShapeVector starts(rank, 0), strides(rank, 1), sizes(shapeOf(input));
  for (auto [start, end, given, step] : llvm::zip(bounds->starts, bounds->ends, bounds->axes, bounds->steps)) {
    auto axis = node.axis(given, rank);
    if (failed(axis))
      return failure();
    int64_t size = shapeOf(input)[*axis];
    if (step == 0 || step == std::numeric_limits<int64_t>::min())
      return node.error() << "expected a step other than 0";
    // ONNX's clamping: forwards to [0, size], backwards to [0, size - 1] and [-1, size - 1].
    auto wrap = [&](int64_t value) { return value < 0 ? value + size : value; };
    int64_t first =
        step > 0 ? std::clamp<int64_t>(wrap(start), 0, size) : std::clamp<int64_t>(wrap(start), -1, size - 1);
    int64_t last = step > 0 ? std::clamp<int64_t>(wrap(end), 0, size) : std::clamp<int64_t>(wrap(end), -1, size - 1);
    int64_t span = step > 0 ? last - first : first - last, stride = step > 0 ? step : -step;
    sizes[*axis] = span <= 0 ? 0 : (span - 1) / stride + 1;
    starts[*axis] = sizes[*axis] == 0 ? 0 : first;
    strides[*axis] = step;
  }
  if (elementCount(sizes) == 0)
    return node.result(node.emit.constant(DenseElementsAttr::get(typeOf(input).clone(sizes), ArrayRef<Attribute>())));
  return node.result(node.emit.slice(input, starts, sizes, strides));
}

LogicalResult importGather(Node &node) {
  Value input = node.input(0), indices = node.input(1);
  auto axis = node.axis(node.intAttribute("axis", 0), rankOf(input));
  if (failed(axis))
    return failure();
  return node.result(node.emit.gather(input, indices, *axis));
}

/// Adds the dimension's size to negative indices.
Value wrapIndices(Emitter &emit, Value indices, int64_t size) {
  Value negative =
      emit.compare(arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt, indices, emit.splatLike(indices, 0));
  return emit.select(negative, emit.add(indices, emit.splatLike(indices, size)), indices);
}

Value iota(Emitter &emit, int64_t size, Shape shape, int64_t dimension) {
  ShapeVector values(size);
  std::iota(values.begin(), values.end(), 0);
  return emit.broadcast(emit.ints(values, {size}), shape, {dimension});
}

// The indexed dimensions become one; the positions in it are sums of indices times strides.
LogicalResult importGatherND(Node &node) {
  Emitter &emit = node.emit;
  Value input = node.input(0), indices = node.input(1);
  int64_t batch = node.intAttribute("batch_dims", 0), depth = rankOf(indices) == 0 ? 0 : shapeOf(indices).back();
  if (depth < 1 || batch < 0 || batch + depth > rankOf(input) || batch >= rankOf(indices) ||
      shapeOf(input).take_front(batch) != shapeOf(indices).take_front(batch))
    return node.error() << "indices of type " << indices.getType() << " do not fit " << input.getType();
  Shape indexed = shapeOf(input).slice(batch, depth), rest = shapeOf(input).drop_front(batch + depth);
  ShapeVector where(shapeOf(indices).drop_back());
  Value position = emit.splat(RankedTensorType::get(where, emit.builder.getI64Type()), 0);
  for (int64_t i = 0; i < batch; ++i) {
    Value all = emit.scale(position, shapeOf(input)[i]);
    position = emit.add(all, iota(emit, where[i], where, i));
  }
  for (int64_t i = 0; i < depth; ++i) {
    Value index = emit.reshape(emit.sliceAxis(indices, rankOf(indices) - 1, i, 1), where);
    index = wrapIndices(emit, emit.cast(index, emit.builder.getI64Type(), false), indexed[i]);
    position = emit.add(emit.scale(position, indexed[i]), index);
  }
  ShapeVector flat{elementCount(shapeOf(input).take_front(batch + depth))};
  llvm::append_range(flat, rest);
  return node.result(emit.gather(emit.reshape(input, flat), position, 0));
}

// result[i, j, k] = input[i, indices[i, j, k], k] for axis 1, through the flattened input.
LogicalResult importGatherElements(Node &node) {
  Emitter &emit = node.emit;
  Value input = node.input(0), indices = node.input(1);
  auto axis = node.axis(node.intAttribute("axis", 0), rankOf(input));
  if (failed(axis))
    return failure();
  if (rankOf(indices) != rankOf(input))
    return node.error() << "indices of type " << indices.getType() << " do not fit " << input.getType();
  Shape shape = shapeOf(indices);
  Value position = emit.splat(RankedTensorType::get(shape, emit.builder.getI64Type()), 0);
  for (int64_t i = 0; i < rankOf(input); ++i) {
    Value index = i == *axis
                      ? wrapIndices(emit, emit.cast(indices, emit.builder.getI64Type(), false), shapeOf(input)[i])
                      : iota(emit, shape[i], shape, i);
    position = emit.add(emit.scale(position, shapeOf(input)[i]), index);
  }
  return node.result(emit.gather(emit.reshape(input, {elementCount(shapeOf(input))}), position, 0));
}

LogicalResult importOneHot(Node &node) {
  Emitter &emit = node.emit;
  Value indices = node.input(0), values = node.input(2);
  auto depth = node.constantInts(1, "depth");
  if (failed(depth))
    return failure();
  auto axis = node.axis(node.intAttribute("axis", -1), rankOf(indices) + 1);
  if (failed(axis))
    return failure();
  if (depth->size() != 1 || depth->front() < 1 || isFloat(indices) || elementCount(shapeOf(values)) != 2)
    return node.error() << "expected integer indices, one depth above 0 and two values";
  ShapeVector shape(shapeOf(indices)), dimensions;
  shape.insert(shape.begin() + *axis, depth->front());
  for (int64_t i = 0; i < static_cast<int64_t>(shape.size()); ++i)
    if (i != *axis)
      dimensions.push_back(i);
  Value index = wrapIndices(emit, emit.cast(indices, emit.builder.getI64Type(), false), depth->front());
  Value hot = emit.compare(arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq,
                           emit.broadcast(index, shape, dimensions), iota(emit, depth->front(), shape, *axis));
  auto pick = [&](int64_t i) { return emit.broadcastTo(emit.reshape(emit.sliceAxis(values, 0, i, 1), {}), shape); };
  return node.result(emit.select(hot, pick(1), pick(0)));
}

//===----------------------------------------------------------------------===//
// Running sums
//===----------------------------------------------------------------------===//

// By doubling: after step k each element is the sum of the 2^k inputs up to it.
LogicalResult importCumSum(Node &node) {
  Emitter &emit = node.emit;
  Value input = node.input(0);
  auto given = node.constantInts(1, "axis");
  if (failed(given))
    return failure();
  auto axis = node.axis(given->size() == 1 ? given->front() : rankOf(input), rankOf(input));
  if (failed(axis))
    return failure();
  int64_t size = shapeOf(input)[*axis];
  bool exclusive = node.intAttribute("exclusive", 0), reverse = node.intAttribute("reverse", 0);
  auto shift = [&](Value x, int64_t by) {
    Value kept = emit.sliceAxis(x, *axis, reverse ? by : 0, size - by);
    ShapeVector rest(shapeOf(x));
    rest[*axis] = by;
    Value zeros = emit.splat(typeOf(x).clone(rest), 0);
    return reverse ? emit.concat({kept, zeros}, *axis) : emit.concat({zeros, kept}, *axis);
  };
  Value sum = input;
  for (int64_t by = 1; by < size; by *= 2)
    sum = emit.add(sum, shift(sum, by));
  if (exclusive)
    sum = size > 1 ? shift(sum, 1) : emit.splatLike(sum, 0);
  return node.result(sum);
}

} // namespace

void addIndexing(HandlerTable &table) {
  table["Slice"] = {importSlice, 1};
  table["Gather"] = {importGather, 2};
  table["GatherND"] = {importGatherND, 2};
  table["GatherElements"] = {importGatherElements, 2};
  table["OneHot"] = {importOneHot, 3};
  table["CumSum"] = {importCumSum, 2};
}

} // namespace tw::import
