// Sharding rules of arith's and math's elementwise ops, and of constants.
#include "compiler/Sharding/Rules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tw::sharding {

template <typename OpT>
static ShardingRule elementwise(OpT op) {
  return elementwiseShardingRule(op);
}
template <typename OpT>
static ShardingRule additive(OpT op) {
  ShardingRule rule = elementwiseShardingRule(op);
  rule.additive = true;
  return rule;
}
template <typename OpT>
static ShardingRule multiplication(OpT op) {
  ShardingRule rule = elementwiseShardingRule(op);
  rule.linearOperands = {0, 1};
  return rule;
}
template <typename OpT>
static ShardingRule division(OpT op) {
  ShardingRule rule = elementwiseShardingRule(op);
  rule.linearOperands = {0};
  return rule;
}

namespace {
/// A splat has a value of any shape; other constants stay whole.
struct ConstantModel : ShardableOpInterface::ExternalModel<ConstantModel, arith::ConstantOp> {
  ShardingRule getShardingRule(Operation *op) const {
    ShardingRule rule;
    auto constant = cast<arith::ConstantOp>(op);
    if (isa<RankedTensorType>(constant.getType())) {
      bool isSplat = isa<SplatElementsAttr>(constant.getValue());
      rule.results = {addFactors(rule, constant.getResult(), [&](int64_t) { return !isSplat; })};
    } else {
      rule.results = {TensorFactors()};
    }
    return rule;
  }
  Operation *localize(Operation *op, OpBuilder &builder, ValueRange, TypeRange types) const {
    auto constant = cast<arith::ConstantOp>(op);
    TypedAttr value = constant.getValue();
    if (auto splat = dyn_cast<SplatElementsAttr>(value))
      value = splat.resizeSplat(cast<ShapedType>(types.front()));
    return arith::ConstantOp::create(builder, op->getLoc(), value);
  }
};

/// Attaches one rule to several ops.
template <typename... OpTs>
void attachElementwise(MLIRContext *context) {
  (attach<OpTs, elementwise<OpTs>>(context), ...);
}
template <typename... OpTs>
void attachAdditive(MLIRContext *context) {
  (attach<OpTs, additive<OpTs>>(context), ...);
}
} // namespace

void registerArithRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, arith::ArithDialect *) {
    arith::ConstantOp::attachInterface<ConstantModel>(*context);
    attachAdditive<arith::AddFOp, arith::SubFOp, arith::NegFOp, arith::SelectOp, arith::ExtFOp>(context);
    attach<arith::MulFOp, multiplication<arith::MulFOp>>(context);
    attach<arith::DivFOp, division<arith::DivFOp>>(context);
    attachElementwise<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp, arith::RemFOp,
                      arith::CmpFOp, arith::CmpIOp, arith::TruncFOp>(context);
    attachElementwise<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
                      arith::RemUIOp, arith::FloorDivSIOp, arith::CeilDivSIOp, arith::AndIOp, arith::OrIOp,
                      arith::XOrIOp, arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp, arith::MaxSIOp, arith::MinSIOp,
                      arith::MaxUIOp, arith::MinUIOp>(context);
    attachElementwise<arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp, arith::FPToUIOp, arith::ExtSIOp,
                      arith::ExtUIOp, arith::TruncIOp, arith::BitcastOp, arith::IndexCastOp>(context);
  });
}

void registerMathRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, math::MathDialect *) {
    attachElementwise<math::ExpOp, math::Exp2Op, math::ExpM1Op, math::LogOp, math::Log2Op, math::Log10Op, math::Log1pOp,
                      math::SqrtOp, math::RsqrtOp, math::CbrtOp, math::PowFOp, math::FPowIOp, math::FmaOp>(context);
    attachElementwise<math::SinOp, math::CosOp, math::TanOp, math::AsinOp, math::AcosOp, math::AtanOp, math::Atan2Op,
                      math::SinhOp, math::CoshOp, math::TanhOp, math::AsinhOp, math::AcoshOp, math::AtanhOp>(context);
    attachElementwise<math::ErfOp, math::ErfcOp, math::AbsFOp, math::AbsIOp, math::CopySignOp, math::ClampFOp,
                      math::FloorOp, math::CeilOp, math::RoundOp, math::RoundEvenOp, math::TruncOp>(context);
  });
}

} // namespace tw::sharding
