// Matrix products: MatMul, Gemm, Einsum.
#include "compiler/Import/Importer.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tw::import {
namespace {

struct Operand {
  Value value;
  bool transposed = false;
};

// Looks through a transpose that only swaps the last two dimensions of a parameter: the product reads either layout.
Operand throughTranspose(Value value) {
  auto transpose = value.getDefiningOp<graph::TransposeOp>();
  if (!transpose || rankOf(value) != 2)
    return {value};
  return {transpose.getInput(), true};
}

Value product(Emitter &emit, Operand lhs, Operand rhs, Value init = {}) {
  int64_t rank = rankOf(lhs.value);
  ShapeVector shape(shapeOf(lhs.value).drop_back(2));
  shape.push_back(shapeOf(lhs.value)[lhs.transposed ? rank - 1 : rank - 2]);
  shape.push_back(shapeOf(rhs.value)[rhs.transposed ? rank - 2 : rank - 1]);
  return graph::MatMulOp::create(emit.builder, emit.location, typeOf(lhs.value).clone(shape), lhs.value, rhs.value,
                                 init, lhs.transposed, rhs.transposed);
}

// [a..., k] times a matrix: one product over all rows.
Value timesMatrix(Emitter &emit, Value lhs, Operand rhs) {
  ShapeVector shape(shapeOf(lhs));
  int64_t inner = shape.back();
  Value rows = emit.reshape(lhs, {elementCount(Shape(shape).drop_back()), inner});
  shape.back() = shapeOf(rhs.value)[rhs.transposed ? 0 : 1];
  return emit.reshape(product(emit, {rows}, rhs), shape);
}

LogicalResult importMatMul(Node &node) {
  Emitter &emit = node.emit;
  Value a = node.input(0), b = node.input(1);
  if (!isFloat(a) || elementOf(a) != elementOf(b) || rankOf(a) == 0 || rankOf(b) == 0)
    return node.error() << "expected two float tensors of one element type and rank 1 or more, found " << a.getType()
                        << " and " << b.getType();
  bool vectorA = rankOf(a) == 1, vectorB = rankOf(b) == 1;
  if (vectorA)
    a = emit.reshape(a, {1, shapeOf(a)[0]});
  if (vectorB)
    b = emit.reshape(b, {shapeOf(b)[0], 1});
  int64_t inner = shapeOf(a).back();
  if (inner != shapeOf(b)[rankOf(b) - 2])
    return node.error() << "the contracted sizes differ: " << a.getType() << " and " << b.getType();
  Value result;
  if (rankOf(b) == 2) {
    result = timesMatrix(emit, a, throughTranspose(b));
  } else {
    auto batch = broadcastShapes(shapeOf(a).drop_back(2), shapeOf(b).drop_back(2));
    if (!batch)
      return node.error() << "batch dimensions do not broadcast: " << a.getType() << " and " << b.getType();
    auto widen = [&](Value value) {
      ShapeVector shape(*batch);
      llvm::append_range(shape, shapeOf(value).take_back(2));
      return emit.broadcastTo(value, shape);
    };
    result = product(emit, {widen(a)}, {widen(b)});
  }
  ShapeVector shape(shapeOf(result));
  if (vectorB)
    shape.pop_back();
  if (vectorA)
    shape.erase(shape.begin() + (shape.size() - (vectorB ? 1 : 2)));
  return node.result(emit.reshape(result, shape));
}

// alpha A' B' + beta C.
LogicalResult importGemm(Node &node) {
  Emitter &emit = node.emit;
  Value a = node.input(0), b = node.input(1), c = node.input(2);
  if (node.opset < 7)
    return node.error() << "Gemm of opset " << node.opset << " is not supported: expected 7 or later";
  if (rankOf(a) != 2 || rankOf(b) != 2 || !isFloat(a) || elementOf(a) != elementOf(b))
    return node.error() << "expected two float matrices, found " << a.getType() << " and " << b.getType();
  Operand lhs = throughTranspose(a), rhs = throughTranspose(b);
  lhs.transposed ^= node.intAttribute("transA", 0) != 0;
  rhs.transposed ^= node.intAttribute("transB", 0) != 0;
  if (shapeOf(lhs.value)[lhs.transposed ? 0 : 1] != shapeOf(rhs.value)[rhs.transposed ? 1 : 0])
    return node.error() << "the contracted sizes differ: " << a.getType() << " and " << b.getType();
  double alpha = node.floatAttribute("alpha", 1), beta = node.floatAttribute("beta", 1);
  if (splatOf(c) == 0.0 || beta == 0)
    c = {};
  ShapeVector shape{shapeOf(lhs.value)[lhs.transposed ? 1 : 0], shapeOf(rhs.value)[rhs.transposed ? 0 : 1]};
  if (c && broadcastShapes(shapeOf(c), shape) != shape)
    return node.error() << "C of type " << c.getType() << " does not broadcast to the product's shape";
  bool isRow = c && elementCount(shapeOf(c)) == shape[1] && shapeOf(c).back() == shape[1];
  if (c && alpha == 1 && beta == 1 && (isRow || shapeOf(c) == Shape(shape)))
    return node.result(product(emit, lhs, rhs, isRow ? emit.reshape(c, {shape[1]}) : c));
  Value result = product(emit, lhs, rhs);
  if (alpha != 1)
    result = emit.scale(result, alpha);
  if (c)
    result = emit.add(result, emit.broadcastTo(beta == 1 ? c : emit.scale(c, beta), shape));
  return node.result(result);
}

//===----------------------------------------------------------------------===//
// Einsum
//===----------------------------------------------------------------------===//

struct Term {
  Value value;
  std::string labels;
};

/// Brings the dimensions into the order of `labels`, of which the term has all.
Value arrange(Emitter &emit, const Term &term, StringRef labels) {
  ShapeVector permutation;
  for (char label : labels)
    permutation.push_back(term.labels.find(label));
  return emit.transpose(term.value, permutation);
}

/// Sums over the dimensions whose labels are not in `kept`.
Term sumOut(Emitter &emit, Term term, StringRef kept) {
  ShapeVector dimensions;
  std::string labels;
  for (auto [i, label] : llvm::enumerate(term.labels))
    if (kept.contains(label))
      labels += label;
    else
      dimensions.push_back(i);
  return {emit.reduce(term.value, graph::Reduction::Sum, dimensions), labels};
}

// Two operands: batch labels are in both and in the result, contracted ones in both only.
Term contract(Emitter &emit, Term a, Term b, StringRef kept) {
  std::string batch, contracted, left, right;
  for (char label : a.labels)
    if (b.labels.find(label) == std::string::npos)
      left += label;
    else
      (kept.contains(label) ? batch : contracted) += label;
  for (char label : b.labels)
    if (a.labels.find(label) == std::string::npos)
      right += label;
  auto sizes = [&](const Term &term, StringRef labels) {
    ShapeVector result;
    for (char label : labels)
      result.push_back(shapeOf(term.value)[term.labels.find(label)]);
    return result;
  };
  ShapeVector batchSizes = sizes(a, batch), leftSizes = sizes(a, left), rightSizes = sizes(b, right);
  int64_t n = elementCount(batchSizes), k = elementCount(sizes(a, contracted));
  int64_t rows = elementCount(leftSizes), columns = elementCount(rightSizes);
  Value lhs = emit.reshape(arrange(emit, a, batch + left + contracted), {n, rows, k});
  Value rhs = emit.reshape(arrange(emit, b, batch + contracted + right), {n, k, columns});
  if (batch.empty()) {
    lhs = emit.reshape(lhs, {rows, k});
    rhs = emit.reshape(rhs, {k, columns});
  }
  ShapeVector shape(batchSizes);
  llvm::append_range(shape, leftSizes);
  llvm::append_range(shape, rightSizes);
  return {emit.reshape(product(emit, {lhs}, {rhs}), shape), batch + left + right};
}

LogicalResult importEinsum(Node &node) {
  std::string equation;
  for (char c : node.stringAttribute("equation", ""))
    if (c != ' ')
      equation += c;
  auto [inputs, output] = StringRef(equation).split("->");
  SmallVector<StringRef> terms;
  inputs.split(terms, ',');
  if (!StringRef(equation).contains("->") || StringRef(equation).contains('.') || terms.size() != node.inputCount() ||
      terms.size() > 2)
    return node.error() << "equation '" << equation << "' is not supported: expected one or two operands, an explicit "
                        << "result and no ellipsis";
  std::map<char, int64_t> sizes;
  SmallVector<Term> operands;
  for (auto [i, labels] : llvm::enumerate(terms)) {
    Value value = node.input(i);
    if (rankOf(value) != static_cast<int64_t>(labels.size()) || !isFloat(value))
      return node.error() << "operand " << i << " of equation '" << equation << "' is " << value.getType();
    for (auto [label, size] : llvm::zip(labels, shapeOf(value)))
      if (labels.count(label) > 1 || !sizes.insert({label, size}).first->second || sizes[label] != size)
        return node.error() << "label '" << label << "' of equation '" << equation
                            << "' stands twice in one operand or "
                            << "for different sizes";
    operands.push_back({value, labels.str()});
  }
  for (char label : output)
    if (!sizes.count(label) || output.count(label) > 1)
      return node.error() << "label '" << label << "' of the result of equation '" << equation
                          << "' is not an operand's";
  std::string kept = output.str();
  if (operands.size() == 1)
    return node.result(arrange(node.emit, sumOut(node.emit, operands[0], kept), output));
  Term a = sumOut(node.emit, operands[0], kept + operands[1].labels);
  Term b = sumOut(node.emit, operands[1], kept + operands[0].labels);
  return node.result(arrange(node.emit, contract(node.emit, a, b, kept), output));
}

} // namespace

void addMatrix(HandlerTable &table) {
  table["MatMul"] = {importMatMul, 2};
  table["Gemm"] = {importGemm, 2};
  table["Einsum"] = {importEinsum, 1};
}

} // namespace tw::import
