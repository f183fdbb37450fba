// Convolution and pooling.
#include "compiler/Import/Importer.h"

using namespace mlir;

namespace tw::import {
namespace {

struct Window {
  ShapeVector size, strides, pads, dilations;
  unsigned spatial() const { return size.size(); }
};

int64_t windowCount(const Window &window, unsigned i, int64_t input) {
  int64_t reach = window.dilations[i] * (window.size[i] - 1) + 1;
  int64_t room = input + window.pads[i] + window.pads[window.spatial() + i] - reach;
  return room < 0 ? 0 : room / window.strides[i] + 1;
}

// auto_pad SAME: the result has ceil(in / stride) positions; an odd surplus goes to the end (UPPER) or the begin.
void padSame(Window &window, Shape input, bool upper) {
  for (unsigned i = 0; i < window.spatial(); ++i) {
    int64_t positions = (input[i] + window.strides[i] - 1) / window.strides[i];
    int64_t reach = window.dilations[i] * (window.size[i] - 1) + 1;
    int64_t total = std::max<int64_t>(0, (positions - 1) * window.strides[i] + reach - input[i]);
    window.pads[i] = upper ? total / 2 : total - total / 2;
    window.pads[window.spatial() + i] = total - window.pads[i];
  }
}

FailureOr<Window> readWindow(Node &node, Shape input, Shape kernel) {
  Window window;
  unsigned n = kernel.size();
  window.size.assign(kernel.begin(), kernel.end());
  window.strides = node.intsAttribute("strides").value_or(ShapeVector(n, 1));
  window.dilations = node.intsAttribute("dilations").value_or(ShapeVector(n, 1));
  window.pads = node.intsAttribute("pads").value_or(ShapeVector(2 * n, 0));
  bool fits = n >= 1 && n <= 3 && input.size() == n && window.strides.size() == n && window.dilations.size() == n &&
              window.pads.size() == 2 * n;
  auto below = [](int64_t bound) { return [bound](int64_t value) { return value < bound; }; };
  if (!fits || llvm::any_of(window.strides, below(1)) || llvm::any_of(window.dilations, below(1)) ||
      llvm::any_of(window.pads, below(0)) || llvm::any_of(window.size, below(1)))
    return node.error() << "kernel_shape, strides, pads and dilations do not fit 1 to 3 spatial dimensions";
  StringRef autoPad = node.stringAttribute("auto_pad", "NOTSET");
  if (autoPad.starts_with("SAME"))
    padSame(window, input, autoPad == "SAME_UPPER");
  else if (autoPad == "VALID")
    window.pads.assign(2 * n, 0);
  return window;
}

// Adds a bias [channels] to a tensor [n, channels, spatial...].
Value addBias(Emitter &emit, Value x, Value bias) {
  return emit.add(x, emit.broadcast(bias, shapeOf(x), {1}));
}

LogicalResult checkConvolution(Node &node, Value input, Value filter, Value bias) {
  bool fits = rankOf(input) >= 3 && rankOf(input) <= 5 && rankOf(filter) == rankOf(input) && isFloat(input) &&
              elementOf(filter) == elementOf(input) && (!bias || rankOf(bias) == 1);
  if (!fits)
    return node.error()
           << "expected an input [n, c, spatial...] with 1 to 3 spatial dimensions and a filter of the same "
           << "rank, found " << input.getType() << " and " << filter.getType();
  return success();
}

LogicalResult importConv(Node &node) {
  Emitter &emit = node.emit;
  Value input = node.input(0), filter = node.input(1), bias = node.input(2);
  if (failed(checkConvolution(node, input, filter, bias)))
    return failure();
  auto window = readWindow(node, shapeOf(input).drop_front(2), shapeOf(filter).drop_front(2));
  if (failed(window))
    return failure();
  int64_t groups = node.intAttribute("group", 1), channels = shapeOf(input)[1], outputs = shapeOf(filter)[0];
  if (groups < 1 || channels != shapeOf(filter)[1] * groups || outputs % groups != 0 ||
      (bias && shapeOf(bias)[0] != outputs))
    return node.error() << "channels, filter and group do not fit: " << input.getType() << ", " << filter.getType()
                        << ", group " << groups;
  if (splatOf(bias) == 0.0)
    bias = {};
  ShapeVector shape{shapeOf(input)[0], outputs};
  for (unsigned i = 0; i < window->spatial(); ++i) {
    shape.push_back(windowCount(*window, i, shapeOf(input)[2 + i]));
    if (shape.back() < 1)
      return node.error() << "the filter is larger than the padded input: " << input.getType() << ", "
                          << filter.getType();
  }
  return node.result(graph::ConvolutionOp::create(emit.builder, emit.location, typeOf(input).clone(shape), input,
                                                  filter, bias, window->strides, window->pads, window->dilations,
                                                  groups));
}

// The adjoint of a convolution that has this node's input as its result.
LogicalResult importConvTranspose(Node &node) {
  Emitter &emit = node.emit;
  Value input = node.input(0), filter = node.input(1), bias = node.input(2);
  if (failed(checkConvolution(node, input, filter, bias)))
    return failure();
  auto window = readWindow(node, shapeOf(input).drop_front(2), shapeOf(filter).drop_front(2));
  if (failed(window))
    return failure();
  unsigned n = window->spatial();
  if (node.attribute("output_shape") || node.stringAttribute("auto_pad", "NOTSET").starts_with("SAME"))
    return node.error() << "output_shape and auto_pad are not supported: expected explicit pads";
  ShapeVector extra = node.intsAttribute("output_padding").value_or(ShapeVector(n, 0));
  int64_t groups = node.intAttribute("group", 1);
  if (extra.size() != n || groups < 1 || shapeOf(input)[1] != shapeOf(filter)[0] || shapeOf(input)[1] % groups != 0)
    return node.error() << "channels, filter and group do not fit: " << input.getType() << ", " << filter.getType()
                        << ", group " << groups;
  ShapeVector shape{shapeOf(input)[0], shapeOf(filter)[1] * groups};
  for (unsigned i = 0; i < n; ++i) {
    int64_t reach = window->dilations[i] * (window->size[i] - 1) + 1;
    shape.push_back(window->strides[i] * (shapeOf(input)[2 + i] - 1) + reach + extra[i] - window->pads[i] -
                    window->pads[n + i]);
    if (shape.back() < 1)
      return node.error() << "its pads leave nothing of the result";
  }
  Value result =
      graph::ConvolutionBackwardInputOp::create(emit.builder, emit.location, typeOf(input).clone(shape), input, filter,
                                                window->strides, window->pads, window->dilations, groups);
  bool biased = bias && splatOf(bias) != 0.0;
  return node.result(biased ? addBias(emit, result, bias) : result);
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

// ceil_mode: one more position where a window begins inside the input or its begin padding; end pads grow to say so.
void growForCeil(Window &window, Shape input) {
  for (unsigned i = 0; i < window.spatial(); ++i) {
    int64_t reach = window.dilations[i] * (window.size[i] - 1) + 1;
    int64_t &end = window.pads[window.spatial() + i];
    int64_t surplus = (input[i] + window.pads[i] + end - reach) % window.strides[i];
    int64_t positions = windowCount(window, i, input[i]);
    if (surplus > 0 && positions * window.strides[i] < input[i] + window.pads[i])
      end += window.strides[i] - surplus;
  }
}

FailureOr<Window> readPool(Node &node, Value input, ShapeVector &shape) {
  auto kernel = node.intsAttribute("kernel_shape");
  if (rankOf(input) < 3 || !isFloat(input) || !kernel)
    return node.error() << "expected a float input [n, c, spatial...] and kernel_shape, found " << input.getType();
  auto window = readWindow(node, shapeOf(input).drop_front(2), *kernel);
  if (failed(window))
    return failure();
  if (node.intAttribute("ceil_mode", 0))
    growForCeil(*window, shapeOf(input).drop_front(2));
  shape.assign({shapeOf(input)[0], shapeOf(input)[1]});
  for (unsigned i = 0; i < window->spatial(); ++i) {
    shape.push_back(windowCount(*window, i, shapeOf(input)[2 + i]));
    if (shape.back() < 1)
      return node.error() << "the window is larger than the padded input " << input.getType();
  }
  return window;
}

LogicalResult importMaxPool(Node &node) {
  Emitter &emit = node.emit;
  Value input = node.input(0);
  ShapeVector shape;
  auto window = readPool(node, input, shape);
  if (failed(window) || failed(node.refuseOutputsFrom(1, "the indices of maxima")))
    return failure();
  return node.result(graph::MaxPoolOp::create(emit.builder, emit.location, typeOf(input).clone(shape), input,
                                              window->size, window->strides, window->pads, window->dilations));
}

LogicalResult importAveragePool(Node &node) {
  Emitter &emit = node.emit;
  Value input = node.input(0);
  ShapeVector shape;
  auto window = readPool(node, input, shape);
  if (failed(window))
    return failure();
  bool countPads = node.intAttribute("count_include_pad", 0);
  if (countPads && node.intAttribute("ceil_mode", 0))
    return node.error() << "ceil_mode together with count_include_pad is not supported";
  return node.result(graph::AveragePoolOp::create(emit.builder, emit.location, typeOf(input).clone(shape), input,
                                                  window->size, window->strides, window->pads, window->dilations,
                                                  countPads));
}

template <graph::Reduction kind>
LogicalResult importGlobalPool(Node &node) {
  Emitter &emit = node.emit;
  Value input = node.input(0);
  if (rankOf(input) < 3 || !isFloat(input))
    return node.error() << "expected a float input [n, c, spatial...], found " << input.getType();
  ShapeVector dimensions, shape(shapeOf(input));
  for (int64_t i = 2; i < rankOf(input); ++i) {
    dimensions.push_back(i);
    shape[i] = 1;
  }
  Value result = emit.reduce(input, kind, dimensions);
  if (kind == graph::Reduction::Sum)
    result = emit.scale(result, 1.0 / elementCount(shapeOf(input).drop_front(2)));
  return node.result(emit.reshape(result, shape));
}

} // namespace

void addConvolution(HandlerTable &table) {
  table["Conv"] = {importConv, 2};
  table["ConvTranspose"] = {importConvTranspose, 2};
  table["MaxPool"] = {importMaxPool, 1};
  table["AveragePool"] = {importAveragePool, 1};
  table["GlobalAveragePool"] = {importGlobalPool<graph::Reduction::Sum>, 1};
  table["GlobalMaxPool"] = {importGlobalPool<graph::Reduction::Max>, 1};
}

} // namespace tw::import
