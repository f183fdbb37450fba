#include "passes/Adapt/AttentionMask.h"

#include "passes/Adapt/Matching.h"

#include <limits>

using namespace mlir;

namespace tw::adapt {

// Scores this low vanish in the softmax of any row that sees a key; exporters write -inf, -1e4, -1e9 or the lowest
// float.
static bool hides(double number) {
  return number <= -1e4;
}

bool isScoreLike(Value value) {
  for (int depth = 0; depth < 8; ++depth) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return false;
    if (isa<graph::MatMulOp>(op))
      return true;
    if (isa<arith::MulFOp, arith::DivFOp>(op)) {
      Value inner = scaled(value).first;
      if (inner == value)
        return false;
      value = inner;
    } else if (auto sum = dyn_cast<arith::AddFOp>(op)) {
      return isScoreLike(sum.getLhs()) || isScoreLike(sum.getRhs());
    } else if (auto select = dyn_cast<arith::SelectOp>(op)) {
      return isScoreLike(select.getTrueValue()) || isScoreLike(select.getFalseValue());
    } else {
      return false;
    }
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Biases
//===----------------------------------------------------------------------===//

static DenseElementsAttr constantOf(Value value) {
  auto constant = value ? value.getDefiningOp<arith::ConstantOp>() : nullptr;
  return constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
}

/// Looks through a broadcast that keeps the dimensions' places (aligned at the right) and the last one's size.
static Value narrowed(Value value) {
  auto broadcast = value.getDefiningOp<graph::BroadcastOp>();
  if (!broadcast)
    return value;
  ArrayRef<int64_t> input = shapeOf(broadcast.getInput());
  int64_t lead = typeOf(value).getRank() - input.size();
  if (input.empty() || input.back() != shapeOf(value).back() ||
      !llvm::equal(broadcast.getDimensions(), llvm::seq<int64_t>(lead, lead + input.size())))
    return value;
  return broadcast.getInput();
}

static Value splat(RankedTensorType type, double number, PatternRewriter &rewriter, Location location) {
  return arith::ConstantOp::create(rewriter, location,
                                   DenseElementsAttr::get(type, rewriter.getFloatAttr(type.getElementType(), number)));
}

static Value selectBias(Value visible, Type element, double number, PatternRewriter &rewriter, Location location) {
  auto type = RankedTensorType::get(shapeOf(visible), element);
  return arith::SelectOp::create(rewriter, location, type, visible, splat(type, 0, rewriter, location),
                                 splat(type, number, rewriter, location));
}

Value biasOfSelect(arith::SelectOp select, PatternRewriter &rewriter) {
  auto ifTrue = splatOf(select.getTrueValue()), ifFalse = splatOf(select.getFalseValue());
  if (ifTrue.has_value() == ifFalse.has_value() || !hides(ifTrue ? *ifTrue : *ifFalse))
    return {};
  Value mask = narrowed(select.getCondition());
  Type element = typeOf(select).getElementType();
  auto type = RankedTensorType::get(shapeOf(mask), element);
  Value zero = splat(type, 0, rewriter, select.getLoc());
  Value low = splat(type, ifTrue ? *ifTrue : *ifFalse, rewriter, select.getLoc());
  return arith::SelectOp::create(rewriter, select.getLoc(), type, mask, ifTrue ? low : zero, ifTrue ? zero : low);
}

Value sumOfBiases(ArrayRef<Value> biases, ArrayRef<int64_t> scores, PatternRewriter &rewriter, Location location) {
  Value sum;
  for (Value given : biases) {
    Value bias = narrowed(given);
    SmallVector<int64_t> shape(4 - std::min<int64_t>(4, typeOf(bias).getRank()), 1);
    llvm::append_range(shape, shapeOf(bias));
    if (shape.size() != 4 || shape[3] != scores[3])
      return {};
    for (unsigned i = 0; i < 3; ++i)
      if (shape[i] != 1 && shape[i] != scores[i])
        return {};
    if (ArrayRef<int64_t>(shape) != shapeOf(bias))
      bias = graph::ReshapeOp::create(rewriter, location, typeOf(bias).clone(shape), bias);
    if (!sum) {
      sum = bias;
      continue;
    }
    SmallVector<int64_t> both;
    for (unsigned i = 0; i < 4; ++i)
      both.push_back(std::max(shape[i], shapeOf(sum)[i]));
    auto widen = [&](Value value) -> Value {
      if (shapeOf(value) == ArrayRef<int64_t>(both))
        return value;
      return graph::BroadcastOp::create(rewriter, location, typeOf(value).clone(both), value,
                                        ArrayRef<int64_t>{0, 1, 2, 3});
    };
    sum = arith::AddFOp::create(rewriter, location, widen(sum), widen(bias));
  }
  return sum;
}

//===----------------------------------------------------------------------===//
// What a constant mask says
//===----------------------------------------------------------------------===//

namespace {
enum class Visible { Everything, Causal, Other };
} // namespace

/// Reads `visible` of every element of a mask [.., s, t].
static Visible classify(ArrayRef<int64_t> shape, int64_t elements, llvm::function_ref<bool(int64_t)> visible) {
  if (shape.empty())
    return Visible::Other;
  int64_t t = shape.back(), s = shape.size() > 1 ? shape[shape.size() - 2] : 1;
  bool everything = true, causal = s > 1;
  for (int64_t i = 0; i < elements && (everything || causal); ++i) {
    int64_t row = i / t % s, column = i % t;
    bool isVisible = visible(i);
    everything &= isVisible;
    causal &= isVisible == (column <= row);
  }
  return everything ? Visible::Everything : causal ? Visible::Causal : Visible::Other;
}

static Visible classifyBooleans(DenseElementsAttr mask) {
  if (mask.isSplat())
    return mask.getSplatValue<bool>() ? Visible::Everything : Visible::Other;
  auto values = mask.getValues<bool>();
  return classify(mask.getType().getShape(), mask.getNumElements(), [&](int64_t i) { return values[i]; });
}

static Visible classifyBias(DenseElementsAttr bias) {
  bool other = false;
  auto visible = [&](const APFloat &value) {
    bool zero = value.isZero();
    other |= !zero && !hides(value.convertToDouble());
    return zero;
  };
  if (!bias.getElementType().isF32())
    return Visible::Other;
  if (bias.isSplat()) {
    return bias.getSplatValue<APFloat>().isZero() ? Visible::Everything : Visible::Other;
  }
  auto values = bias.getValues<APFloat>();
  auto number = [](const APFloat &value) { return APFloat(static_cast<double>(value.convertToFloat())); };
  Visible pattern =
      classify(bias.getType().getShape(), bias.getNumElements(), [&](int64_t i) { return visible(number(values[i])); });
  return other ? Visible::Other : pattern;
}

//===----------------------------------------------------------------------===//
// Patterns on attention
//===----------------------------------------------------------------------===//

namespace {

struct FoldConstantBias : OpRewritePattern<graph::AttentionOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(graph::AttentionOp op, PatternRewriter &rewriter) const override {
    DenseElementsAttr bias = constantOf(op.getBias());
    Visible pattern = bias ? classifyBias(bias) : Visible::Other;
    if (pattern == Visible::Other)
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      op.setBias({});
      op.setCausal(op.getCausal() || pattern == Visible::Causal);
    });
    return success();
  }
};

