// tw-differentiate-define-gradients: the gradient of any function, as a function.
#include "passes/Differentiate/Passes.h"

#include "compiler/Autodiff/ReverseMode.h"
#include "passes/Differentiate/Gradients.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tw::differentiate {

#define GEN_PASS_DEF_DEFINEGRADIENTSPASS
#include "passes/Differentiate/Passes.h.inc"

static constexpr StringLiteral kSuffix = "_gradient";

static bool isFloat(Type type) {
  return isa<FloatType>(getElementTypeOrSelf(type));
}

static LogicalResult checkDeclaration(func::FuncOp declaration, func::FuncOp function) {
  auto loss = dyn_cast<RankedTensorType>(function.getNumResults() ? function.getResultTypes().front() : Type());
  if (!loss || loss.getRank() != 0 || !isFloat(loss))
    return function.emitError("must return a rank-0 float tensor first to have a gradient");
  auto expected = llvm::to_vector(llvm::make_filter_range(function.getArgumentTypes(), isFloat));
  if (declaration.getArgumentTypes() != function.getArgumentTypes() ||
      declaration.getResultTypes() != ArrayRef<Type>(expected))
    return declaration.emitError("must take @")
           << function.getName() << "'s arguments and return a value for each float one";
  return success();
}

static LogicalResult define(func::FuncOp declaration, func::FuncOp function) {
  if (failed(checkDeclaration(declaration, function)))
    return failure();
  OpBuilder builder(declaration.getContext());
  Block *body = declaration.addEntryBlock();
  builder.setInsertionPointToStart(body);
  IRMapping mapping;
  mapping.map(function.getArguments(), body->getArguments());
  for (Operation &op : function.front().without_terminator())
    builder.clone(op, mapping);
  Value loss = mapping.lookup(function.front().getTerminator()->getOperand(0));
  auto sources =
      llvm::to_vector(llvm::make_filter_range(body->getArguments(), [](Value v) { return isFloat(v.getType()); }));
  SmallVector<Value> values(sources.begin(), sources.end());
  autodiff::Paths paths(values, loss);
  if (failed(autodiff::verifyDifferentiable(function, paths)))
    return failure();
  Elementwise e(builder, declaration.getLoc());
  auto gradients = autodiff::buildReverse(builder, values, loss, e.constant(loss, 1.0), paths);
  if (failed(gradients))
    return failure();
  for (auto [gradient, value] : llvm::zip_equal(*gradients, values))
    if (!gradient)
      gradient = e.constant(value, 0.0);
  func::ReturnOp::create(builder, declaration.getLoc(), *gradients);
  return success();
}

namespace {
struct DefineGradientsPass : impl::DefineGradientsPassBase<DefineGradientsPass> {
  void runOnOperation() override {
    for (auto declaration : getOperation().getOps<func::FuncOp>()) {
      StringRef name = declaration.getName();
      if (!declaration.isDeclaration() || !name.consume_back(kSuffix))
        continue;
      auto function = getOperation().lookupSymbol<func::FuncOp>(name);
      if (!function || function.isDeclaration()) {
        declaration.emitError("there is no function @") << name << " to differentiate";
        return signalPassFailure();
      }
      if (failed(define(declaration, function)))
        return signalPassFailure();
    }
  }
};
} // namespace

} // namespace tw::differentiate
