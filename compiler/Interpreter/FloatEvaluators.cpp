// Elementwise arithmetic and functions of floats: arith and math.
#include "compiler/Interpreter/Evaluator.h"

#include "compiler/Dialect/Graph/Graph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace tw::interpreter;

using Unary = double (*)(double);
using Binary = double (*)(double, double);
using Test = bool (*)(double);

static void add(EvaluatorTable &table, StringRef name, Unary function) {
  table.add(name, [function](Evaluation &evaluation) {
    for (int64_t i = 0, count = evaluation.results[0].getNumElements(); i < count; ++i)
      evaluation.results[0].real(i) = function(evaluation.operands[0]->real(i));
    return success();
  });
}

static void add(EvaluatorTable &table, StringRef name, Binary function) {
  table.add(name, [function](Evaluation &evaluation) {
    for (int64_t i = 0, count = evaluation.results[0].getNumElements(); i < count; ++i)
      evaluation.results[0].real(i) = function(evaluation.operands[0]->real(i), evaluation.operands[1]->real(i));
    return success();
  });
}

static void add(EvaluatorTable &table, StringRef name, Test function) {
  table.add(name, [function](Evaluation &evaluation) {
    for (int64_t i = 0, count = evaluation.results[0].getNumElements(); i < count; ++i)
      evaluation.results[0].integer(i) = function(evaluation.operands[0]->real(i));
    return success();
  });
}

/// IEEE 754 maximum: a NaN wins, and +0 is above -0.
static double maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return NAN;
  return a == b ? (std::signbit(a) ? b : a) : std::max(a, b);
}
static double minimum(double a, double b) {
  return -maximum(-a, -b);
}

static bool compare(arith::CmpFPredicate predicate, double a, double b) {
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
  case arith::CmpFPredicate::AlwaysFalse:
    return false;
  case arith::CmpFPredicate::OEQ:
    return !unordered && a == b;
  case arith::CmpFPredicate::OGT:
    return !unordered && a > b;
  case arith::CmpFPredicate::OGE:
    return !unordered && a >= b;
  case arith::CmpFPredicate::OLT:
    return !unordered && a < b;
  case arith::CmpFPredicate::OLE:
    return !unordered && a <= b;
  case arith::CmpFPredicate::ONE:
    return !unordered && a != b;
  case arith::CmpFPredicate::ORD:
    return !unordered;
  case arith::CmpFPredicate::UEQ:
    return unordered || a == b;
  case arith::CmpFPredicate::UGT:
    return unordered || a > b;
  case arith::CmpFPredicate::UGE:
    return unordered || a >= b;
  case arith::CmpFPredicate::ULT:
    return unordered || a < b;
  case arith::CmpFPredicate::ULE:
    return unordered || a <= b;
  case arith::CmpFPredicate::UNE:
    return unordered || a != b;
  case arith::CmpFPredicate::UNO:
    return unordered;
  case arith::CmpFPredicate::AlwaysTrue:
    return true;
  }
  return false;
}

static void evaluateCmpF(arith::CmpFOp op, Evaluation &e) {
  for (int64_t i = 0, count = e.results[0].getNumElements(); i < count; ++i)
    e.results[0].integer(i) = compare(op.getPredicate(), e.operands[0]->real(i), e.operands[1]->real(i));
}

static void evaluateFma(math::FmaOp, Evaluation &e) {
  for (int64_t i = 0, count = e.results[0].getNumElements(); i < count; ++i)
    e.results[0].real(i) = std::fma(e.operands[0]->real(i), e.operands[1]->real(i), e.operands[2]->real(i));
}

static void evaluateClamp(math::ClampFOp, Evaluation &e) {
  for (int64_t i = 0, count = e.results[0].getNumElements(); i < count; ++i)
    e.results[0].real(i) = minimum(maximum(e.operands[0]->real(i), e.operands[1]->real(i)), e.operands[2]->real(i));
}

static void evaluateFPowI(math::FPowIOp, Evaluation &e) {
  for (int64_t i = 0, count = e.results[0].getNumElements(); i < count; ++i)
    e.results[0].real(i) = std::pow(e.operands[0]->real(i), static_cast<double>(e.operands[1]->integer(i)));
}

static void evaluateSincos(math::SincosOp, Evaluation &e) {
  for (int64_t i = 0, count = e.results[0].getNumElements(); i < count; ++i) {
    e.results[0].real(i) = std::sin(e.operands[0]->real(i));
    e.results[1].real(i) = std::cos(e.operands[0]->real(i));
  }
}

//===----------------------------------------------------------------------===//
// Activations of the graph dialect
//===----------------------------------------------------------------------===//

static double gelu(double x, bool tanhForm) {
  if (tanhForm)
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
  return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
}

static double geluDerivative(double x, bool tanhForm) {
  if (tanhForm) {
    double t = std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x));
    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * std::sqrt(2 / M_PI) * (1 + 3 * 0.044715 * x * x);
  }
  return 0.5 * (1 + std::erf(x / std::sqrt(2.0))) + x * std::exp(-0.5 * x * x) / std::sqrt(2 * M_PI);
}

