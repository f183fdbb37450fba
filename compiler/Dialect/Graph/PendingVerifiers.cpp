#include "compiler/Dialect/Graph/Graph.h"
using namespace mlir;
using namespace tw::graph;
LogicalResult ParameterOp::verify() { return success(); }
LogicalResult AccumulateOp::verify() { return success(); }
LogicalResult MatMulOp::verify() { return success(); }
LogicalResult ConvolutionOp::verify() { return success(); }
LogicalResult ConvolutionBackwardInputOp::verify() { return success(); }
LogicalResult ConvolutionBackwardFilterOp::verify() { return success(); }
LogicalResult MaxPoolOp::verify() { return success(); }
LogicalResult MaxPoolBackwardOp::verify() { return success(); }
LogicalResult AveragePoolOp::verify() { return success(); }
LogicalResult AveragePoolBackwardOp::verify() { return success(); }
LogicalResult BatchNormTrainingOp::verify() { return success(); }
LogicalResult BatchNormBackwardOp::verify() { return success(); }
LogicalResult CenteredSquareSumOp::verify() { return success(); }
LogicalResult BatchNormOp::verify() { return success(); }
LogicalResult BatchNormBackwardReduceOp::verify() { return success(); }
LogicalResult BatchNormBackwardApplyOp::verify() { return success(); }
LogicalResult LayerNormOp::verify() { return success(); }
LogicalResult LayerNormBackwardOp::verify() { return success(); }
LogicalResult RmsNormOp::verify() { return success(); }
LogicalResult RmsNormBackwardOp::verify() { return success(); }
LogicalResult SoftmaxOp::verify() { return success(); }
LogicalResult SoftmaxBackwardOp::verify() { return success(); }
LogicalResult LogSoftmaxOp::verify() { return success(); }
LogicalResult LogSoftmaxBackwardOp::verify() { return success(); }
LogicalResult AttentionOp::verify() { return success(); }
LogicalResult AttentionBackwardOp::verify() { return success(); }
LogicalResult ReshapeOp::verify() { return success(); }
LogicalResult TransposeOp::verify() { return success(); }
LogicalResult BroadcastOp::verify() { return success(); }
LogicalResult SliceOp::verify() { return success(); }
LogicalResult PadOp::verify() { return success(); }
LogicalResult ConcatOp::verify() { return success(); }
LogicalResult GatherOp::verify() { return success(); }
LogicalResult ScatterAddOp::verify() { return success(); }
LogicalResult ReduceOp::verify() { return success(); }
LogicalResult CrossEntropyOp::verify() { return success(); }
LogicalResult CrossEntropyBackwardOp::verify() { return success(); }
LogicalResult DropoutOp::verify() { return success(); }
OpFoldResult ReshapeOp::fold(FoldAdaptor) { return getInput().getType() == getType() ? OpFoldResult(getInput()) : nullptr; }
OpFoldResult TransposeOp::fold(FoldAdaptor) { return nullptr; }
OpFoldResult BroadcastOp::fold(FoldAdaptor) { return nullptr; }
OpFoldResult SliceOp::fold(FoldAdaptor) { return nullptr; }
void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &, MLIRContext *) {}
void TransposeOp::getCanonicalizationPatterns(RewritePatternSet &, MLIRContext *) {}
