// Folders and canonicalisation of ops that move elements.
#include "compiler/Dialect/Graph/Verification.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tw::graph;

/// Larger constants are not folded: they would be copied into the IR once more.
static constexpr int64_t kLargestFolded = 4096;

static bool isIdentity(ArrayRef<int64_t> permutation) {
  return llvm::equal(permutation, llvm::seq<int64_t>(permutation.size()));
}

/// Whether `value` may be taken for `result`: the same type, encoding included.
static bool hasTypeOf(Value value, Value result) {
  return value.getType() == result.getType();
}

/// A constant whose elements are moved. A splat stays one; a small integer tensor is computed, `sourceOf` giving the
/// index in the input of each element of the result.
static OpFoldResult foldMove(Attribute input, RankedTensorType type,
                             llvm::function_ref<SmallVector<int64_t>(ArrayRef<int64_t>)> sourceOf) {
  auto elements = dyn_cast_or_null<DenseElementsAttr>(input);
  if (!elements)
    return nullptr;
  if (elements.isSplat())
    return elements.resizeSplat(type);
  if (!isa<IntegerType>(type.getElementType()) || type.getNumElements() > kLargestFolded ||
      elements.getNumElements() > kLargestFolded)
    return nullptr;
  auto source = elements.getValues<APInt>();
  ArrayRef<int64_t> sourceShape = elements.getType().getShape();
  SmallVector<APInt> values;
  SmallVector<int64_t> index(type.getRank(), 0);
  for (int64_t count = type.getNumElements(); count > 0; --count) {
    int64_t offset = 0;
    for (auto [size, i] : llvm::zip_equal(sourceShape, sourceOf(index)))
      offset = offset * size + i;
    values.push_back(source[offset]);
    for (int64_t d = type.getRank() - 1; d >= 0 && ++index[d] == type.getDimSize(d); --d)
      index[d] = 0;
  }
  return DenseElementsAttr::get(type, values);
}

//===----------------------------------------------------------------------===//
// reshape
//===----------------------------------------------------------------------===//

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (hasTypeOf(getInput(), getResult()))
    return getInput();
  if (auto elements = dyn_cast_or_null<DenseElementsAttr>(adaptor.getInput()))
    return elements.reshape(getType());
  return nullptr;
}

static LogicalResult mergeReshapes(ReshapeOp op, PatternRewriter &rewriter) {
  auto first = op.getInput().getDefiningOp<ReshapeOp>();
  if (!first)
    return failure();
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), first.getInput());
  return success();
}

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(mergeReshapes);
}

//===----------------------------------------------------------------------===//
// transpose
//===----------------------------------------------------------------------===//

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  ArrayRef<int64_t> permutation = getPermutation();
  if (isIdentity(permutation) && hasTypeOf(getInput(), getResult()))
    return getInput();
  return foldMove(adaptor.getInput(), getType(), [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> source(index.size());
    for (auto [i, dimension] : llvm::enumerate(permutation))
      source[dimension] = index[i];
    return source;
  });
}

static LogicalResult mergeTransposes(TransposeOp op, PatternRewriter &rewriter) {
  auto first = op.getInput().getDefiningOp<TransposeOp>();
  if (!first)
    return failure();
  SmallVector<int64_t> permutation;
  for (int64_t dimension : op.getPermutation())
    permutation.push_back(first.getPermutation()[dimension]);
  rewriter.replaceOpWithNewOp<TransposeOp>(op, op.getType(), first.getInput(), permutation);
  return success();
}

/// A transpose that only moves dimensions of size one moves no elements.
static LogicalResult transposeToReshape(TransposeOp op, PatternRewriter &rewriter) {
  int64_t previous = -1;
  for (int64_t dimension : op.getPermutation()) {
    if (shapeOf(op.getInput())[dimension] == 1)
      continue;
    if (dimension < previous)
      return failure();
    previous = dimension;
  }
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getInput());
  return success();
}

void TransposeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(mergeTransposes);
  patterns.add(transposeToReshape);
}

//===----------------------------------------------------------------------===//
// broadcast
//===----------------------------------------------------------------------===//

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (isIdentity(getDimensions()) && hasTypeOf(getInput(), getResult()))
    return getInput();
  if (auto first = getInput().getDefiningOp<BroadcastOp>()) {
    SmallVector<int64_t> dimensions;
    for (int64_t dimension : first.getDimensions())
      dimensions.push_back(getDimensions()[dimension]);
    setDimensions(dimensions);
    getInputMutable().assign(first.getInput());
    return getResult();
  }
  ArrayRef<int64_t> input = shapeOf(getInput());
  return foldMove(adaptor.getInput(), getType(), [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> source;
    for (auto [i, dimension] : llvm::enumerate(getDimensions()))
      source.push_back(input[i] == 1 ? 0 : index[dimension]);
    return source;
  });
}

//===----------------------------------------------------------------------===//
// slice
//===----------------------------------------------------------------------===//

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  // Elements 0 to n - 1 of n can only be taken in order or, by strides of -1, backwards.
  bool isWhole = hasTypeOf(getInput(), getResult());
  for (auto [d, size] : llvm::enumerate(getType().getShape()))
    isWhole &= size <= 1 || getStrides()[d] == 1;
  if (isWhole)
    return getInput();
  if (auto first = getInput().getDefiningOp<SliceOp>()) {
    SmallVector<int64_t> starts, strides;
    for (size_t d = 0; d < getStarts().size(); ++d) {
      starts.push_back(first.getStarts()[d] + getStarts()[d] * first.getStrides()[d]);
      strides.push_back(first.getStrides()[d] * getStrides()[d]);
    }
    setStarts(starts);
    setStrides(strides);
    getInputMutable().assign(first.getInput());
    return getResult();
  }
  return foldMove(adaptor.getInput(), getType(), [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> source;
    for (size_t d = 0; d < index.size(); ++d)
      source.push_back(getStarts()[d] + index[d] * getStrides()[d]);
    return source;
  });
}
