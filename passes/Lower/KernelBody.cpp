#include "passes/Lower/KernelBody.h"

#include "passes/Lower/IterationDomain.h"
#include "passes/Lower/KernelShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tw::lower {
namespace {

/// Bytes of memory traffic (arithmetic counted as such) that are worth a thread of their own.
constexpr int64_t bytesPerThread = 1 << 17;

/// Booleans are bytes in memory.
Type storageType(Type type) {
  return type.isInteger(1) ? IntegerType::get(type.getContext(), 8) : type;
}

RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// How a buffer is indexed: the domain's dimensions that it has.
struct Access {
  unsigned buffer;
  SmallVector<bool> present;
  Type element;
};

class KernelBuilder {
public:
  KernelBuilder(graph::FusedOp op, bool device) : op(op), device(device), builder(op.getContext()) {}

  FailureOr<KernelInstance> build() {
    if (failed(findDomain()))
      return failure();
    findAccesses();
    buildFunction();
    describeCall();
    return instance;
  }

private:
  LogicalResult findDomain() {
    Boundaries boundaries;
    graph::ReduceOp reduce;
    for (Operation &inner : op.getBlock()) {
      auto united = uniteBoundaries(boundaries, lower::findBoundaries(&inner));
      if (!united)
        return inner.emitOpError("cuts its dimensions across those of earlier ops in the same graph.fused: no one loop "
                                 "nest walks both; split the graph.fused before this op");
      boundaries = *united;
      if (auto found = dyn_cast<graph::ReduceOp>(inner))
        reduce = found;
    }
    sizes = dimensionSizes(op.getDomainSize(), boundaries);
    reduced.assign(sizes.size(), false);
    if (reduce)
      reduced = transferMarks(sizes, tensorType(reduce.getInput()).getShape(), reducedDimensions(reduce));
    return success();
  }

  SmallVector<bool> everywhere() const { return SmallVector<bool>(sizes.size(), true); }

  unsigned addAccess(unsigned buffer, SmallVector<bool> present, Type element) {
    for (auto [i, access] : llvm::enumerate(accesses))
      if (access.buffer == buffer && access.present == present)
        return i;
    accesses.push_back({buffer, std::move(present), element});
    return accesses.size() - 1;
  }

  /// The dimensions in which `value`, an operand of `user`, varies.
  SmallVector<bool> presence(Operation *user, Value value) {
    auto broadcast = dyn_cast<graph::BroadcastOp>(user);
    if (!broadcast)
      return everywhere();
    return transferMarks(sizes, tensorType(broadcast).getShape(), presentDimensions(broadcast));
  }

  void findAccesses() {
    for (BlockArgument argument : op.getBlock().getArguments())
      for (Operation *user : argument.getUsers())
        accessOf[{argument, user}] =
            addAccess(argument.getArgNumber(), presence(user, argument), tensorType(argument).getElementType());
    inputCount = accesses.size();
    for (auto [i, value] : llvm::enumerate(op.getBlock().getTerminator()->getOperands())) {
      SmallVector<bool> present = everywhere();
      if (value.getDefiningOp<graph::ReduceOp>())
        present = llvm::map_to_vector(reduced, [](bool mark) { return !mark; });
      accesses.push_back({unsigned(op.getInputs().size() + i), present, tensorType(value).getElementType()});
    }
  }

  /// Sizes that stay out of the code, so that kernels of other shapes are the same: the outermost dimension's, and both
  /// of a matrix when no operand is repeated along one of them.
  bool isDynamic(unsigned dimension) {
    auto isVector = [&](const Access &access) {
      return access.buffer < op.getInputs().size() && llvm::is_contained(access.present, true) &&
             llvm::is_contained(access.present, false);
    };
    return dimension == 0 ||
           (sizes.size() == 2 && llvm::is_contained(reduced, true) && llvm::none_of(accesses, isVector));
  }

