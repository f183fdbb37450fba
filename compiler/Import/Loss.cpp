// Losses that are part of a model.
#include "compiler/Import/Importer.h"

#include <limits>

using namespace mlir;

namespace tw::import {
namespace {

/// [n, c, d...] as rows [n * d..., c].
Value classesLast(Emitter &emit, Value scores) {
  ShapeVector permutation{0};
  for (int64_t i = 2; i < rankOf(scores); ++i)
    permutation.push_back(i);
  permutation.push_back(1);
  int64_t classes = shapeOf(scores)[1];
  Value last = emit.transpose(scores, permutation);
  return emit.reshape(last, {elementCount(shapeOf(scores)) / classes, classes});
}

// The number of rows whose label counts, at least 1.
Value countRows(Emitter &emit, Value labels, int64_t ignored, Type element) {
  Value counts =
      emit.compare(arith::CmpFPredicate::UNE, arith::CmpIPredicate::ne, labels, emit.splatLike(labels, ignored));
  Value sum = emit.reduce(emit.cast(counts, element, true), graph::Reduction::Sum, {0});
  return emit.maximum(sum, emit.splatLike(sum, 1));
}

LogicalResult importCrossEntropy(Node &node) {
  Emitter &emit = node.emit;
  Value scores = node.input(0), labels = node.input(1);
  if (node.hasInput(2))
    return node.error() << "class weights are not supported";
  if (!isFloat(scores) || rankOf(scores) < 2 || isFloat(labels) || rankOf(labels) != rankOf(scores) - 1 ||
      elementCount(shapeOf(labels)) * shapeOf(scores)[1] != elementCount(shapeOf(scores)))
    return node.error() << "expected scores [n, c, ...] and integer labels [n, ...], found " << scores.getType()
                        << " and " << labels.getType();
  StringRef reduction = node.stringAttribute("reduction", "mean");
  if (reduction != "mean" && reduction != "sum")
    return node.error() << "reduction '" << reduction << "' is not supported: expected 'mean' or 'sum'";
  int64_t ignored = node.intAttribute("ignore_index", std::numeric_limits<int64_t>::min());
  Value rows = classesLast(emit, scores), flat = emit.reshape(labels, {elementCount(shapeOf(labels))});
  Type scalar = RankedTensorType::get({}, elementOf(scores));
  auto op =
      graph::CrossEntropyOp::create(emit.builder, emit.location, TypeRange{scalar, typeOf(rows).clone(shapeOf(flat))},
                                    rows, flat, ignored, llvm::APFloat(0.0));
  Value loss = op.getLoss();
  if (reduction == "mean")
    loss = emit.div(loss, countRows(emit, flat, ignored, elementOf(scores)));
  (void)node.result(0, loss);
  if (node.hasOutput(1))
    (void)node.result(1, graph::LogSoftmaxOp::create(emit.builder, emit.location, scores.getType(), scores, 1));
  return success();
}

} // namespace

void addLosses(HandlerTable &table) {
  table["SoftmaxCrossEntropyLoss"] = {importCrossEntropy, 2};
}

} // namespace tw::import