/// The conjuncts of a boolean mask, each as narrow as it is.
void collectConjuncts(Value mask, SmallVectorImpl<Value> &parts) {
  mask = narrowed(mask);
  auto both = mask.getDefiningOp<arith::AndIOp>();
  if (!both || parts.size() > 8) {
    parts.push_back(mask);
    return;
  }
  collectConjuncts(both.getLhs(), parts);
  collectConjuncts(both.getRhs(), parts);
}

Value conjunction(ArrayRef<Value> parts, PatternRewriter &rewriter, Location location) {
  SmallVector<int64_t> shape;
  for (Value part : parts) {
    if (shape.size() < shapeOf(part).size())
      shape.insert(shape.begin(), shapeOf(part).size() - shape.size(), 1);
    for (auto [have, add] : llvm::zip(llvm::reverse(shape), llvm::reverse(shapeOf(part))))
      have = std::max(have, add);
  }
  Value result;
  for (Value part : parts) {
    if (shapeOf(part) != ArrayRef<int64_t>(shape))
      part = graph::BroadcastOp::create(
          rewriter, location, typeOf(part).clone(shape), part,
          llvm::to_vector(llvm::seq<int64_t>(shape.size() - shapeOf(part).size(), shape.size())));
    result = result ? arith::AndIOp::create(rewriter, location, result, part) : part;
  }
  return result;
}

/// bias = select(a and b and .., 0, low): constant conjuncts that say "causal" or nothing leave.
struct SplitMask : OpRewritePattern<graph::AttentionOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(graph::AttentionOp op, PatternRewriter &rewriter) const override {
    auto reshape = op.getBias() ? op.getBias().getDefiningOp<graph::ReshapeOp>() : nullptr;
    Value bias = reshape ? reshape.getInput() : op.getBias();
    auto select = bias ? narrowed(bias).getDefiningOp<arith::SelectOp>() : nullptr;
    auto ifTrue = select ? splatOf(select.getTrueValue()) : std::nullopt;
    auto ifFalse = select ? splatOf(select.getFalseValue()) : std::nullopt;
    if (!ifTrue || !ifFalse || *ifTrue != 0 || !hides(*ifFalse))
      return failure();
    SmallVector<Value> parts, kept;
    collectConjuncts(select.getCondition(), parts);
    bool causal = op.getCausal();
    for (Value part : parts) {
      DenseElementsAttr constant = constantOf(part);
      Visible pattern = constant ? classifyBooleans(constant) : Visible::Other;
      causal |= pattern == Visible::Causal;
      if (pattern == Visible::Other)
        kept.push_back(part);
    }
    if (kept.size() == parts.size())
      return failure();
    Value left;
    if (!kept.empty()) {
      Value mask = conjunction(kept, rewriter, op.getLoc());
      left = sumOfBiases(
          selectBias(mask, typeOf(bias).getElementType(), *ifFalse, rewriter, op.getLoc()),
          {shapeOf(op.getQuery())[0], shapeOf(op.getQuery())[1], shapeOf(op.getQuery())[2], shapeOf(op.getKey())[2]},
          rewriter, op.getLoc());
      if (!left)
        return failure();
    }
    rewriter.modifyOpInPlace(op, [&] {
      op.setBias(left);
      op.setCausal(causal);
    });
    return success();
  }
};

} // namespace

void addMaskPatterns(RewritePatternSet &patterns) {
  patterns.add<FoldConstantBias, SplitMask>(patterns.getContext());
}

} // namespace tw::adapt
