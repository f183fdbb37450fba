// Cost of arith and math: one operation an element.
#include "compiler/Cost/Costs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tw::cost {

void registerElementwiseCosts(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, arith::ArithDialect *) {
    attachPerElement<1,
#define GET_OP_LIST
#include "mlir/Dialect/Arith/IR/ArithOps.cpp.inc"
                     >(context);
  });
  registry.addExtension(+[](MLIRContext *context, math::MathDialect *) {
    attachPerElement<1,
#define GET_OP_LIST
#include "mlir/Dialect/Math/IR/MathOps.cpp.inc"
                     >(context);
  });
}

} // namespace tw::cost
