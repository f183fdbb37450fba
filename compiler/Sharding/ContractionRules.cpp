// Sharding rules of matrix products, convolution and pooling.
#include "compiler/Sharding/Rules.h"

#include "compiler/Dialect/Graph/Graph.h"

using namespace mlir;
using namespace tw::graph;

namespace tw::sharding {

static TensorFactors matrix(const TensorFactors &batch, unsigned rows, unsigned columns, bool transposed) {
  TensorFactors result = batch;
  if (transposed)
    std::swap(rows, columns);
  result.push_back({rows});
  result.push_back({columns});
  return result;
}

/// An initial value is added once, so that with one the contracting dimension must stay whole.
static ShardingRule matmulRule(MatMulOp op) {
  ShardingRule rule;
  int64_t rank = rankOf(op.getResult());
  TensorFactors batch;
  for (int64_t dimension = 0; dimension < rank - 2; ++dimension)
    batch.push_back({rule.addFactor(sizeOf(op.getResult(), dimension))});
  unsigned m = rule.addFactor(sizeOf(op.getResult(), rank - 2)), n = rule.addFactor(sizeOf(op.getResult(), rank - 1));
  unsigned k = rule.addFactor(sizeOf(op.getLhs(), op.getTransposeLhs() ? rank - 2 : rank - 1),
                              op.getInit() ? FactorKind::Whole : FactorKind::ReduceSum);
  rule.operands = {matrix(batch, m, k, op.getTransposeLhs()), matrix(batch, k, n, op.getTransposeRhs())};
  rule.results = {matrix(batch, m, n, false)};
  if (op.getInit())
    rule.operands.push_back(rankOf(op.getInit()) == 1 ? TensorFactors{{n}} : rule.results.front());
  else
    rule.linearOperands = {0, 1};
  return rule;
}

/// Images, a channel factor at dimension 1, and windows that are never split.
static TensorFactors image(int batch, int channels, int64_t rank) {
  TensorFactors result = tensor({batch, channels});
  result.resize(rank);
  return result;
}

/// The factors shared by a convolution and its two adjoints. Grouped channels stay whole.
namespace {
struct ConvolutionFactors {
  ShardingRule rule;
  int batch, input = kWhole, output = kWhole;

  ConvolutionFactors(Value image, Value filter, int64_t groups, FactorKind batchKind, FactorKind inputKind,
                     FactorKind outputKind) {
    batch = rule.addFactor(sizeOf(image, 0), batchKind);
    if (groups != 1)
      return;
    input = rule.addFactor(sizeOf(filter, 1), inputKind);
    output = rule.addFactor(sizeOf(filter, 0), outputKind);
  }
};
} // namespace

static ShardingRule convolutionRule(ConvolutionOp op) {
  int64_t rank = rankOf(op.getInput());
  auto inputKind = op.getBias() ? FactorKind::Whole : FactorKind::ReduceSum;
  ConvolutionFactors f(op.getInput(), op.getFilter(), op.getGroups(), FactorKind::Parallel, inputKind,
                       FactorKind::Parallel);
  f.rule.operands = {image(f.batch, f.input, rank), image(f.output, f.input, rank)};
  if (op.getBias())
    f.rule.operands.push_back(tensor({f.output}));
  else
    f.rule.linearOperands = {0, 1};
  f.rule.results = {image(f.batch, f.output, rank)};
  return f.rule;
}

static ShardingRule convolutionBackwardInputRule(ConvolutionBackwardInputOp op) {
  int64_t rank = rankOf(op.getCotangent());
  ConvolutionFactors f(op.getCotangent(), op.getFilter(), op.getGroups(), FactorKind::Parallel, FactorKind::Parallel,
                       FactorKind::ReduceSum);
  f.rule.operands = {image(f.batch, f.output, rank), image(f.output, f.input, rank)};
  f.rule.results = {image(f.batch, f.input, rank)};
  f.rule.linearOperands = {0, 1};
  return f.rule;
}

static ShardingRule convolutionBackwardFilterRule(ConvolutionBackwardFilterOp op) {
  int64_t rank = rankOf(op.getCotangent());
  ConvolutionFactors f(op.getCotangent(), op.getResult(), op.getGroups(), FactorKind::ReduceSum, FactorKind::Parallel,
                       FactorKind::Parallel);
  f.rule.operands = {image(f.batch, f.output, rank), image(f.batch, f.input, rank)};
  f.rule.results = {image(f.output, f.input, rank)};
  f.rule.linearOperands = {0, 1};
  return f.rule;
}

/// Batch and channels are independent.
template <typename OpT, bool isLinear>
static ShardingRule poolRule(OpT op) {
  ShardingRule rule;
  int64_t rank = rankOf(op.getResult());
  int batch = rule.addFactor(sizeOf(op.getResult(), 0)), channels = rule.addFactor(sizeOf(op.getResult(), 1));
  rule.operands.assign(op->getNumOperands(), image(batch, channels, rank));
  rule.results = {image(batch, channels, rank)};
  if (isLinear)
    rule.linearOperands = {0};
  return rule;
}

void registerContractionRules(MLIRContext *context) {
  attach<MatMulOp, matmulRule>(context);
  attach<ConvolutionOp, convolutionRule>(context);
  attach<ConvolutionBackwardInputOp, convolutionBackwardInputRule>(context);
  attach<ConvolutionBackwardFilterOp, convolutionBackwardFilterRule>(context);
  attach<MaxPoolOp, poolRule<MaxPoolOp, false>>(context);
  attach<MaxPoolBackwardOp, poolRule<MaxPoolBackwardOp, true>>(context);
  attach<AveragePoolOp, poolRule<AveragePoolOp, true>>(context);
  attach<AveragePoolBackwardOp, poolRule<AveragePoolBackwardOp, true>>(context);
}

} // namespace tw::sharding
