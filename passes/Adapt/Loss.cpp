#include "passes/Adapt/Loss.h"

#include "passes/Adapt/Matching.h"

using namespace mlir;

namespace tw::adapt {
namespace {

int64_t classAxis(const LossOptions &options, int64_t rank) {
  if (options.classAxis == LossOptions::kLayoutByRank)
    return rank <= 3 ? rank - 1 : 1;
  return options.classAxis < 0 ? options.classAxis + rank : options.classAxis;
}

class LossBuilder {
public:
  LossBuilder(OpBuilder &builder, Location location) : builder(builder), location(location) {}

  template <typename Op, typename... Values>
  Value make(Values... values) {
    return Op::create(builder, location, values...);
  }
  Value numbers(Value like, double number) {
    auto type = typeOf(like);
    return arith::ConstantOp::create(builder, location,
                                     DenseElementsAttr::get(type, builder.getFloatAttr(type.getElementType(), number)));
  }
  Value reshape(Value value, ArrayRef<int64_t> shape) {
    if (shapeOf(value) == shape)
      return value;
    return graph::ReshapeOp::create(builder, location, typeOf(value).clone(shape), value);
  }
  Value sum(Value value) {
    SmallVector<int64_t> all = llvm::to_vector(llvm::seq<int64_t>(0, typeOf(value).getRank()));
    if (all.empty())
      return value;
    return graph::ReduceOp::create(builder, location, typeOf(value).clone(ArrayRef<int64_t>()), value,
                                   graph::Reduction::Sum, all);
  }
  Value asF32(Value value) {
    Type f32 = builder.getF32Type(), element = typeOf(value).getElementType();
    auto type = typeOf(value).clone(f32);
    if (element == f32)
      return value;
    if (element.getIntOrFloatBitWidth() < 32)
      return arith::ExtFOp::create(builder, location, type, value);
    return arith::TruncFOp::create(builder, location, type, value);
  }

