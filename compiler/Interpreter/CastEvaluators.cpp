// Constants, selection and conversion between element types.
#include "compiler/Interpreter/Evaluator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/APFloat.h"

#include <cmath>

using namespace mlir;
using namespace tw::interpreter;

static LogicalResult evaluateConstantOp(arith::ConstantOp op, Evaluation &e) {
  std::optional<Tensor> value = Tensor::fromAttribute(op.getValue());
  if (!value)
    return op.emitError("the constant's data is missing or does not fit its type ") << op.getType();
  e.results[0] = std::move(*value);
  return success();
}

static void evaluateSelect(arith::SelectOp, Evaluation &e) {
  const Tensor &condition = *e.operands[0];
  bool isScalar = condition.getRank() == 0;
  for (int64_t i = 0, count = e.results[0].getNumElements(); i < count; ++i)
    e.results[0].copyElement(i, condition.integer(isScalar ? 0 : i) ? *e.operands[1] : *e.operands[2], i);
}

template <typename Op>
static void addFloatCast(EvaluatorTable &table) {
  // The caller rounds to the narrower type.
  table.add<Op>(+[](Op, Evaluation &e) {
    for (int64_t i = 0, count = e.results[0].getNumElements(); i < count; ++i)
      e.results[0].real(i) = e.operands[0]->real(i);
  });
}

template <typename Op, bool isSigned>
static void addIntegerCast(EvaluatorTable &table) {
  // The caller wraps to the narrower type.
  table.add<Op>(+[](Op, Evaluation &e) {
    unsigned width = e.operands[0]->getIntegerWidth();
    for (int64_t i = 0, count = e.results[0].getNumElements(); i < count; ++i)
      e.results[0].integer(i) = isSigned ? asSigned(e.operands[0]->integer(i), width)
                                         : static_cast<int64_t>(asUnsigned(e.operands[0]->integer(i), width));
  });
}

static void evaluateSignedToFloat(arith::SIToFPOp, Evaluation &e) {
  unsigned width = e.operands[0]->getIntegerWidth();
  for (int64_t i = 0, count = e.results[0].getNumElements(); i < count; ++i)
    e.results[0].real(i) = static_cast<double>(asSigned(e.operands[0]->integer(i), width));
}

static void evaluateUnsignedToFloat(arith::UIToFPOp, Evaluation &e) {
  unsigned width = e.operands[0]->getIntegerWidth();
  for (int64_t i = 0, count = e.results[0].getNumElements(); i < count; ++i)
    e.results[0].real(i) = static_cast<double>(asUnsigned(e.operands[0]->integer(i), width));
}

/// Towards zero. A number outside of the type's range is undefined in arith; here it saturates, and a NaN gives 0.
static int64_t truncateToInteger(double value, unsigned width, bool isSigned) {
  APSInt result(std::max(width, 1u), /*isUnsigned=*/!isSigned);
  bool isExact;
  APFloat(value).convertToInteger(result, APFloat::rmTowardZero, &isExact);
  return isSigned ? result.getSExtValue() : static_cast<int64_t>(result.getZExtValue());
}

template <typename Op, bool isSigned>
static void addFloatToInteger(EvaluatorTable &table) {
  table.add<Op>(+[](Op, Evaluation &e) {
    unsigned width = e.results[0].getIntegerWidth();
    for (int64_t i = 0, count = e.results[0].getNumElements(); i < count; ++i)
      e.results[0].integer(i) = truncateToInteger(e.operands[0]->real(i), width, isSigned);
  });
}

static uint64_t bitsOf(const Tensor &tensor, int64_t offset) {
  if (!tensor.isFloat())
    return asUnsigned(tensor.integer(offset), tensor.getIntegerWidth());
  APFloat number(tensor.real(offset));
  bool losesInfo;
  number.convert(cast<FloatType>(tensor.getElementType()).getFloatSemantics(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return number.bitcastToAPInt().getZExtValue();
}

static void evaluateBitcast(arith::BitcastOp, Evaluation &e) {
  Tensor &result = e.results[0];
  for (int64_t i = 0, count = result.getNumElements(); i < count; ++i) {
    uint64_t bits = bitsOf(*e.operands[0], i);
    if (!result.isFloat()) {
      result.integer(i) = bits;
      continue;
    }
    auto type = cast<FloatType>(result.getElementType());
    APFloat number(type.getFloatSemantics(), APInt(type.getWidth(), bits));
    bool losesInfo;
    number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
    result.real(i) = number.convertToDouble();
  }
}

void tw::interpreter::addCastEvaluators(EvaluatorTable &table) {
  table.add(evaluateConstantOp);
  table.add(evaluateSelect);
  addFloatCast<arith::ExtFOp>(table);
  addFloatCast<arith::TruncFOp>(table);
  addIntegerCast<arith::ExtSIOp, true>(table);
  addIntegerCast<arith::ExtUIOp, false>(table);
  addIntegerCast<arith::TruncIOp, true>(table);
  addIntegerCast<arith::IndexCastOp, true>(table);
  addIntegerCast<arith::IndexCastUIOp, false>(table);
  addFloatToInteger<arith::FPToSIOp, true>(table);
  addFloatToInteger<arith::FPToUIOp, false>(table);
  table.add(evaluateSignedToFloat);
  table.add(evaluateUnsignedToFloat);
  table.add(evaluateBitcast);
}
