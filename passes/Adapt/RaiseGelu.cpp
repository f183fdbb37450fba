// tw-adapt-raise-gelu: x/2 (1 + erf(x/sqrt 2)) and x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))).
#include "passes/Adapt/Passes.h"

#include "passes/Adapt/Matching.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <array>
#include <cmath>

using namespace mlir;

namespace tw::adapt {

#define GEN_PASS_DEF_RAISEGELUPASS
#include "passes/Adapt/Passes.h.inc"

namespace {

/// c[0] + c[1] x + c[2] x^2 + c[3] x^3.
using Polynomial = std::array<double, 4>;

std::optional<Polynomial> product(const Polynomial &a, const Polynomial &b) {
  Polynomial result{};
  for (unsigned i = 0; i < 4; ++i)
    for (unsigned j = 0; j < 4; ++j) {
      if (a[i] == 0 || b[j] == 0)
        continue;
      if (i + j > 3)
        return std::nullopt;
      result[i + j] += a[i] * b[j];
    }
  return result;
}

/// `value` as a polynomial in x, if it is one of degree up to 3.
std::optional<Polynomial> polynomialIn(Value x, Value value, unsigned depth = 0) {
  if (value == x)
    return Polynomial{0, 1, 0, 0};
  if (auto number = splatOf(value))
    return Polynomial{*number, 0, 0, 0};
  Operation *op = value.getDefiningOp();
  if (!op || depth > 8 || !isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp, math::PowFOp>(op))
    return std::nullopt;
  auto a = polynomialIn(x, op->getOperand(0), depth + 1), b = polynomialIn(x, op->getOperand(1), depth + 1);
  if (!a || !b)
    return std::nullopt;
  bool isNumber = (*b)[1] == 0 && (*b)[2] == 0 && (*b)[3] == 0;
  if (isa<arith::MulFOp>(op))
    return product(*a, *b);
  if (isa<arith::DivFOp>(op))
    return isNumber && (*b)[0] != 0 ? product(*a, {1 / (*b)[0], 0, 0, 0}) : std::nullopt;
  if (isa<math::PowFOp>(op)) {
    std::optional<Polynomial> result = Polynomial{1, 0, 0, 0};
    if (!isNumber || ((*b)[0] != 2 && (*b)[0] != 3))
      return std::nullopt;
    for (int i = 0; result && i < (*b)[0]; ++i)
      result = product(*result, *a);
    return result;
  }
  for (unsigned i = 0; i < 4; ++i)
    (*a)[i] += isa<arith::AddFOp>(op) ? (*b)[i] : -(*b)[i];
  return a;
}

/// The factors of a product, opened up to where `stop` stands; their numbers multiplied into `number`.
void collectFactors(Value value, Value stop, SmallVectorImpl<Value> &factors, double &number) {
  if (auto splat = splatOf(value)) {
    number *= *splat;
    return;
  }
  auto multiply = value.getDefiningOp<arith::MulFOp>();
  auto divide = value.getDefiningOp<arith::DivFOp>();
  if (value == stop || factors.size() > 8 || (!multiply && !(divide && splatOf(divide.getRhs())))) {
    factors.push_back(value);
    return;
  }
  if (divide) {
    number /= *splatOf(divide.getRhs());
    collectFactors(divide.getLhs(), stop, factors, number);
    return;
  }
  collectFactors(multiply.getLhs(), stop, factors, number);
  collectFactors(multiply.getRhs(), stop, factors, number);
}

/// All values that the product is made of, at any depth: each may be x.
void collectCandidates(Value value, SmallVectorImpl<Value> &candidates) {
  candidates.push_back(value);
  if (candidates.size() > 16)
    return;
  if (auto multiply = value.getDefiningOp<arith::MulFOp>()) {
    collectCandidates(multiply.getLhs(), candidates);
    collectCandidates(multiply.getRhs(), candidates);
  } else if (auto divide = value.getDefiningOp<arith::DivFOp>()) {
    collectCandidates(divide.getLhs(), candidates);
  }
}

/// True if `gate` is 1 + erf(x/sqrt 2), or with `tanh` its approximation.
bool isGate(Value gate, Value x, bool &tanh) {
  auto sum = withNumber<arith::AddFOp>(gate);
  if (!sum || !isNear(sum->second, 1))
    return false;
  auto erf = sum->first.getDefiningOp<math::ErfOp>();
  auto tangent = sum->first.getDefiningOp<math::TanhOp>();
  if (!erf && !tangent)
    return false;
  auto argument = polynomialIn(x, erf ? erf.getOperand() : tangent.getOperand());
  if (!argument || (*argument)[0] != 0 || (*argument)[2] != 0)
    return false;
  tanh = !erf;
  double slope = (*argument)[1], cube = (*argument)[3];
  if (erf)
    return isNear(slope, M_SQRT1_2) && cube == 0;
  double root = std::sqrt(M_2_PI);
  return isNear(slope, root) && isNear(cube, root * 0.044715);
}

struct RaiseGelu : OpRewritePattern<arith::MulFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::MulFOp op, PatternRewriter &rewriter) const override {
    SmallVector<Value> candidates;
    collectCandidates(op, candidates);
    for (Value x : candidates) {
      SmallVector<Value> factors;
      double number = 1;
      if (x == op.getResult())
        continue;
      collectFactors(op, x, factors, number);
      if (factors.size() != 2 || !isNear(number, 0.5))
        continue;
      Value gate = factors[0] == x ? factors[1] : factors[1] == x ? factors[0] : Value();
      bool tanh = false;
      if (!gate || !isGate(gate, x, tanh))
        continue;
      rewriter.replaceOpWithNewOp<graph::GeluOp>(op, op.getType(), x, tanh);
      return success();
    }
    return failure();
  }
};

struct RaiseGeluPass : impl::RaiseGeluPassBase<RaiseGeluPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<RaiseGelu>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace tw::adapt