  MemRefType memoryType(const Access &access) {
    SmallVector<int64_t> shape;
    for (auto [i, size] : llvm::enumerate(sizes))
      if (access.present[i])
        shape.push_back(isDynamic(i) ? ShapedType::kDynamic : size);
    return MemRefType::get(shape, storageType(access.element));
  }

  AffineMap accessMap(const Access &access) {
    SmallVector<AffineExpr> results;
    for (unsigned i = 0; i < sizes.size(); ++i)
      if (access.present[i])
        results.push_back(builder.getAffineDimExpr(i));
    return AffineMap::get(sizes.size(), 0, results, builder.getContext());
  }

  void buildFunction() {
    Location location = builder.getUnknownLoc(); // a kernel serves many nodes
    auto types = llvm::map_to_vector(accesses, [&](const Access &access) -> Type { return memoryType(access); });
    instance.function = func::FuncOp::create(builder, location, "", builder.getFunctionType(types, {}));
    for (auto [i, access] : llvm::enumerate(accesses))
      instance.function.setArgAttr(i, bufferAttribute, builder.getI64IntegerAttr(access.buffer));
    Block *entry = instance.function.addEntryBlock();
    builder.setInsertionPointToStart(entry);
    ValueRange arguments = entry->getArguments();
    for (auto [i, value] : llvm::enumerate(op.getBlock().getTerminator()->getOperands()))
      if (auto reduce = value.getDefiningOp<graph::ReduceOp>()) {
        Value start = arith::ConstantOp::create(builder, location, startValue(reduce));
        linalg::FillOp::create(builder, location, start, arguments[inputCount + i]);
      }
    auto iterators = llvm::map_to_vector(
        reduced, [](bool mark) { return mark ? utils::IteratorType::reduction : utils::IteratorType::parallel; });
    auto maps = llvm::map_to_vector(accesses, [&](const Access &access) { return accessMap(access); });
    linalg::GenericOp::create(builder, location, arguments.take_front(inputCount), arguments.drop_front(inputCount),
                              maps, iterators,
                              [&](OpBuilder &inner, Location, ValueRange scalars) { emitBody(inner, scalars); });
    func::ReturnOp::create(builder, location);
  }

  TypedAttr startValue(graph::ReduceOp reduce) {
    Type type = tensorType(reduce).getElementType();
    arith::AtomicRMWKind kind = combination(reduce);
    return arith::getIdentityValueAttr(kind, type, builder, reduce.getLoc());
  }

  static arith::AtomicRMWKind combination(graph::ReduceOp reduce) {
    bool isFloat = isa<FloatType>(tensorType(reduce).getElementType());
    switch (reduce.getKind()) {
    case graph::Reduction::Sum:
      return isFloat ? arith::AtomicRMWKind::addf : arith::AtomicRMWKind::addi;
    case graph::Reduction::Max:
      return isFloat ? arith::AtomicRMWKind::maximumf : arith::AtomicRMWKind::maxs;
    case graph::Reduction::Min:
      return isFloat ? arith::AtomicRMWKind::minimumf : arith::AtomicRMWKind::mins;
    case graph::Reduction::Prod:
      return isFloat ? arith::AtomicRMWKind::mulf : arith::AtomicRMWKind::muli;
    }
    llvm_unreachable("a reduction without meaning");
  }

  /// The scalar that `value` is at one point of the domain when `user` reads it.
  Value scalarOf(OpBuilder &inner, ValueRange scalars, Operation *user, Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument)
      return computed.lookup(value);
    unsigned access = accessOf.lookup({argument, user});
    Value &loaded = inputScalars[access];
    if (!loaded) {
      loaded = scalars[access];
      if (accesses[access].element.isInteger(1))
        loaded = arith::TruncIOp::create(inner, user->getLoc(), accesses[access].element, loaded);
    }
    return loaded;
  }

