// Verifiers of matrix products, convolutions and pooling.
#include "compiler/Dialect/Graph/Verification.h"

using namespace mlir;
using namespace tw::graph;

//===----------------------------------------------------------------------===//
// matmul
//===----------------------------------------------------------------------===//

LogicalResult MatMulOp::verify() {
  ArrayRef<int64_t> lhs = shapeOf(getLhs()), rhs = shapeOf(getRhs());
  if (lhs.size() < 2 || lhs.size() != rhs.size() || lhs.drop_back(2) != rhs.drop_back(2))
    return emitOpError("(C1) lhs ") << toText(lhs) << " and rhs " << toText(rhs)
                                    << " need equal ranks of at least 2 and equal batch dimensions";
  size_t rank = lhs.size();
  int64_t m = lhs[rank - 2], k = lhs[rank - 1], otherK = rhs[rank - 2], n = rhs[rank - 1];
  if (getTransposeLhs())
    std::swap(m, k);
  if (getTransposeRhs())
    std::swap(otherK, n);
  if (k != otherK)
    return emitOpError("(C2) contracting sizes differ: ")
           << k << " of lhs " << toText(lhs) << ", " << otherK << " of rhs " << toText(rhs);
  SmallVector<int64_t> expected(lhs.drop_back(2));
  expected.append({m, n});
  if (failed(verifyShape(*this, "C2", "result", getResult(), expected)) || failed(verifyElementTypes(*this, "C2")))
    return failure();
  if (getInit() && shapeOf(getInit()) != ArrayRef<int64_t>(expected) && shapeOf(getInit()) != ArrayRef<int64_t>{n})
    return emitOpError("(C3) init has shape ")
           << toText(shapeOf(getInit())) << ", expected " << toText(expected) << " or " << toText({n});
  return success();
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// (in + begin + end - dilation * (window - 1) - 1) / stride + 1, rounded down; at most 0 when no window fits.
static int64_t windowCount(int64_t in, int64_t begin, int64_t end, int64_t dilation, int64_t window, int64_t stride) {
  int64_t room = in + begin + end - dilation * (window - 1) - 1;
  return room < 0 ? 0 : room / stride + 1;
}

/// What convolution and pooling ops have in common: attribute lengths and values.
template <typename Op>
static LogicalResult verifyWindowAttributes(Op op, int64_t spatial, StringRef valueConstraint) {
  return success(succeeded(verifyEntries(op, "C1", valueConstraint, "strides", op.getStrides(), spatial, 1)) &&
                 succeeded(verifyEntries(op, "C1", valueConstraint, "pads", op.getPads(), 2 * spatial, 0)) &&
                 succeeded(verifyEntries(op, "C1", valueConstraint, "dilations", op.getDilations(), spatial, 1)));
}

/// Spatial sizes of `out` follow from those of `in`.
template <typename Op>
static LogicalResult verifySpatialSizes(Op op, StringRef constraint, ArrayRef<int64_t> in, ArrayRef<int64_t> window,
                                        ArrayRef<int64_t> out, StringRef outName) {
  size_t spatial = window.size();
  for (size_t d = 0; d < spatial; ++d) {
    int64_t expected = windowCount(in[2 + d], op.getPads()[d], op.getPads()[spatial + d], op.getDilations()[d],
                                   window[d], op.getStrides()[d]);
    if (expected <= 0)
      return op.emitOpError("(") << constraint << ") the window does not fit spatial dimension " << d << " of size "
                                 << in[2 + d];
    if (out[2 + d] != expected)
      return op.emitOpError("(") << constraint << ") " << outName << " has size " << out[2 + d]
                                 << " in spatial dimension " << d << ", expected " << expected;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// convolution
//===----------------------------------------------------------------------===//

/// (C1) to (C3) of graph.convolution for input, filter -> output, which any of the three ops may compute.
template <typename Op>
static LogicalResult verifyConvolution(Op op, Value input, Value filter, Value output, StringRef outputName) {
  ArrayRef<int64_t> in = shapeOf(input), window = shapeOf(filter), out = shapeOf(output);
  if (in.size() < 3 || in.size() > 5 || window.size() != in.size() || out.size() != in.size())
    return op.emitOpError("(C1) input ") << toText(in) << ", filter " << toText(window) << " and output " << toText(out)
                                         << " need equal ranks from 3 to 5";
  int64_t groups = op.getGroups();
  if (failed(verifyElementTypes(op, "C1")) || failed(verifyWindowAttributes(op, in.size() - 2, "C2")))
    return failure();
  if (groups < 1 || in[1] % groups != 0 || window[0] % groups != 0)
    return op.emitOpError("(C2) ") << groups << " groups do not divide " << in[1] << " channels and " << window[0]
                                   << " filters";
  if (window[1] != in[1] / groups || out[0] != in[0] || out[1] != window[0])
    return op.emitOpError("(C2) channels or batches disagree: input ")
           << toText(in) << ", filter " << toText(window) << ", output " << toText(out) << ", " << groups << " groups";
  return verifySpatialSizes(op, "C3", in, window.drop_front(2), out, outputName);
}

LogicalResult ConvolutionOp::verify() {
  if (failed(verifyConvolution(*this, getInput(), getFilter(), getResult(), "result")))
    return failure();
  return verifyShape(*this, "C2", "bias", getBias(), shapeOf(getFilter()).take_front(1));
}
LogicalResult ConvolutionBackwardInputOp::verify() {
  return verifyConvolution(*this, getResult(), getFilter(), getCotangent(), "cotangent");
}
LogicalResult ConvolutionBackwardFilterOp::verify() {
  return verifyConvolution(*this, getInput(), getResult(), getCotangent(), "cotangent");
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

/// Whether each window along one dimension has an element inside [0, in).
static bool everyWindowTouches(int64_t in, int64_t begin, int64_t dilation, int64_t window, int64_t stride,
                               int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    bool touches = false;
    for (int64_t tap = 0; tap < window && !touches; ++tap) {
      int64_t position = i * stride - begin + tap * dilation;
      touches = position >= 0 && position < in;
    }
    if (!touches)
      return false;
  }
  return true;
}

template <typename Op>
static LogicalResult verifyPool(Op op, Value input, Value output, StringRef outputName) {
  ArrayRef<int64_t> in = shapeOf(input), out = shapeOf(output);
  if (in.size() < 3 || in.size() > 5 || out.size() != in.size())
    return op.emitOpError("(C1) input ") << toText(in) << " and output " << toText(out)
                                         << " need equal ranks from 3 to 5";
  int64_t spatial = in.size() - 2;
  if (failed(verifyElementTypes(op, "C1")) || failed(verifyWindowAttributes(op, spatial, "C1")) ||
      failed(verifyEntries(op, "C1", "C1", "window", op.getWindow(), spatial, 1)))
    return failure();
  if (in.take_front(2) != out.take_front(2))
    return op.emitOpError("(C2) batches or channels disagree: input ")
           << toText(in) << ", " << outputName << " " << toText(out);
  if (failed(verifySpatialSizes(op, "C2", in, op.getWindow(), out, outputName)))
    return failure();
  for (int64_t d = 0; d < spatial; ++d)
    if (!everyWindowTouches(in[2 + d], op.getPads()[d], op.getDilations()[d], op.getWindow()[d], op.getStrides()[d],
                            out[2 + d]))
      return op.emitOpError("(C1) a window lies in the padding alone in spatial dimension ") << d;
  return success();
}

LogicalResult MaxPoolOp::verify() {
  return verifyPool(*this, getInput(), getResult(), "result");
}
LogicalResult AveragePoolOp::verify() {
  return verifyPool(*this, getInput(), getResult(), "result");
}
LogicalResult AveragePoolBackwardOp::verify() {
  return verifyPool(*this, getResult(), getCotangent(), "cotangent");
}
LogicalResult MaxPoolBackwardOp::verify() {
  if (failed(verifyType(*this, "C1", "result", getResult(), typeOf(getInput()))))
    return failure();
  return verifyPool(*this, getInput(), getCotangent(), "cotangent");
}
