// Cost of normalisation, softmax and activations: operations an element of the input, from their formulas.
#include "compiler/Cost/Costs.h"

#include "compiler/Dialect/Graph/Graph.h"

using namespace mlir;
using namespace tw::graph;

namespace tw::cost {

void registerNormalizationCosts(MLIRContext *context) {
  attachPerElement<3, CenteredSquareSumOp>(context);                     // subtract, square, add
  attachPerElement<4, BatchNormOp>(context);                             // subtract, divide, multiply, add
  attachPerElement<8, BatchNormTrainingOp>(context);                     // sum, centered squares, apply
  attachPerElement<5, BatchNormBackwardReduceOp>(context);               // x^, its product with dy, two sums
  attachPerElement<7, BatchNormBackwardApplyOp>(context);                // x^, two scaled subtractions, scale
  attachPerElement<12, BatchNormBackwardOp>(context);                    // both
  attachPerElement<8, LayerNormOp>(context);                             // as batch norm in training
  attachPerElement<14, LayerNormBackwardOp>(context);                    // x^, g, two means, apply, two column sums
  attachPerElement<4, RmsNormOp>(context);                               // square, sum, two products
  attachPerElement<10, RmsNormBackwardOp>(context);                      // x^, g, one mean, apply, one column sum
  attachPerElement<4, SoftmaxOp>(context);                               // maximum, subtract and exp, sum, divide
  attachPerElement<5, LogSoftmaxOp>(context);                            // maximum, subtract, exp, sum, subtract
  attachPerElement<4, SoftmaxBackwardOp, LogSoftmaxBackwardOp>(context); // multiply, sum, subtract, multiply
  attachPerElement<5, GeluOp>(context);
  attachPerElement<10, GeluBackwardOp>(context);
  attachPerElement<4, SigmoidOp>(context);
}

} // namespace tw::cost
