// Ops that move elements, and reductions: graph's structure family, and what the tensor dialect adds for scalars.
#include "compiler/Interpreter/Evaluator.h"

#include "compiler/Dialect/Graph/Graph.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>

using namespace mlir;
using namespace tw::interpreter;
using namespace tw::graph;

static void evaluateReshape(ReshapeOp, Evaluation &e) {
  e.results[0] = e.operands[0]->reshaped(e.results[0].getShape());
}

static void evaluateTranspose(TransposeOp op, Evaluation &e) {
  const Tensor &input = *e.operands[0];
  SmallVector<int64_t> source(input.getRank());
  forEachIndex(e.results[0].getShape(), [&](ArrayRef<int64_t> index) {
    for (auto [i, dimension] : llvm::enumerate(op.getPermutation()))
      source[dimension] = index[i];
    e.results[0].copyElement(e.results[0].offsetOf(index), input, input.offsetOf(source));
  });
}

static void evaluateBroadcast(BroadcastOp op, Evaluation &e) {
  const Tensor &input = *e.operands[0];
  SmallVector<int64_t> source(input.getRank());
  forEachIndex(e.results[0].getShape(), [&](ArrayRef<int64_t> index) {
    for (auto [i, dimension] : llvm::enumerate(op.getDimensions()))
      source[i] = input.getDimSize(i) == 1 ? 0 : index[dimension];
    e.results[0].copyElement(e.results[0].offsetOf(index), input, input.offsetOf(source));
  });
}

static void evaluateSlice(SliceOp op, Evaluation &e) {
  const Tensor &input = *e.operands[0];
  SmallVector<int64_t> source(input.getRank());
  forEachIndex(e.results[0].getShape(), [&](ArrayRef<int64_t> index) {
    for (size_t i = 0; i < source.size(); ++i)
      source[i] = op.getStarts()[i] + index[i] * op.getStrides()[i];
    e.results[0].copyElement(e.results[0].offsetOf(index), input, input.offsetOf(source));
  });
}

static void fill(Tensor &tensor, double value) {
  for (int64_t i = 0, count = tensor.getNumElements(); i < count; ++i)
    if (tensor.isFloat())
      tensor.real(i) = value;
    else
      tensor.integer(i) = static_cast<int64_t>(value);
}

static void evaluatePad(PadOp op, Evaluation &e) {
  const Tensor &input = *e.operands[0];
  fill(e.results[0], op.getValue().convertToDouble());
  SmallVector<int64_t> target(input.getRank());
  forEachIndex(input.getShape(), [&](ArrayRef<int64_t> index) {
    for (size_t i = 0; i < target.size(); ++i)
      target[i] = op.getLow()[i] + index[i] * (op.getInterior()[i] + 1);
    e.results[0].copyElement(e.results[0].offsetOf(target), input, input.offsetOf(index));
  });
}

static void evaluateConcat(ConcatOp op, Evaluation &e) {
  int64_t begin = 0;
  for (const Tensor *input : e.operands) {
    SmallVector<int64_t> target;
    forEachIndex(input->getShape(), [&](ArrayRef<int64_t> index) {
      target.assign(index.begin(), index.end());
      target[op.getAxis()] += begin;
      e.results[0].copyElement(e.results[0].offsetOf(target), *input, input->offsetOf(index));
    });
    begin += input->getDimSize(op.getAxis());
  }
}

/// Calls `visit(slice offset, indexed offset)` for each pair of elements of a gather: `sliced` has the indices' shape
/// in place of dimension `axis` of `indexed`. Fails after an error where an index lies outside.
static LogicalResult forEachGathered(Operation *op, const Tensor &sliced, const Tensor &indexed, const Tensor &indices,
                                     int64_t axis, llvm::function_ref<void(int64_t, int64_t)> visit) {
  int64_t size = indexed.getDimSize(axis);
  for (int64_t i = 0, count = indices.getNumElements(); i < count; ++i)
    if (indices.integer(i) < -size || indices.integer(i) >= size)
      return op->emitError("index ") << indices.integer(i) << " at position " << i << " is outside of axis " << axis
                                     << ", which has size " << size;
  SmallVector<int64_t> position, target;
  forEachIndex(sliced.getShape(), [&](ArrayRef<int64_t> index) {
    position.assign(index.begin() + axis, index.begin() + axis + indices.getRank());
    int64_t picked = indices.integer(indices.offsetOf(position));
    target.assign(index.begin(), index.begin() + axis);
    target.push_back(picked < 0 ? picked + size : picked);
    target.append(index.begin() + axis + indices.getRank(), index.end());
    visit(sliced.offsetOf(index), indexed.offsetOf(target));
  });
  return success();
}

