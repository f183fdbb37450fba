// Gradient rules of math's float ops.
#include "compiler/Autodiff/Rules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;

namespace tw::autodiff {

/// A unary rule is a function from (r, x, y) to dy * f'(x), where y = f(x).
using UnaryDerivative = Value (*)(Reverse &, Value, Value);
template <typename OpT, UnaryDerivative derivative>
static Cotangents unaryRule(OpT op, Reverse &r) {
  return r.each({[&] { return derivative(r, op->getOperand(0), op->getResult(0)); }});
}
template <typename OpT>
static Cotangents zeroRule(OpT, Reverse &r) {
  return r.zero();
}

// Exponentials and logarithms.
static Value exp(Reverse &r, Value, Value y) {
  return r.mul(r.dy(), y);
}
static Value exp2(Reverse &r, Value, Value y) {
  return r.mul(r.dy(), r.scale(y, M_LN2));
}
static Value expm1(Reverse &r, Value, Value y) {
  return r.mul(r.dy(), r.plus(y, 1.0));
}
static Value log(Reverse &r, Value x, Value) {
  return r.div(r.dy(), x);
}
static Value log2(Reverse &r, Value x, Value) {
  return r.div(r.dy(), r.scale(x, M_LN2));
}
static Value log10(Reverse &r, Value x, Value) {
  return r.div(r.dy(), r.scale(x, M_LN10));
}
static Value log1p(Reverse &r, Value x, Value) {
  return r.div(r.dy(), r.plus(x, 1.0));
}

// Roots.
static Value sqrt(Reverse &r, Value, Value y) {
  return r.div(r.scale(r.dy(), 0.5), y);
}
static Value rsqrt(Reverse &r, Value, Value y) {
  return r.mul(r.scale(r.dy(), -0.5), r.mul(y, r.square(y)));
}
static Value cbrt(Reverse &r, Value, Value y) {
  return r.div(r.dy(), r.scale(r.square(y), 3.0));
}

// Trigonometric functions and their inverses.
static Value oneMinusSquare(Reverse &r, Value x) {
  return r.sub(r.constant(x, 1.0), r.square(x));
}
static Value sin(Reverse &r, Value x, Value) {
  return r.mul(r.dy(), r.make<math::CosOp>(x));
}
static Value cos(Reverse &r, Value x, Value) {
  return r.neg(r.mul(r.dy(), r.make<math::SinOp>(x)));
}
static Value tan(Reverse &r, Value, Value y) {
  return r.mul(r.dy(), r.plus(r.square(y), 1.0));
}
static Value asin(Reverse &r, Value x, Value) {
  return r.mul(r.dy(), r.make<math::RsqrtOp>(oneMinusSquare(r, x)));
}
static Value acos(Reverse &r, Value x, Value y) {
  return r.neg(asin(r, x, y));
}
static Value atan(Reverse &r, Value x, Value) {
  return r.div(r.dy(), r.plus(r.square(x), 1.0));
}

// Hyperbolic functions and their inverses.
static Value sinh(Reverse &r, Value x, Value) {
  return r.mul(r.dy(), r.make<math::CoshOp>(x));
}
static Value cosh(Reverse &r, Value x, Value) {
  return r.mul(r.dy(), r.make<math::SinhOp>(x));
}
static Value tanh(Reverse &r, Value, Value y) {
  return r.mul(r.dy(), oneMinusSquare(r, y));
}
static Value asinh(Reverse &r, Value x, Value) {
  return r.mul(r.dy(), r.make<math::RsqrtOp>(r.plus(r.square(x), 1.0)));
}
static Value acosh(Reverse &r, Value x, Value) {
  return r.mul(r.dy(), r.make<math::RsqrtOp>(r.plus(r.square(x), -1.0)));
}
static Value atanh(Reverse &r, Value x, Value) {
  return r.div(r.dy(), oneMinusSquare(r, x));
}

// Error functions: d erf(x) / dx = 2 / sqrt(pi) exp(-x^2).
static Value erf(Reverse &r, Value x, Value) {
  return r.mul(r.dy(), r.scale(r.make<math::ExpOp>(r.neg(r.square(x))), M_2_SQRTPI));
}
static Value erfc(Reverse &r, Value x, Value y) {
  return r.neg(erf(r, x, y));
}

/// The sign of x times dy; zero at zero, as in PyTorch.
static Value abs(Reverse &r, Value x, Value) {
  Value zero = r.constant(x, 0.0);
  return r.select(r.greater(x, zero), r.dy(), r.select(r.greater(zero, x), r.neg(r.dy()), zero));
}

/// d a^b = b a^(b-1) da + a^b ln(a) db. Where b = 0 the first is zero even at a = 0, and where a = 0 the second is.
static Cotangents powRule(math::PowFOp op, Reverse &r) {
  Value base = op.getLhs(), exponent = op.getRhs(), zero = r.constant(r.dy(), 0.0);
  return r.each({[&] {
                   Value power = r.make<math::PowFOp>(base, r.plus(exponent, -1.0));
                   return r.select(r.equal(exponent, zero), zero, r.mul(r.dy(), r.mul(exponent, power)));
                 },
                 [&] {
                   Value slope = r.mul(op.getResult(), r.make<math::LogOp>(base));
                   return r.select(r.equal(base, zero), zero, r.mul(r.dy(), slope));
                 }});
}
static Cotangents integerPowRule(math::FPowIOp op, Reverse &r) {
  return r.each({[&] {
    Value exponent = op.getRhs();
    Attribute one = IntegerAttr::get(getElementTypeOrSelf(exponent.getType()), 1);
    if (auto tensor = dyn_cast<RankedTensorType>(exponent.getType()))
      one = DenseElementsAttr::get(tensor, one);
    Value less = r.make<arith::SubIOp>(exponent, r.make<arith::ConstantOp>(cast<TypedAttr>(one)));
    Value factor = r.make<arith::SIToFPOp>(r.dy().getType(), exponent);
    Value zero = r.constant(r.dy(), 0.0);
    Value slope = r.mul(factor, r.make<math::FPowIOp>(op.getLhs(), less));
    return r.select(r.equal(factor, zero), zero, r.mul(r.dy(), slope));
  }});
}
static Cotangents fmaRule(math::FmaOp op, Reverse &r) {
  return r.each(
      {[&] { return r.mul(r.dy(), op.getB()); }, [&] { return r.mul(r.dy(), op.getA()); }, [&] { return r.dy(); }});
}
static Cotangents atan2Rule(math::Atan2Op op, Reverse &r) {
  Value scaled = r.div(r.dy(), r.add(r.square(op.getLhs()), r.square(op.getRhs())));
  return r.each({[&] { return r.mul(scaled, op.getRhs()); }, [&] { return r.neg(r.mul(scaled, op.getLhs())); }});
}
static Cotangents copySignRule(math::CopySignOp op, Reverse &r) {
  return r.each({[&] {
    Value one = r.constant(r.dy(), 1.0);
    Value flips = r.mul(r.make<math::CopySignOp>(one, op.getLhs()), r.make<math::CopySignOp>(one, op.getRhs()));
    return r.mul(r.dy(), flips);
  }});
}
/// Inside [min, max], bounds included, the value has the cotangent, as PyTorch's `clamp`; outside the bound that holds.
static Cotangents clampRule(math::ClampFOp op, Reverse &r) {
  Value zero = r.constant(r.dy(), 0.0), x = op.getValue();
  Value below = r.greater(op.getMin(), x), above = r.greater(x, op.getMax());
  return r.each({[&] { return r.select(below, zero, r.select(above, zero, r.dy())); },
                 [&] { return r.select(above, zero, r.select(below, r.dy(), zero)); },
                 [&] { return r.select(above, r.dy(), zero); }});
}

template <typename OpT, UnaryDerivative derivative>
static void attachUnary(MLIRContext *context) {
  attach<OpT, unaryRule<OpT, derivative>>(context);
}

static void attachUnaryRules(MLIRContext *context) {
  attachUnary<math::ExpOp, exp>(context);
  attachUnary<math::Exp2Op, exp2>(context);
  attachUnary<math::ExpM1Op, expm1>(context);
  attachUnary<math::LogOp, log>(context);
  attachUnary<math::Log2Op, log2>(context);
  attachUnary<math::Log10Op, log10>(context);
  attachUnary<math::Log1pOp, log1p>(context);
  attachUnary<math::SqrtOp, sqrt>(context);
  attachUnary<math::RsqrtOp, rsqrt>(context);
  attachUnary<math::CbrtOp, cbrt>(context);
  attachUnary<math::SinOp, sin>(context);
  attachUnary<math::CosOp, cos>(context);
  attachUnary<math::TanOp, tan>(context);
  attachUnary<math::AsinOp, asin>(context);
  attachUnary<math::AcosOp, acos>(context);
  attachUnary<math::AtanOp, atan>(context);
  attachUnary<math::SinhOp, sinh>(context);
  attachUnary<math::CoshOp, cosh>(context);
  attachUnary<math::TanhOp, tanh>(context);
  attachUnary<math::AsinhOp, asinh>(context);
  attachUnary<math::AcoshOp, acosh>(context);
  attachUnary<math::AtanhOp, atanh>(context);
  attachUnary<math::ErfOp, erf>(context);
  attachUnary<math::ErfcOp, erfc>(context);
  attachUnary<math::AbsFOp, abs>(context);
}

void registerMathRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, math::MathDialect *) {
    attachUnaryRules(context);
    attach<math::PowFOp, powRule>(context);
    attach<math::FPowIOp, integerPowRule>(context);
    attach<math::FmaOp, fmaRule>(context);
    attach<math::Atan2Op, atan2Rule>(context);
    attach<math::CopySignOp, copySignRule>(context);
    attach<math::ClampFOp, clampRule>(context);
    attach<math::FloorOp, zeroRule<math::FloorOp>>(context);
    attach<math::CeilOp, zeroRule<math::CeilOp>>(context);
    attach<math::RoundOp, zeroRule<math::RoundOp>>(context);
    attach<math::RoundEvenOp, zeroRule<math::RoundEvenOp>>(context);
    attach<math::TruncOp, zeroRule<math::TruncOp>>(context);
  });
}

} // namespace tw::autodiff
