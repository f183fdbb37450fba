// Integer arithmetic, logic and comparison: arith and math. Results wrap to their width (the caller does it).
#include "compiler/Interpreter/Evaluator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/bit.h"

#include <optional>

using namespace mlir;
using namespace tw::interpreter;

/// Functions see the elements as signed numbers and their width. None: undefined (division by zero and the like).
using Binary = std::optional<int64_t> (*)(int64_t, int64_t, unsigned);
using Unary = int64_t (*)(int64_t, unsigned);

static void add(EvaluatorTable &table, StringRef name, Binary function) {
  table.add(name, [function](Evaluation &e) -> LogicalResult {
    unsigned width = e.operands[0]->getIntegerWidth();
    for (int64_t i = 0, count = e.results[0].getNumElements(); i < count; ++i) {
      int64_t a = asSigned(e.operands[0]->integer(i), width), b = asSigned(e.operands[1]->integer(i), width);
      std::optional<int64_t> value = function(a, b, width);
      if (!value)
        return e.op->emitError("element ") << i << " is undefined: the operands are " << a << " and " << b;
      e.results[0].integer(i) = *value;
    }
    return success();
  });
}

static void add(EvaluatorTable &table, StringRef name, Unary function) {
  table.add(name, [function](Evaluation &e) {
    unsigned width = e.operands[0]->getIntegerWidth();
    for (int64_t i = 0, count = e.results[0].getNumElements(); i < count; ++i)
      e.results[0].integer(i) = function(asSigned(e.operands[0]->integer(i), width), width);
    return success();
  });
}

// Arithmetic wraps: it is done on unsigned numbers, where overflow is defined.
static std::optional<int64_t> wrappingAdd(int64_t a, int64_t b, unsigned) {
  return uint64_t(a) + uint64_t(b);
}
static std::optional<int64_t> wrappingSubtract(int64_t a, int64_t b, unsigned) {
  return uint64_t(a) - uint64_t(b);
}
static std::optional<int64_t> wrappingMultiply(int64_t a, int64_t b, unsigned) {
  return uint64_t(a) * uint64_t(b);
}

/// Whether a / b is undefined in signed arithmetic: b is zero, or the quotient does not fit.
static bool isUndefinedDivision(int64_t a, int64_t b) {
  return b == 0 || (b == -1 && a == INT64_MIN);
}

static std::optional<int64_t> divideSigned(int64_t a, int64_t b, unsigned) {
  return isUndefinedDivision(a, b) ? std::nullopt : std::optional<int64_t>(a / b);
}
static std::optional<int64_t> remainderSigned(int64_t a, int64_t b, unsigned) {
  return isUndefinedDivision(a, b) ? std::nullopt : std::optional<int64_t>(a % b);
}
static std::optional<int64_t> floorDivide(int64_t a, int64_t b, unsigned) {
  if (isUndefinedDivision(a, b))
    return std::nullopt;
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
static std::optional<int64_t> ceilDivide(int64_t a, int64_t b, unsigned) {
  if (isUndefinedDivision(a, b))
    return std::nullopt;
  return a / b + (a % b != 0 && (a < 0) == (b < 0));
}

static std::optional<int64_t> divideUnsigned(int64_t a, int64_t b, unsigned width) {
  uint64_t x = asUnsigned(a, width), y = asUnsigned(b, width);
  return y == 0 ? std::nullopt : std::optional<int64_t>(x / y);
}
static std::optional<int64_t> ceilDivideUnsigned(int64_t a, int64_t b, unsigned width) {
  uint64_t x = asUnsigned(a, width), y = asUnsigned(b, width);
  return y == 0 ? std::nullopt : std::optional<int64_t>(x / y + (x % y != 0));
}
static std::optional<int64_t> remainderUnsigned(int64_t a, int64_t b, unsigned width) {
  uint64_t x = asUnsigned(a, width), y = asUnsigned(b, width);
  return y == 0 ? std::nullopt : std::optional<int64_t>(x % y);
}

static bool isValidShift(int64_t amount, unsigned width) {
  return asUnsigned(amount, width) < width;
}
static std::optional<int64_t> shiftLeft(int64_t a, int64_t b, unsigned width) {
  return isValidShift(b, width) ? std::optional<int64_t>(uint64_t(a) << asUnsigned(b, width)) : std::nullopt;
}
static std::optional<int64_t> shiftRightSigned(int64_t a, int64_t b, unsigned width) {
  return isValidShift(b, width) ? std::optional<int64_t>(a >> asUnsigned(b, width)) : std::nullopt;
}
static std::optional<int64_t> shiftRightUnsigned(int64_t a, int64_t b, unsigned width) {
  return isValidShift(b, width) ? std::optional<int64_t>(asUnsigned(a, width) >> asUnsigned(b, width)) : std::nullopt;
}

static std::optional<int64_t> power(int64_t base, int64_t exponent, unsigned) {
  if (exponent < 0) {
    if (base == 0)
      return std::nullopt;
    return base == 1 ? 1 : base == -1 ? (exponent % 2 ? -1 : 1) : 0;
  }
  uint64_t result = 1, square = base;
  for (; exponent; exponent >>= 1, square *= square)
    if (exponent & 1)
      result *= square;
  return result;
}

static bool compare(arith::CmpIPredicate predicate, int64_t a, int64_t b, unsigned width) {
  uint64_t x = asUnsigned(a, width), y = asUnsigned(b, width);
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return a == b;
  case arith::CmpIPredicate::ne:
    return a != b;
  case arith::CmpIPredicate::slt:
    return a < b;
  case arith::CmpIPredicate::sle:
    return a <= b;
  case arith::CmpIPredicate::sgt:
    return a > b;
  case arith::CmpIPredicate::sge:
    return a >= b;
  case arith::CmpIPredicate::ult:
    return x < y;
  case arith::CmpIPredicate::ule:
    return x <= y;
  case arith::CmpIPredicate::ugt:
    return x > y;
  case arith::CmpIPredicate::uge:
    return x >= y;
  }
  return false;
}

