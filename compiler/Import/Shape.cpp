// Ops that rearrange elements under shapes known at import.
#include "compiler/Import/Importer.h"

#include <numeric>

using namespace mlir;

namespace tw::import {
namespace {

LogicalResult importShape(Node &node) {
  Shape shape = shapeOf(node.input(0));
  int64_t rank = shape.size();
  auto bound = [&](StringRef name, int64_t otherwise) {
    int64_t value = node.intAttribute(name, otherwise);
    return std::clamp<int64_t>(value < 0 ? value + rank : value, 0, rank);
  };
  int64_t start = bound("start", 0), end = std::max(start, bound("end", rank));
  return node.result(node.emit.ints(shape.slice(start, end - start), {end - start}));
}

LogicalResult importSize(Node &node) {
  return node.result(node.emit.ints({elementCount(shapeOf(node.input(0)))}, {}));
}

LogicalResult importReshape(Node &node) {
  Value input = node.input(0);
  auto wanted = node.intsFrom("shape", 1);
  if (failed(wanted) || !*wanted)
    return failure();
  ShapeVector shape = **wanted;
  int64_t known = 1, unknown = -1, elements = elementCount(shapeOf(input));
  for (auto [i, size] : llvm::enumerate(shape)) {
    if (size == 0 && !node.intAttribute("allowzero", 0) && static_cast<int64_t>(i) < rankOf(input))
      size = shapeOf(input)[i];
    if (size == -1 && unknown < 0)
      unknown = i;
    else if (size < 0)
      return node.error() << "shape has a negative size";
    else
      known *= size;
  }
  if (unknown >= 0)
    shape[unknown] = known == 0 ? 0 : elements / known;
  if (elementCount(shape) != elements) {
    InFlightDiagnostic diagnostic = node.error() << "cannot reshape " << input.getType() << " to [";
    llvm::interleaveComma(**wanted, diagnostic);
    return diagnostic << "]: the numbers of elements differ";
  }
  return node.result(node.emit.reshape(input, shape));
}

LogicalResult importFlatten(Node &node) {
  Value input = node.input(0);
  int64_t axis = node.intAttribute("axis", 1), rank = rankOf(input);
  axis = axis < 0 ? axis + rank : axis;
  if (axis < 0 || axis > rank)
    return node.error() << "axis is outside of " << input.getType();
  Shape shape = shapeOf(input);
  return node.result(
      node.emit.reshape(input, {elementCount(shape.take_front(axis)), elementCount(shape.drop_front(axis))}));
}

LogicalResult importSqueeze(Node &node) {
  Value input = node.input(0);
  auto given = node.intsFrom("axes", 1);
  if (failed(given))
    return failure();
  ShapeVector dropped;
  if (*given) {
    auto axes = node.axes(**given, rankOf(input));
    if (failed(axes))
      return failure();
    dropped = *axes;
  }
  ShapeVector shape;
  for (auto [i, size] : llvm::enumerate(shapeOf(input))) {
    bool drop = *given ? llvm::is_contained(dropped, static_cast<int64_t>(i)) : size == 1;
    if (drop && size != 1)
      return node.error() << "cannot squeeze dimension " << i << " of " << input.getType();
    if (!drop)
      shape.push_back(size);
  }
  return node.result(node.emit.reshape(input, shape));
}

LogicalResult importUnsqueeze(Node &node) {
  Value input = node.input(0);
  auto given = node.intsFrom("axes", 1);
  if (failed(given) || !*given)
    return failed(given) ? failure() : node.error() << "axes are missing";
  int64_t rank = rankOf(input) + (*given)->size();
  auto axes = node.axes(**given, rank);
  if (failed(axes))
    return failure();
  ShapeVector shape;
  Shape rest = shapeOf(input);
  for (int64_t i = 0; i < rank; ++i) {
    bool isNew = llvm::is_contained(*axes, i);
    shape.push_back(isNew ? 1 : rest.front());
    rest = isNew ? rest : rest.drop_front();
  }
  return node.result(node.emit.reshape(input, shape));
}

LogicalResult importTranspose(Node &node) {
  Value input = node.input(0);
  ShapeVector reversed(rankOf(input));
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  ShapeVector permutation = node.intsAttribute("perm").value_or(reversed);
  auto sorted = node.axes(permutation, rankOf(input));
  if (failed(sorted))
    return failure();
  if (static_cast<int64_t>(sorted->size()) != rankOf(input))
    return node.error() << "perm has " << permutation.size() << " entries for " << input.getType();
  return node.result(node.emit.transpose(input, permutation));
}

//===----------------------------------------------------------------------===//
// Joining and splitting
//===----------------------------------------------------------------------===//

FailureOr<Value> concatenate(Node &node, ArrayRef<Value> given, int64_t axisGiven) {
  if (given.empty())
    return node.error() << "there is nothing to concatenate";
  auto axis = node.axis(axisGiven, rankOf(given.front()));
  if (failed(axis))
    return failure();
  SmallVector<Value> inputs;
  for (Value input : given) {
    ShapeVector shape(shapeOf(input));
    if (shape.size() == shapeOf(given.front()).size())
      shape[*axis] = shapeOf(given.front())[*axis];
    if (Shape(shape) != shapeOf(given.front()) || elementOf(input) != elementOf(given.front()))
      return node.error() << "cannot concatenate " << given.front().getType() << " and " << input.getType()
                          << " along axis " << *axis;
    if (shapeOf(input)[*axis] > 0)
      inputs.push_back(input);
  }
  return node.emit.concat(inputs.empty() ? ArrayRef(given.front()) : ArrayRef(inputs), *axis);
}

LogicalResult importConcat(Node &node) {
  SmallVector<Value> inputs;
  for (unsigned i = 0; i < node.inputCount(); ++i)
    inputs.push_back(node.input(i));
  auto result = concatenate(node, inputs, node.intAttribute("axis", 0));
  return failed(result) ? failure() : node.result(*result);
}

FailureOr<std::vector<Value>> splitInto(Node &node, Value input, int64_t axis, ArrayRef<int64_t> sizes) {
  std::vector<Value> parts;
  int64_t start = 0;
  for (int64_t size : sizes) {
    if (size < 0 || start + size > shapeOf(input)[axis])
      return node.error() << "the parts do not fit dimension " << axis << " of " << input.getType();
    parts.push_back(node.emit.sliceAxis(input, axis, start, size));
    start += size;
  }
  if (start != shapeOf(input)[axis])
    return node.error() << "the parts leave a rest of dimension " << axis << " of " << input.getType();
  return parts;
}

/// Sizes of parts of at most `part` elements.
ShapeVector evenParts(int64_t size, int64_t part) {
  ShapeVector sizes;
  for (int64_t start = 0; start < size && part > 0; start += part)
    sizes.push_back(std::min(part, size - start));
  return sizes;
}

LogicalResult importSplit(Node &node) {
  Value input = node.input(0);
  auto axis = node.axis(node.intAttribute("axis", 0), rankOf(input));
  auto given = node.intsFrom("split", 1);
  if (failed(axis) || failed(given))
    return failure();
  int64_t size = shapeOf(input)[*axis], count = node.proto.output_size();
  ShapeVector sizes = *given ? **given : evenParts(size, (size + count - 1) / count);
  auto parts = splitInto(node, input, *axis, sizes);
  if (failed(parts))
    return failure();
  if (static_cast<int64_t>(parts->size()) != count)
    return node.error() << "it makes " << parts->size() << " parts of " << input.getType() << " but has " << count
                        << " outputs";
  for (auto [i, part] : llvm::enumerate(*parts))
    (void)node.result(i, part);
  return success();
}

//===----------------------------------------------------------------------===//
// Sequences, which disappear: their lengths are known
//===----------------------------------------------------------------------===//

LogicalResult importSplitToSequence(Node &node) {
  Value input = node.input(0);
  auto axis = node.axis(node.intAttribute("axis", 0), rankOf(input));
  if (failed(axis))
    return failure();
  int64_t size = shapeOf(input)[*axis];
  ShapeVector sizes(size, 1);
  bool given = node.hasInput(1);
  if (given) {
    auto split = node.constantInts(1, "split");
    if (failed(split))
      return failure();
    sizes = rankOf(node.input(1)) == 0 && split->size() == 1 ? evenParts(size, split->front()) : *split;
  }
  auto parts = splitInto(node, input, *axis, sizes);
  if (failed(parts))
    return failure();
  if (!given && !node.intAttribute("keepdims", 1))
    for (Value &part : *parts) {
      ShapeVector shape(shapeOf(part));
      shape.erase(shape.begin() + *axis);
      part = node.emit.reshape(part, shape);
    }
  return node.resultSequence(std::move(*parts));
}

LogicalResult importSequenceAt(Node &node) {
  const ImportedValue *sequence = node.imported(0);
  auto index = node.constantInts(1, "position");
  if (failed(index) || !sequence->sequence || index->size() != 1)
    return failed(index) ? failure() : node.error() << "expected a sequence and one position";
  int64_t size = sequence->sequence->size(), at = index->front() < 0 ? index->front() + size : index->front();
  if (at < 0 || at >= size)
    return node.error() << "position " << index->front() << " is outside of a sequence of " << size << " tensors";
  return node.result((*sequence->sequence)[at]);
}

LogicalResult importSequenceConstruct(Node &node) {
  std::vector<Value> values;
  values.reserve(node.inputCount());
  for (unsigned i = 0; i < node.inputCount(); ++i)
    values.push_back(node.input(i));
  return node.resultSequence(std::move(values));
}

LogicalResult importConcatFromSequence(Node &node) {
  const ImportedValue *sequence = node.imported(0);
  if (!sequence->sequence || sequence->sequence->empty())
    return node.error() << "expected a sequence of one tensor or more";
  std::vector<Value> values = *sequence->sequence;
  int64_t axis = node.intAttribute("axis", 0);
  if (node.intAttribute("new_axis", 0))
    for (Value &value : values) {
      ShapeVector shape(shapeOf(value));
      auto at = node.axis(axis, shape.size() + 1);
      if (failed(at))
        return failure();
      shape.insert(shape.begin() + *at, 1);
      value = node.emit.reshape(value, shape);
    }
  auto result = concatenate(node, values, axis);
  return failed(result) ? failure() : node.result(*result);
}

//===----------------------------------------------------------------------===//
// Repeating and padding
//===----------------------------------------------------------------------===//

LogicalResult importExpand(Node &node) {
  Value input = node.input(0);
  auto wanted = node.constantInts(1, "shape");
  if (failed(wanted))
    return failure();
  auto shape = broadcastShapes(shapeOf(input), *wanted);
  if (!shape)
    return node.error() << "cannot expand " << input.getType() << " to the wanted shape";
  return node.result(node.emit.broadcastTo(input, *shape));
}

// [a, b] repeated [m, n] times: [1, a, 1, b] broadcast to [m, a, n, b].
LogicalResult importTile(Node &node) {
  Value input = node.input(0);
  auto repeats = node.constantInts(1, "repeats");
  if (failed(repeats))
    return failure();
  if (static_cast<int64_t>(repeats->size()) != rankOf(input))
    return node.error() << "expected one number of repeats for each dimension of " << input.getType();
  ShapeVector spread, dimensions, shape;
  for (auto [i, size] : llvm::enumerate(shapeOf(input))) {
    spread.push_back((*repeats)[i]);
    dimensions.push_back(spread.size());
    spread.push_back(size);
    shape.push_back(size * (*repeats)[i]);
    if ((*repeats)[i] < 0)
      return node.error() << "expected repeats of 0 or more";
  }
  if (Shape(shape) == shapeOf(input))
    return node.result(input);
  return node.result(node.emit.reshape(node.emit.broadcast(input, spread, dimensions), shape));
}

LogicalResult importPad(Node &node) {
  Emitter &emit = node.emit;
  Value input = node.input(0);
  if (node.stringAttribute("mode", "constant") != "constant")
    return node.error() << "mode '" << node.stringAttribute("mode", "") << "' is not supported: expected 'constant'";
  auto pads = node.intsFrom("pads", 1);
  if (failed(pads) || !*pads)
    return failed(pads) ? failure() : node.error() << "pads are missing";
  double value = node.floatAttribute("value", 0);
  if (node.hasInput(2)) {
    auto given = node.constantFloat(2, "constant_value");
    if (failed(given))
      return failure();
    value = *given;
  }
  int64_t rank = rankOf(input);
  ShapeVector axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  if (node.hasInput(3)) {
    auto given = node.constantInts(3, "axes");
    if (failed(given))
      return failure();
    axes = *given;
  }
  if ((*pads)->size() != 2 * axes.size())
    return node.error() << "expected two pads for each axis, found " << (*pads)->size();
  ShapeVector low(rank, 0), high(rank, 0), starts(rank, 0), strides(rank, 1), sizes(shapeOf(input));
  for (auto [i, given] : llvm::enumerate(axes)) {
    auto axis = node.axis(given, rank);
    if (failed(axis))
      return failure();
    int64_t begin = (**pads)[i], end = (**pads)[axes.size() + i];
    low[*axis] = std::max<int64_t>(begin, 0);
    high[*axis] = std::max<int64_t>(end, 0);
    starts[*axis] = std::max<int64_t>(-begin, 0);
    sizes[*axis] -= starts[*axis] + std::max<int64_t>(-end, 0);
    if (sizes[*axis] < 0)
      return node.error() << "negative pads remove more than there is of " << input.getType();
  }
  return node.result(emit.pad(emit.slice(input, starts, sizes, strides), low, high, value));
}

// [n, c, h, w] to [n, c / b^2, h b, w b] and back.
LogicalResult importDepthToSpace(Node &node) {
  Emitter &emit = node.emit;
  Value x = node.input(0);
  int64_t b = node.intAttribute("blocksize", 0);
  if (rankOf(x) != 4 || b < 1 || shapeOf(x)[1] % (b * b) != 0)
    return node.error() << "blocksize " << b << " does not fit " << x.getType();
  Shape s = shapeOf(x);
  int64_t n = s[0], c = s[1] / (b * b), h = s[2], w = s[3];
  bool depthFirst = node.stringAttribute("mode", "DCR") == "DCR";
  x = emit.reshape(x, depthFirst ? ShapeVector{n, b, b, c, h, w} : ShapeVector{n, c, b, b, h, w});
  x = emit.transpose(x, depthFirst ? ShapeVector{0, 3, 4, 1, 5, 2} : ShapeVector{0, 1, 4, 2, 5, 3});
  return node.result(emit.reshape(x, {n, c, h * b, w * b}));
}

LogicalResult importSpaceToDepth(Node &node) {
  Emitter &emit = node.emit;
  Value x = node.input(0);
  int64_t b = node.intAttribute("blocksize", 0);
  if (rankOf(x) != 4 || b < 1 || shapeOf(x)[2] % b != 0 || shapeOf(x)[3] % b != 0)
    return node.error() << "blocksize " << b << " does not fit " << x.getType();
  Shape s = shapeOf(x);
  int64_t n = s[0], c = s[1], h = s[2] / b, w = s[3] / b;
  x = emit.transpose(emit.reshape(x, {n, c, h, b, w, b}), {0, 3, 5, 1, 2, 4});
  return node.result(emit.reshape(x, {n, c * b * b, h, w}));
}

} // namespace

void addShape(HandlerTable &table) {
  table["Shape"] = {importShape, 1};
  table["Size"] = {importSize, 1};
  table["Reshape"] = {importReshape, 1};
  table["Flatten"] = {importFlatten, 1};
  table["Squeeze"] = {importSqueeze, 1};
  table["Unsqueeze"] = {importUnsqueeze, 1};
  table["Transpose"] = {importTranspose, 1};
  table["Concat"] = {importConcat, 1};
  table["Split"] = {importSplit, 1};
  table["SplitToSequence"] = {importSplitToSequence, 1};
  table["SequenceAt"] = {importSequenceAt, 2};
  table["SequenceConstruct"] = {importSequenceConstruct, 1};
  table["ConcatFromSequence"] = {importConcatFromSequence, 1};
  table["Expand"] = {importExpand, 2};
  table["Tile"] = {importTile, 2};
  table["Pad"] = {importPad, 1};
  table["DepthToSpace"] = {importDepthToSpace, 1};
  table["SpaceToDepth"] = {importSpaceToDepth, 1};
}

} // namespace tw::import
