// tw-adapt-raise-attention: softmax(scale q k^T + bias) v.
#include "passes/Adapt/Passes.h"

#include "passes/Adapt/AttentionMask.h"
#include "passes/Adapt/Matching.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tw::adapt {

#define GEN_PASS_DEF_RAISEATTENTIONPASS
#include "passes/Adapt/Passes.h.inc"

namespace {

/// What the score matrix is made of. `scale` is the product of all scales; q is [b.., s, d], k [b.., t, d].
struct Scores {
  Value query, key;
  double scale = 1;
  SmallVector<Value> biases;
};

/// [b.., d, t] as the key [b.., t, d]: looks through a transpose of the last two dimensions, else makes one.
Value transposed(Value value, PatternRewriter &rewriter) {
  int64_t rank = typeOf(value).getRank();
  SmallVector<int64_t> permutation = llvm::to_vector(llvm::seq<int64_t>(0, rank)), shape(shapeOf(value));
  std::swap(permutation[rank - 1], permutation[rank - 2]);
  std::swap(shape[rank - 1], shape[rank - 2]);
  if (auto transpose = value.getDefiningOp<graph::TransposeOp>()) {
    SmallVector<int64_t> composed;
    for (int64_t from : permutation)
      composed.push_back(transpose.getPermutation()[from]);
    if (llvm::equal(composed, llvm::seq<int64_t>(0, rank)))
      return transpose.getInput();
    return graph::TransposeOp::create(rewriter, value.getLoc(), typeOf(value).clone(shape), transpose.getInput(),
                                      composed);
  }
  return graph::TransposeOp::create(rewriter, value.getLoc(), typeOf(value).clone(shape), value, permutation);
}

/// The dropout-free, guard-free input of a softmax guard: select(isnan(p), 0, p) is p where rows without a key are 0.
Value withoutGuard(Value value) {
  auto select = value.getDefiningOp<arith::SelectOp>();
  auto isNaN = select ? select.getCondition().getDefiningOp<arith::CmpFOp>() : nullptr;
  if (!isNaN || isNaN.getPredicate() != arith::CmpFPredicate::UNO || isNaN.getLhs() != isNaN.getRhs() ||
      isNaN.getLhs() != select.getFalseValue() || splatOf(select.getTrueValue()) != 0.0)
    return value;
  return select.getFalseValue();
}

/// Collects biases and masks that are added to or put over the scores, outermost first.
Value throughMasks(Value value, Scores &scores, PatternRewriter &rewriter) {
  while (true) {
    if (auto sum = value.getDefiningOp<arith::AddFOp>()) {
      bool left = isScoreLike(sum.getLhs());
      if (left == isScoreLike(sum.getRhs()))
        return value;
      scores.biases.push_back(left ? sum.getRhs() : sum.getLhs());
      value = left ? sum.getLhs() : sum.getRhs();
    } else if (auto select = value.getDefiningOp<arith::SelectOp>()) {
      Value bias = biasOfSelect(select, rewriter);
      if (!bias)
        return value;
      bool scoresIfTrue = !splatOf(select.getTrueValue());
      scores.biases.push_back(bias);
      value = scoresIfTrue ? select.getTrueValue() : select.getFalseValue();
    } else {
      return value;
    }
  }
}

std::optional<Scores> matchScores(Value value, PatternRewriter &rewriter) {
  Scores scores;
  value = throughMasks(value, scores, rewriter);
  auto [inner, factor] = scaled(value);
  scores.scale = factor;
  auto product = inner.getDefiningOp<graph::MatMulOp>();
  if (!product || product.getInit())
    return std::nullopt;
  auto [query, queryFactor] = scaled(product.getLhs());
  auto [key, keyFactor] = scaled(product.getRhs());
  scores.scale *= queryFactor * keyFactor;
  scores.query = product.getTransposeLhs() ? transposed(query, rewriter) : query;
  if (product.getTransposeRhs()) {
    scores.key = key;
  } else {
    // A scale may also stand before the transpose.
    auto [inner, innerFactor] = scaled(transposed(key, rewriter));
    scores.key = inner;
    scores.scale *= innerFactor;
  }
  return scores;
}

/// [b, g, t, d] if the value [b, h, t, d] repeats each of g heads h / g times in a row.
Value unrepeated(Value value, PatternRewriter &rewriter) {
  auto merge = value.getDefiningOp<graph::ReshapeOp>();
  auto repeat = merge ? merge.getInput().getDefiningOp<graph::BroadcastOp>() : nullptr;
  if (!repeat || typeOf(repeat).getRank() != 5)
    return value;
  ArrayRef<int64_t> wide = shapeOf(repeat), shape = shapeOf(value);
  if (wide[0] != shape[0] || wide[1] * wide[2] != shape[1] || wide[3] != shape[2] || wide[4] != shape[3])
    return value;
  ArrayRef<int64_t> input = shapeOf(repeat.getInput()), dimensions = repeat.getDimensions();
  bool withOne = dimensions == ArrayRef<int64_t>{0, 1, 2, 3, 4} &&
                 input == ArrayRef<int64_t>{wide[0], wide[1], 1, wide[3], wide[4]};
  bool without =
      dimensions == ArrayRef<int64_t>{0, 1, 3, 4} && input == ArrayRef<int64_t>{wide[0], wide[1], wide[3], wide[4]};
  if (!withOne && !without)
    return value;
  auto type = typeOf(value).clone({wide[0], wide[1], wide[3], wide[4]});
  if (repeat.getInput().getType() == type)
    return repeat.getInput();
  if (auto split = repeat.getInput().getDefiningOp<graph::ReshapeOp>(); split && split.getInput().getType() == type)
    return split.getInput();
  return graph::ReshapeOp::create(rewriter, value.getLoc(), type, repeat.getInput());
}

Value asRank4(Value value, PatternRewriter &rewriter) {
  if (typeOf(value).getRank() == 4)
    return value;
  SmallVector<int64_t> shape(4 - typeOf(value).getRank(), 1);
  llvm::append_range(shape, shapeOf(value));
  return graph::ReshapeOp::create(rewriter, value.getLoc(), typeOf(value).clone(shape), value);
}

struct RaiseAttention : OpRewritePattern<graph::MatMulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(graph::MatMulOp op, PatternRewriter &rewriter) const override {
    auto softmax = withoutGuard(op.getLhs()).getDefiningOp<graph::SoftmaxOp>();
    int64_t rank = typeOf(op.getLhs()).getRank();
    if (!softmax || op.getInit() || op.getTransposeLhs() || rank < 3 || rank > 4 ||
        static_cast<int64_t>(softmax.getAxis()) != rank - 1)
      return failure();
    auto scores = matchScores(softmax.getInput(), rewriter);
    if (!scores)
      return failure();
    Value value = op.getTransposeRhs() ? transposed(op.getRhs(), rewriter) : op.getRhs();
    Value query = asRank4(scores->query, rewriter);
    Value key = unrepeated(asRank4(scores->key, rewriter), rewriter);
    value = unrepeated(asRank4(value, rewriter), rewriter);
    if (shapeOf(key)[1] != shapeOf(value)[1])
      return failure();
    Value bias = sumOfBiases(scores->biases, shapeOf(asRank4(softmax.getInput(), rewriter)), rewriter, op.getLoc());
    if (!scores->biases.empty() && !bias)
      return failure();
    ArrayRef<int64_t> q = shapeOf(query);
    auto type = typeOf(query);
    auto attention = graph::AttentionOp::create(
        rewriter, op.getLoc(),
        TypeRange{type.clone({q[0], q[1], q[2], shapeOf(value)[3]}), type.clone(q.take_front(3))}, query, key, value,
        bias ? ValueRange(bias) : ValueRange(), APFloat(scores->scale), /*causal=*/false,
        /*window=*/0, /*dropout=*/APFloat(0.0));
    Value result = attention.getResult();
    if (result.getType() != op.getType())
      result = graph::ReshapeOp::create(rewriter, op.getLoc(), op.getType(), result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// Grouped-query keys and values of an attention that was one operator in the model.
struct UnrepeatHeads : OpRewritePattern<graph::AttentionOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(graph::AttentionOp op, PatternRewriter &rewriter) const override {
    Value key = unrepeated(op.getKey(), rewriter), value = unrepeated(op.getValue(), rewriter);
    if (key == op.getKey() || value == op.getValue() || shapeOf(key)[1] != shapeOf(value)[1])
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      op.getKeyMutable().assign(key);
      op.getValueMutable().assign(value);
    });
    return success();
  }
};

struct RaiseAttentionPass : impl::RaiseAttentionPassBase<RaiseAttentionPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<RaiseAttention, UnrepeatHeads>(&getContext());
    addMaskPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace tw::adapt