static LogicalResult evaluateGather(GatherOp op, Evaluation &e) {
  Tensor &result = e.results[0];
  const Tensor &input = *e.operands[0];
  return forEachGathered(op, result, input, *e.operands[1], op.getAxis(),
                         [&](int64_t to, int64_t from) { result.copyElement(to, input, from); });
}

static LogicalResult evaluateScatterAdd(ScatterAddOp op, Evaluation &e) {
  Tensor &result = e.results[0];
  const Tensor &updates = *e.operands[0];
  return forEachGathered(op, updates, result, *e.operands[1], op.getAxis(),
                         [&](int64_t from, int64_t to) { result.real(to) += updates.real(from); });
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

static double combine(Reduction kind, double a, double b) {
  switch (kind) {
  case Reduction::Sum:
    return a + b;
  case Reduction::Prod:
    return a * b;
  case Reduction::Max:
    return std::isnan(a) || b <= a ? a : b;
  case Reduction::Min:
    return std::isnan(a) || b >= a ? a : b;
  }
  return NAN;
}

static int64_t combine(Reduction kind, int64_t a, int64_t b) {
  switch (kind) {
  case Reduction::Sum:
    return uint64_t(a) + uint64_t(b);
  case Reduction::Prod:
    return uint64_t(a) * uint64_t(b);
  case Reduction::Max:
    return std::max(a, b);
  case Reduction::Min:
    return std::min(a, b);
  }
  return 0;
}

/// What a reduction of no elements gives: the neutral element; for integers the smallest or largest of the width.
static void fillNeutral(Tensor &tensor, Reduction kind) {
  unsigned width = tensor.getIntegerWidth();
  int64_t smallest = width == 1 ? 0 : llvm::minIntN(width), largest = width == 1 ? 1 : llvm::maxIntN(width);
  for (int64_t i = 0, count = tensor.getNumElements(); i < count; ++i) {
    if (tensor.isFloat())
      tensor.real(i) = kind == Reduction::Sum    ? 0
                       : kind == Reduction::Prod ? 1
                       : kind == Reduction::Max  ? -INFINITY
                                                 : INFINITY;
    else
      tensor.integer(i) = kind == Reduction::Sum    ? 0
                          : kind == Reduction::Prod ? 1
                          : kind == Reduction::Max  ? smallest
                                                    : largest;
  }
}

static void evaluateReduce(ReduceOp op, Evaluation &e) {
  const Tensor &input = *e.operands[0];
  Tensor &result = e.results[0];
  fillNeutral(result, op.getKind());
  SmallVector<int64_t> target;
  forEachIndex(input.getShape(), [&](ArrayRef<int64_t> index) {
    target.clear();
    for (auto [dimension, i] : llvm::enumerate(index))
      if (!llvm::is_contained(op.getDimensions(), static_cast<int64_t>(dimension)))
        target.push_back(i);
    int64_t from = input.offsetOf(index), to = result.offsetOf(target);
    if (result.isFloat())
      result.real(to) = combine(op.getKind(), result.real(to), input.real(from));
    else
      result.integer(to) = combine(op.getKind(), result.integer(to), input.integer(from));
  });
}

//===----------------------------------------------------------------------===//
// tensor: scalars in and out
//===----------------------------------------------------------------------===//

static void evaluateFromElements(tensor::FromElementsOp, Evaluation &e) {
  for (auto [i, element] : llvm::enumerate(e.operands))
    e.results[0].copyElement(i, *element, 0);
}

static void evaluateSplat(tensor::SplatOp, Evaluation &e) {
  for (int64_t i = 0, count = e.results[0].getNumElements(); i < count; ++i)
    e.results[0].copyElement(i, *e.operands[0], 0);
}

static LogicalResult evaluateExtract(tensor::ExtractOp op, Evaluation &e) {
  SmallVector<int64_t> index;
  for (const Tensor *position : e.operands.drop_front()) {
    index.push_back(position->integer(0));
    int64_t size = e.operands[0]->getDimSize(index.size() - 1);
    if (index.back() < 0 || index.back() >= size)
      return op.emitError("index ") << index.back() << " is outside of dimension " << index.size() - 1
                                    << ", which has size " << size;
  }
  e.results[0].copyElement(0, *e.operands[0], e.operands[0]->offsetOf(index));
  return success();
}

void tw::interpreter::addStructureEvaluators(EvaluatorTable &table) {
  table.add(evaluateReshape);
  table.add(evaluateTranspose);
  table.add(evaluateBroadcast);
  table.add(evaluateSlice);
  table.add(evaluatePad);
  table.add(evaluateConcat);
  table.add(evaluateGather);
  table.add(evaluateScatterAdd);
  table.add(evaluateReduce);
  table.add(evaluateFromElements);
  table.add(evaluateSplat);
  table.add(evaluateExtract);
}