  OpBuilder &builder;
  Location location;
};

Value crossEntropy(LossBuilder &b, const LossOptions &options, Value output, Value labels) {
  int64_t rank = typeOf(output).getRank(), axis = classAxis(options, rank), classes = shapeOf(output)[axis];
  SmallVector<int64_t> permutation;
  for (int64_t i = 0; i < rank; ++i)
    if (i != axis)
      permutation.push_back(i);
  permutation.push_back(axis);
  if (axis != rank - 1) {
    SmallVector<int64_t> shape;
    for (int64_t from : permutation)
      shape.push_back(shapeOf(output)[from]);
    output = graph::TransposeOp::create(b.builder, b.location, typeOf(output).clone(shape), output, permutation);
  }
  int64_t rows = typeOf(labels).getNumElements();
  Value logits = b.reshape(output, {rows, classes}), flat = b.reshape(labels, {rows});
  auto element = b.builder.getF32Type();
  return graph::CrossEntropyOp::create(
             b.builder, b.location,
             TypeRange{RankedTensorType::get({}, element), RankedTensorType::get({rows}, element)}, logits, flat,
             options.ignoreIndex, APFloat(options.labelSmoothing))
      .getLoss();
}

// max(x, 0) - x y + log(1 + exp(-|x|)): does not overflow.
Value binaryFromLogits(LossBuilder &b, Value x, Value y) {
  Value magnitude = b.make<math::AbsFOp>(x);
  Value tail = b.make<math::Log1pOp>(b.make<math::ExpOp>(b.make<arith::NegFOp>(magnitude)));
  Value linear = b.make<arith::SubFOp>(b.make<arith::MaximumFOp>(x, b.numbers(x, 0)), b.make<arith::MulFOp>(x, y));
  return b.sum(b.make<arith::AddFOp>(linear, tail));
}

// -(y log p + (1 - y) log(1 - p)), logarithms being at least -100 as in PyTorch's binary_cross_entropy.
Value binaryFromProbabilities(LossBuilder &b, Value p, Value y) {
  // A sigmoid can be exactly 0 or 1; the logarithm of what is replaced there keeps its derivative finite.
  auto logarithm = [&](Value value) {
    Value positive =
        arith::CmpFOp::create(b.builder, b.location, arith::CmpFPredicate::OGT, value, b.numbers(value, 0));
    Value safe = b.make<arith::SelectOp>(positive, value, b.numbers(value, 1));
    Value floor = b.numbers(value, -100);
    return b.make<arith::SelectOp>(positive, b.make<arith::MaximumFOp>(b.make<math::LogOp>(safe), floor), floor);
  };
  auto complement = [&](Value value) { return b.make<arith::SubFOp>(b.numbers(value, 1), value); };
  Value ifOne = b.make<arith::MulFOp>(y, logarithm(p));
  Value ifZero = b.make<arith::MulFOp>(complement(y), logarithm(complement(p)));
  return b.sum(b.make<arith::NegFOp>(b.make<arith::AddFOp>(ifOne, ifZero)));
}

} // namespace

FailureOr<RankedTensorType> labelsType(const LossOptions &options, RankedTensorType output, Location location) {
  Builder builder(output.getContext());
  if (!isa<FloatType>(output.getElementType()))
    return emitError(location, "the loss is of output '")
           << options.output << "', which is " << output << ": expected floats";
  if (options.kind == LossKind::Output) {
    if (output.getNumElements() != 1)
      return emitError(location, "the model's own loss is to be output '")
             << options.output << "', which is " << output << ": expected one number";
    return output;
  }
  if (options.kind != LossKind::CrossEntropy)
    return RankedTensorType::get(output.getShape(), builder.getF32Type());
  int64_t rank = output.getRank(), axis = classAxis(options, rank);
  if (rank < 2 || axis < 1 || axis >= rank)
    return emitError(location, "cross entropy of output '")
           << options.output << "', which is " << output << ", needs rows and, after them, classes";
  if (!(options.labelSmoothing >= 0 && options.labelSmoothing < 1))
    return emitError(location, "label smoothing is ") << options.labelSmoothing << ": expected 0 or more and below 1";
  SmallVector<int64_t> shape(output.getShape());
  shape.erase(shape.begin() + axis);
  return RankedTensorType::get(shape, builder.getI64Type());
}

Value buildLossSum(const LossOptions &options, Value output, Value labels, OpBuilder &builder, Location location) {
  LossBuilder b(builder, location);
  output = b.asF32(output);
  switch (options.kind) {
  case LossKind::Output:
    return b.reshape(output, {});
  case LossKind::CrossEntropy:
    return crossEntropy(b, options, output, labels);
  case LossKind::BinaryCrossEntropy:
    return options.fromLogits ? binaryFromLogits(b, output, labels) : binaryFromProbabilities(b, output, labels);
  case LossKind::MeanSquaredError: {
    Value difference = b.make<arith::SubFOp>(output, labels);
    return b.sum(b.make<arith::MulFOp>(difference, difference));
  }
  case LossKind::MeanAbsoluteError:
    return b.sum(b.make<math::AbsFOp>(b.make<arith::SubFOp>(output, labels)));
  }
  return {};
}

Value buildLossWeight(const LossOptions &options, RankedTensorType output, Value labels, OpBuilder &builder,
                      Location location) {
  LossBuilder b(builder, location);
  auto scalar = RankedTensorType::get({}, builder.getF32Type());
  if (options.kind != LossKind::CrossEntropy) {
    double count = options.kind == LossKind::Output ? 1 : static_cast<double>(output.getNumElements());
    return arith::ConstantOp::create(builder, location, DenseElementsAttr::get(scalar, builder.getF32FloatAttr(count)));
  }
  auto type = typeOf(labels);
  auto ignored = DenseElementsAttr::get(type, builder.getIntegerAttr(type.getElementType(), options.ignoreIndex));
  Value counts = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::ne, labels,
                                       arith::ConstantOp::create(builder, location, ignored));
  return b.sum(arith::UIToFPOp::create(builder, location, type.clone(builder.getF32Type()), counts));
}

} // namespace tw::adapt
