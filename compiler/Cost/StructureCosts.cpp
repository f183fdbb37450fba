// Cost of moving elements (none), of indexing and of reductions.
#include "compiler/Cost/Costs.h"

#include "compiler/Dialect/Graph/Graph.h"

using namespace mlir;
using namespace tw::graph;

namespace tw::cost {

static int64_t scatterAddFlops(ScatterAddOp op) {
  return elementsOf(op.getUpdates());
}

void registerStructureCosts(MLIRContext *context) {
  attachPerElement<0, ReshapeOp, TransposeOp, BroadcastOp, SliceOp, PadOp, ConcatOp, GatherOp>(context);
  attach<ScatterAddOp, scatterAddFlops>(context);
  attachPerElement<1, ReduceOp>(context);
}

} // namespace tw::cost