static void evaluateGelu(tw::graph::GeluOp op, Evaluation &e) {
  for (int64_t i = 0, count = e.results[0].getNumElements(); i < count; ++i)
    e.results[0].real(i) = gelu(e.operands[0]->real(i), op.getTanh());
}

static void evaluateGeluBackward(tw::graph::GeluBackwardOp op, Evaluation &e) {
  for (int64_t i = 0, count = e.results[0].getNumElements(); i < count; ++i)
    e.results[0].real(i) = e.operands[0]->real(i) * geluDerivative(e.operands[1]->real(i), op.getTanh());
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static void addArithmetic(EvaluatorTable &table) {
  add(table, "arith.addf", Binary([](double a, double b) { return a + b; }));
  add(table, "arith.subf", Binary([](double a, double b) { return a - b; }));
  add(table, "arith.mulf", Binary([](double a, double b) { return a * b; }));
  add(table, "arith.divf", Binary([](double a, double b) { return a / b; }));
  add(table, "arith.remf", Binary([](double a, double b) { return std::fmod(a, b); }));
  add(table, "arith.negf", Unary([](double a) { return -a; }));
  add(table, "arith.maximumf", Binary(maximum));
  add(table, "arith.minimumf", Binary(minimum));
  add(table, "arith.maxnumf", Binary([](double a, double b) { return std::fmax(a, b); }));
  add(table, "arith.minnumf", Binary([](double a, double b) { return std::fmin(a, b); }));
  table.add(evaluateCmpF);
}

static void addFunctions(EvaluatorTable &table) {
  add(table, "math.absf", Unary([](double a) { return std::fabs(a); }));
  add(table, "math.acos", Unary([](double a) { return std::acos(a); }));
  add(table, "math.acosh", Unary([](double a) { return std::acosh(a); }));
  add(table, "math.asin", Unary([](double a) { return std::asin(a); }));
  add(table, "math.asinh", Unary([](double a) { return std::asinh(a); }));
  add(table, "math.atan", Unary([](double a) { return std::atan(a); }));
  add(table, "math.atanh", Unary([](double a) { return std::atanh(a); }));
  add(table, "math.atan2", Binary([](double a, double b) { return std::atan2(a, b); }));
  add(table, "math.cbrt", Unary([](double a) { return std::cbrt(a); }));
  add(table, "math.ceil", Unary([](double a) { return std::ceil(a); }));
  add(table, "math.copysign", Binary([](double a, double b) { return std::copysign(a, b); }));
  add(table, "math.cos", Unary([](double a) { return std::cos(a); }));
  add(table, "math.cosh", Unary([](double a) { return std::cosh(a); }));
  add(table, "math.erf", Unary([](double a) { return std::erf(a); }));
  add(table, "math.erfc", Unary([](double a) { return std::erfc(a); }));
  add(table, "math.exp", Unary([](double a) { return std::exp(a); }));
  add(table, "math.exp2", Unary([](double a) { return std::exp2(a); }));
  add(table, "math.expm1", Unary([](double a) { return std::expm1(a); }));
  add(table, "math.floor", Unary([](double a) { return std::floor(a); }));
  add(table, "math.log", Unary([](double a) { return std::log(a); }));
  add(table, "math.log10", Unary([](double a) { return std::log10(a); }));
  add(table, "math.log1p", Unary([](double a) { return std::log1p(a); }));
  add(table, "math.log2", Unary([](double a) { return std::log2(a); }));
  add(table, "math.powf", Binary([](double a, double b) { return std::pow(a, b); }));
  add(table, "math.round", Unary([](double a) { return std::round(a); }));
  add(table, "math.roundeven", Unary([](double a) { return std::nearbyint(a); }));
  add(table, "math.rsqrt", Unary([](double a) { return 1 / std::sqrt(a); }));
  add(table, "math.sin", Unary([](double a) { return std::sin(a); }));
  add(table, "math.sinh", Unary([](double a) { return std::sinh(a); }));
  add(table, "math.sqrt", Unary([](double a) { return std::sqrt(a); }));
  add(table, "math.tan", Unary([](double a) { return std::tan(a); }));
  add(table, "math.tanh", Unary([](double a) { return std::tanh(a); }));
  add(table, "math.trunc", Unary([](double a) { return std::trunc(a); }));
  add(table, "math.isfinite", Test([](double a) { return std::isfinite(a); }));
  add(table, "math.isinf", Test([](double a) { return std::isinf(a); }));
  add(table, "math.isnan", Test([](double a) { return std::isnan(a); }));
  table.add(evaluateFma);
  table.add(evaluateClamp);
  table.add(evaluateFPowI);
  table.add(evaluateSincos);
}

void tw::interpreter::addFloatEvaluators(EvaluatorTable &table) {
  addArithmetic(table);
  addFunctions(table);
  table.add(evaluateGelu);
  table.add(evaluateGeluBackward);
  // 1 / (1 + exp(-x)) is exact enough in double for any x: exp(-x) at most overflows to infinity.
  add(table, "graph.sigmoid", Unary([](double a) { return 1 / (1 + std::exp(-a)); }));
}
