// Gradient rules of reductions.
#include "compiler/Autodiff/Rules.h"

#include "compiler/Dialect/Graph/Graph.h"

using namespace mlir;
using namespace tw::graph;

namespace tw::autodiff {

namespace {
/// A reduction's dimensions, with the two ways across: combining and repeating.
struct Span {
  ReduceOp op;
  Reverse &r;

  Value repeat(Value reduced) {
    auto type = cast<RankedTensorType>(op.getInput().getType());
    SmallVector<int64_t> kept;
    for (int64_t dimension = 0; dimension < type.getRank(); ++dimension)
      if (!llvm::is_contained(op.getDimensions(), dimension))
        kept.push_back(dimension);
    return r.broadcast(reduced, type, kept);
  }
  Value product(Value full) { return r.make<ReduceOp>(op.getType(), full, Reduction::Prod, op.getDimensions()); }
};
} // namespace

/// Elements equal to the extremum share the cotangent evenly, as PyTorch's `amax` and `amin`.
static Value extremum(Span &span, Reverse &r) {
  Value x = span.op.getInput(), one = r.constant(x, 1.0), zero = r.constant(x, 0.0);
  Value hits = r.select(r.equal(x, span.repeat(span.op.getResult())), one, zero);
  Value share = r.div(r.dy(), r.sum(hits, span.op.getDimensions()));
  return r.mul(hits, span.repeat(share));
}

/// The derivative by x_i is the product of the others: p / x_i if no element is zero; with exactly one zero, only that
/// element has one, the product of the rest; with more, none. p is the product over the elements that are not zero.
static Value product(Span &span, Reverse &r) {
  Value x = span.op.getInput(), one = r.constant(x, 1.0), zero = r.constant(x, 0.0);
  Value isZero = r.equal(x, zero);
  Value nonZero = r.select(isZero, one, x);
  Value zeros = span.repeat(r.sum(r.select(isZero, one, zero), span.op.getDimensions()));
  Value scaled = r.mul(span.repeat(r.dy()), span.repeat(span.product(nonZero)));
  Value atZero = r.select(r.equal(zeros, one), scaled, zero);
  Value elsewhere = r.select(r.equal(zeros, zero), r.div(scaled, nonZero), zero);
  return r.select(isZero, atZero, elsewhere);
}

static Cotangents reduceRule(ReduceOp op, Reverse &r) {
  Span span{op, r};
  return r.each({[&] {
    switch (op.getKind()) {
    case Reduction::Sum:
      return span.repeat(r.dy());
    case Reduction::Max:
    case Reduction::Min:
      return extremum(span, r);
    case Reduction::Prod:
      return product(span, r);
    }
    llvm_unreachable("every kind is above");
  }});
}

void registerReductionRules(MLIRContext *context) {
  attach<ReduceOp, reduceRule>(context);
}

} // namespace tw::autodiff