  void emitBody(OpBuilder &inner, ValueRange scalars) {
    inputScalars.assign(inputCount, Value());
    for (Operation &original : op.getBlock().without_terminator())
      if (!isa<graph::ReduceOp>(original))
        computed.map(original.getResult(0), emitScalar(inner, scalars, original));
    SmallVector<Value> yielded;
    Operation *terminator = op.getBlock().getTerminator();
    for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
      Value scalar;
      if (auto reduce = value.getDefiningOp<graph::ReduceOp>())
        scalar = arith::getReductionOp(combination(reduce), inner, builder.getUnknownLoc(), scalars[inputCount + i],
                                       scalarOf(inner, scalars, reduce, reduce.getInput()));
      else
        scalar = scalarOf(inner, scalars, terminator, value);
      if (scalar.getType().isInteger(1))
        scalar = arith::ExtUIOp::create(inner, builder.getUnknownLoc(), inner.getI8Type(), scalar);
      yielded.push_back(scalar);
    }
    linalg::YieldOp::create(inner, builder.getUnknownLoc(), yielded);
  }

  Value emitScalar(OpBuilder &inner, ValueRange scalars, Operation &original) {
    Location location = builder.getUnknownLoc();
    SplatElementsAttr splat;
    if (matchPattern(&original, m_Constant(&splat)))
      return arith::ConstantOp::create(inner, location, cast<TypedAttr>(splat.getSplatValue<Attribute>()));
    SmallVector<Value> operands;
    for (Value operand : original.getOperands())
      operands.push_back(scalarOf(inner, scalars, &original, operand));
    if (isa<graph::BroadcastOp, graph::ReshapeOp>(original))
      return operands[0];
    OperationState state(location, original.getName(), operands, {tensorType(original.getResult(0)).getElementType()},
                         original.getAttrs());
    return inner.create(state)->getResult(0);
  }

  void describeCall() {
    for (unsigned i = 0; i < sizes.size(); ++i)
      if (isDynamic(i))
        instance.sizes.push_back(sizes[i]);
    for (unsigned dimension : parallelDimensions(reduced, device))
      instance.extent *= sizes[dimension];
    int64_t perIteration = std::max<int64_t>(1, op.getDomainSize() / instance.extent * costPerElement());
    instance.grain = std::min(instance.extent, std::max<int64_t>(1, llvm::divideCeil(bytesPerThread, perIteration)));
  }

  /// Bytes moved; an op counts as one, a transcendental function as eight.
  int64_t costPerElement() {
    int64_t cost = 0;
    for (const Access &access : accesses)
      if (llvm::all_of(access.present, [](bool present) { return present; }))
        cost += (access.element.getIntOrFloatBitWidth() + 7) / 8;
    for (Operation &inner : op.getBlock())
      cost += isa<math::ExpOp, math::LogOp, math::TanhOp, math::ErfOp, math::PowFOp>(inner) ? 8 : 1;
    return cost;
  }

  graph::FusedOp op;
  bool device;
  OpBuilder builder;
  KernelInstance instance;
  SmallVector<int64_t> sizes;
  SmallVector<bool> reduced;
  SmallVector<Access> accesses; // inputs, then results
  unsigned inputCount = 0;
  llvm::DenseMap<std::pair<Value, Operation *>, unsigned> accessOf;
  SmallVector<Value> inputScalars;
  IRMapping computed;
};

} // namespace

FailureOr<KernelInstance> buildKernel(graph::FusedOp op, bool device) {
  return KernelBuilder(op, device).build();
}

std::string describeKernel(graph::FusedOp op) {
  llvm::SetVector<StringRef> characteristic, other;
  for (Operation &inner : op.getBlock().without_terminator()) {
    StringRef name = inner.getName().stripDialect();
    if (isa<math::MathDialect>(inner.getDialect()) || isa<graph::ReduceOp>(inner))
      characteristic.insert(name);
    else if (!isa<arith::ConstantOp, graph::ReshapeOp, graph::BroadcastOp>(inner))
      other.insert(name);
  }
  std::string result = "fused";
  for (StringRef name : (characteristic.empty() ? other : characteristic).getArrayRef().take_front(3))
    result += "_" + name.str();
  llvm::raw_string_ostream(result) << "_" << cast<RankedTensorType>(op.getResult(0).getType()).getElementType();
  return result;
}

} // namespace tw::lower
