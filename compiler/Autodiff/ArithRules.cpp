// Gradient rules of arith's float ops.
#include "compiler/Autodiff/Rules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tw::autodiff {

static Cotangents addRule(arith::AddFOp, Reverse &r) {
  return r.each({[&] { return r.dy(); }, [&] { return r.dy(); }});
}
static Cotangents subRule(arith::SubFOp, Reverse &r) {
  return r.each({[&] { return r.dy(); }, [&] { return r.neg(r.dy()); }});
}
static Cotangents mulRule(arith::MulFOp op, Reverse &r) {
  return r.each({[&] { return r.mul(r.dy(), op.getRhs()); }, [&] { return r.mul(r.dy(), op.getLhs()); }});
}
static Cotangents divRule(arith::DivFOp op, Reverse &r) {
  Value scaled = r.div(r.dy(), op.getRhs());
  return r.each({[&] { return scaled; }, [&] { return r.neg(r.mul(scaled, op.getResult())); }});
}
static Cotangents negRule(arith::NegFOp, Reverse &r) {
  return r.each({[&] { return r.neg(r.dy()); }});
}
static Cotangents remRule(arith::RemFOp op, Reverse &r) {
  // a mod b = a - b trunc(a / b)
  return r.each({[&] { return r.dy(); },
                 [&] { return r.neg(r.mul(r.dy(), r.make<math::TruncOp>(r.div(op.getLhs(), op.getRhs())))); }});
}

/// The operand that wins strictly gets the cotangent. At a tie each gets half when both carry gradients, as PyTorch's
/// `maximum`; against a constant a tie gives nothing, as PyTorch's `relu`.
template <typename OpT, bool isMax>
static Cotangents extremumRule(OpT op, Reverse &r) {
  Value zero = r.constant(r.dy(), 0.0);
  Value tie = zero;
  if (r.wanted(0) && r.wanted(1))
    tie = r.select(r.equal(op.getLhs(), op.getRhs()), r.scale(r.dy(), 0.5), zero);
  // An operand wins where the result is beyond the other one: so relu keeps its result only, not its input.
  auto share = [&](Value other) {
    Value wins = isMax ? r.greater(op.getResult(), other) : r.greater(other, op.getResult());
    return r.select(wins, r.dy(), tie);
  };
  return r.each({[&] { return share(op.getRhs()); }, [&] { return share(op.getLhs()); }});
}

static Cotangents selectRule(arith::SelectOp op, Reverse &r) {
  Value zero = r.constant(r.dy(), 0.0);
  return r.each({[] { return Value(); }, [&] { return r.select(op.getCondition(), r.dy(), zero); },
                 [&] { return r.select(op.getCondition(), zero, r.dy()); }});
}

static Cotangents extendRule(arith::ExtFOp op, Reverse &r) {
  return r.each({[&] { return r.make<arith::TruncFOp>(op.getIn().getType(), r.dy()); }});
}
static Cotangents truncateRule(arith::TruncFOp op, Reverse &r) {
  return r.each({[&] { return r.make<arith::ExtFOp>(op.getIn().getType(), r.dy()); }});
}

void registerArithRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, arith::ArithDialect *) {
    attach<arith::AddFOp, addRule>(context);
    attach<arith::SubFOp, subRule>(context);
    attach<arith::MulFOp, mulRule>(context);
    attach<arith::DivFOp, divRule>(context);
    attach<arith::NegFOp, negRule>(context);
    attach<arith::RemFOp, remRule>(context);
    attach<arith::MaximumFOp, extremumRule<arith::MaximumFOp, true>>(context);
    attach<arith::MaxNumFOp, extremumRule<arith::MaxNumFOp, true>>(context);
    attach<arith::MinimumFOp, extremumRule<arith::MinimumFOp, false>>(context);
    attach<arith::MinNumFOp, extremumRule<arith::MinNumFOp, false>>(context);
    attach<arith::SelectOp, selectRule>(context);
    attach<arith::ExtFOp, extendRule>(context);
    attach<arith::TruncFOp, truncateRule>(context);
  });
}

} // namespace tw::autodiff
