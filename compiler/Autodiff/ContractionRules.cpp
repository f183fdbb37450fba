// Gradient rules of matrix products, convolution and pooling.
#include "compiler/Autodiff/Rules.h"

#include "compiler/Dialect/Graph/Graph.h"

using namespace mlir;
using namespace tw::graph;

namespace tw::autodiff {

/// All dimensions of `type` except `kept`.
static SmallVector<int64_t> dimensionsBut(Type type, int64_t kept) {
  SmallVector<int64_t> dimensions;
  for (int64_t dimension = 0; dimension < cast<RankedTensorType>(type).getRank(); ++dimension)
    if (dimension != kept)
      dimensions.push_back(dimension);
  return dimensions;
}

/// With y = A B: dA = dy B^T and dB = A^T dy, each in the layout in which its operand is stored.
static Cotangents matmulRule(MatMulOp op, Reverse &r) {
  Value lhs = op.getLhs(), rhs = op.getRhs(), dy = r.dy();
  bool lhsTransposed = op.getTransposeLhs(), rhsTransposed = op.getTransposeRhs();
  auto product = [&](Value a, Value b, Value like, bool transposeA, bool transposeB) {
    return r.make<MatMulOp>(like.getType(), a, b, /*init=*/Value(), transposeA, transposeB);
  };
  return r.each({[&] {
                   return lhsTransposed ? product(rhs, dy, lhs, rhsTransposed, true)
                                        : product(dy, rhs, lhs, false, !rhsTransposed);
                 },
                 [&] {
                   return rhsTransposed ? product(dy, lhs, rhs, true, lhsTransposed)
                                        : product(lhs, dy, rhs, !lhsTransposed, false);
                 },
                 [&] {
                   auto type = cast<RankedTensorType>(dy.getType());
                   return op.getInit().getType() == type ? dy : r.sum(dy, dimensionsBut(type, type.getRank() - 1));
                 }});
}

static Cotangents convolutionRule(ConvolutionOp op, Reverse &r) {
  return r.each(
      {[&] {
         return r.make<ConvolutionBackwardInputOp>(op.getInput().getType(), r.dy(), op.getFilter(), op.getStrides(),
                                                   op.getPads(), op.getDilations(), op.getGroups());
       },
       [&] {
         return r.make<ConvolutionBackwardFilterOp>(op.getFilter().getType(), r.dy(), op.getInput(), op.getStrides(),
                                                    op.getPads(), op.getDilations(), op.getGroups());
       },
       [&] { return r.sum(r.dy(), dimensionsBut(r.dy().getType(), 1)); }});
}

/// A transposed convolution is the adjoint of the convolution with the same filter.
static Cotangents transposedConvolutionRule(ConvolutionBackwardInputOp op, Reverse &r) {
  return r.each({[&] {
                   return r.make<ConvolutionOp>(op.getCotangent().getType(), r.dy(), op.getFilter(), /*bias=*/Value(),
                                                op.getStrides(), op.getPads(), op.getDilations(), op.getGroups());
                 },
                 [&] {
                   return r.make<ConvolutionBackwardFilterOp>(op.getFilter().getType(), op.getCotangent(), r.dy(),
                                                              op.getStrides(), op.getPads(), op.getDilations(),
                                                              op.getGroups());
                 }});
}

static Cotangents maxPoolRule(MaxPoolOp op, Reverse &r) {
  return r.each({[&] {
    return r.make<MaxPoolBackwardOp>(op.getInput().getType(), r.dy(), op.getInput(), op.getWindow(), op.getStrides(),
                                     op.getPads(), op.getDilations());
  }});
}

static Cotangents averagePoolRule(AveragePoolOp op, Reverse &r) {
  return r.each({[&] {
    return r.make<AveragePoolBackwardOp>(op.getInput().getType(), r.dy(), op.getWindow(), op.getStrides(), op.getPads(),
                                         op.getDilations(), op.getCountIncludePad());
  }});
}

void registerContractionRules(MLIRContext *context) {
  attach<MatMulOp, matmulRule>(context);
  attach<ConvolutionOp, convolutionRule>(context);
  attach<ConvolutionBackwardInputOp, transposedConvolutionRule>(context);
  attach<MaxPoolOp, maxPoolRule>(context);
  attach<AveragePoolOp, averagePoolRule>(context);
}

} // namespace tw::autodiff