static void evaluateCmpI(arith::CmpIOp op, Evaluation &e) {
  unsigned width = e.operands[0]->getIntegerWidth();
  for (int64_t i = 0, count = e.results[0].getNumElements(); i < count; ++i)
    e.results[0].integer(i) = compare(op.getPredicate(), asSigned(e.operands[0]->integer(i), width),
                                      asSigned(e.operands[1]->integer(i), width), width);
}

static void addMinimaAndMaxima(EvaluatorTable &table) {
  add(table, "arith.maxsi", Binary([](int64_t a, int64_t b, unsigned) { return std::optional(std::max(a, b)); }));
  add(table, "arith.minsi", Binary([](int64_t a, int64_t b, unsigned) { return std::optional(std::min(a, b)); }));
  add(table, "arith.maxui", Binary([](int64_t a, int64_t b, unsigned width) {
        return std::optional(asUnsigned(a, width) > asUnsigned(b, width) ? a : b);
      }));
  add(table, "arith.minui", Binary([](int64_t a, int64_t b, unsigned width) {
        return std::optional(asUnsigned(a, width) < asUnsigned(b, width) ? a : b);
      }));
}

static void addBitOperations(EvaluatorTable &table) {
  add(table, "arith.andi", Binary([](int64_t a, int64_t b, unsigned) { return std::optional(a & b); }));
  add(table, "arith.ori", Binary([](int64_t a, int64_t b, unsigned) { return std::optional(a | b); }));
  add(table, "arith.xori", Binary([](int64_t a, int64_t b, unsigned) { return std::optional(a ^ b); }));
  add(table, "arith.shli", Binary(shiftLeft));
  add(table, "arith.shrsi", Binary(shiftRightSigned));
  add(table, "arith.shrui", Binary(shiftRightUnsigned));
  add(table, "math.ctpop", Unary([](int64_t a, unsigned w) { return int64_t(llvm::popcount(asUnsigned(a, w))); }));
  add(table, "math.ctlz",
      Unary([](int64_t a, unsigned w) { return int64_t(llvm::countl_zero(asUnsigned(a, w))) - (64 - int64_t(w)); }));
  add(table, "math.cttz",
      Unary([](int64_t a, unsigned w) { return std::min<int64_t>(llvm::countr_zero(asUnsigned(a, w)), w); }));
}

void tw::interpreter::addIntegerEvaluators(EvaluatorTable &table) {
  add(table, "arith.addi", Binary(wrappingAdd));
  add(table, "arith.subi", Binary(wrappingSubtract));
  add(table, "arith.muli", Binary(wrappingMultiply));
  add(table, "arith.divsi", Binary(divideSigned));
  add(table, "arith.divui", Binary(divideUnsigned));
  add(table, "arith.ceildivsi", Binary(ceilDivide));
  add(table, "arith.ceildivui", Binary(ceilDivideUnsigned));
  add(table, "arith.floordivsi", Binary(floorDivide));
  add(table, "arith.remsi", Binary(remainderSigned));
  add(table, "arith.remui", Binary(remainderUnsigned));
  add(table, "math.ipowi", Binary(power));
  add(table, "math.absi", Unary([](int64_t a, unsigned) { return a < 0 ? int64_t(-uint64_t(a)) : a; }));
  addMinimaAndMaxima(table);
  addBitOperations(table);
  table.add(evaluateCmpI);
}
