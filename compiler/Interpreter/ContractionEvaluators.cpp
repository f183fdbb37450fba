// Matrix products and convolutions.
#include "compiler/Interpreter/Evaluator.h"

#include "compiler/Dialect/Graph/Graph.h"

using namespace mlir;
using namespace tw::interpreter;
using namespace tw::graph;

static void evaluateMatMul(MatMulOp op, Evaluation &e) {
  const Tensor &lhs = e[op.getLhs()], &rhs = e[op.getRhs()];
  const Tensor *init = e.find(op.getInit());
  Tensor &result = e.results[0];
  int64_t rank = result.getRank(), depth = lhs.getDimSize(op.getTransposeLhs() ? rank - 2 : rank - 1);
  SmallVector<int64_t> left, right;
  forEachIndex(result.getShape(), [&](ArrayRef<int64_t> index) {
    int64_t m = index[rank - 2], n = index[rank - 1];
    left.assign(index.begin(), index.end());
    right.assign(index.begin(), index.end());
    double sum = 0;
    if (init)
      sum = init->getRank() == rank ? init->real(index) : init->real(n);
    for (int64_t k = 0; k < depth; ++k) {
      left[rank - 2] = op.getTransposeLhs() ? k : m;
      left[rank - 1] = op.getTransposeLhs() ? m : k;
      right[rank - 2] = op.getTransposeRhs() ? n : k;
      right[rank - 1] = op.getTransposeRhs() ? k : n;
      sum += lhs.real(left) * rhs.real(right);
    }
    result.real(index) = sum;
  });
}

namespace {
/// What the three convolution ops have in common.
struct Convolution {
  ArrayRef<int64_t> input, filter, output; // shapes
  ArrayRef<int64_t> strides, pads, dilations;
  int64_t groups;
};
} // namespace

/// Calls `visit(input offset, filter offset, output offset)` for each product that a convolution adds up.
static void forEachProduct(const Convolution &c, llvm::function_ref<void(int64_t, int64_t, int64_t)> visit) {
  size_t spatial = c.input.size() - 2;
  int64_t channels = c.filter[1], filtersPerGroup = c.filter[0] / c.groups;
  forEachIndex(c.output, [&](ArrayRef<int64_t> out) {
    int64_t outputOffset = 0;
    for (auto [size, i] : llvm::zip_equal(c.output, out))
      outputOffset = outputOffset * size + i;
    int64_t firstChannel = out[1] / filtersPerGroup * channels;
    forEachIndex(c.filter.drop_front(), [&](ArrayRef<int64_t> tap) {
      int64_t inputOffset = out[0] * c.input[1] + firstChannel + tap[0];
      int64_t filterOffset = out[1] * channels + tap[0];
      for (size_t d = 0; d < spatial; ++d) {
        int64_t position = out[2 + d] * c.strides[d] - c.pads[d] + tap[1 + d] * c.dilations[d];
        if (position < 0 || position >= c.input[2 + d])
          return;
        inputOffset = inputOffset * c.input[2 + d] + position;
        filterOffset = filterOffset * c.filter[2 + d] + tap[1 + d];
      }
      visit(inputOffset, filterOffset, outputOffset);
    });
  });
}

template <typename Op>
static Convolution convolutionOf(Op op, const Tensor &input, const Tensor &filter, const Tensor &output) {
  return {input.getShape(),
          filter.getShape(),
          output.getShape(),
          op.getStrides(),
          op.getPads(),
          op.getDilations(),
          static_cast<int64_t>(op.getGroups())};
}

static void evaluateConvolution(ConvolutionOp op, Evaluation &e) {
  const Tensor &input = e[op.getInput()], &filter = e[op.getFilter()];
  Tensor &result = e.results[0];
  if (const Tensor *bias = e.find(op.getBias()))
    forEachIndex(result.getShape(), [&](ArrayRef<int64_t> index) { result.real(index) = bias->real(index[1]); });
  forEachProduct(convolutionOf(op, input, filter, result),
                 [&](int64_t i, int64_t f, int64_t o) { result.real(o) += input.real(i) * filter.real(f); });
}

static void evaluateConvolutionBackwardInput(ConvolutionBackwardInputOp op, Evaluation &e) {
  const Tensor &cotangent = e[op.getCotangent()], &filter = e[op.getFilter()];
  Tensor &result = e.results[0];
  forEachProduct(convolutionOf(op, result, filter, cotangent),
                 [&](int64_t i, int64_t f, int64_t o) { result.real(i) += cotangent.real(o) * filter.real(f); });
}

static void evaluateConvolutionBackwardFilter(ConvolutionBackwardFilterOp op, Evaluation &e) {
  const Tensor &cotangent = e[op.getCotangent()], &input = e[op.getInput()];
  Tensor &result = e.results[0];
  forEachProduct(convolutionOf(op, input, result, cotangent),
                 [&](int64_t i, int64_t f, int64_t o) { result.real(f) += cotangent.real(o) * input.real(i); });
}

void tw::interpreter::addContractionEvaluators(EvaluatorTable &table) {
  table.add(evaluateMatMul);
  table.add(evaluateConvolution);
  table.add(evaluateConvolutionBackwardInput);
  table.add(evaluateConvolutionBackwardFilter);
}
