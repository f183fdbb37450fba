// Cost of losses and dropout.
#include "compiler/Cost/Costs.h"

#include "compiler/Dialect/Graph/Graph.h"

using namespace mlir;
using namespace tw::graph;

namespace tw::cost {

void registerLossCosts(MLIRContext *context) {
  attachPerElement<4, CrossEntropyOp>(context);         // maximum, subtract and exp, two sums
  attachPerElement<4, CrossEntropyBackwardOp>(context); // subtract, exp, subtract, multiply
  attachPerElement<2, DropoutOp>(context);              // compare, multiply; its random numbers are integer work
}

} // namespace tw::cost
