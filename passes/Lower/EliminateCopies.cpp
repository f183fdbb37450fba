#include "passes/Lower/KernelCalls.h"
#include "passes/Lower/Layout.h"
#include "passes/Lower/Passes.h"

using namespace mlir;

namespace tw::lower {
#define GEN_PASS_DEF_ELIMINATECOPIESPASS
#include "passes/Lower/Passes.h.inc"

namespace {

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

bool isStructure(Operation *op) {
  return isa<graph::ReshapeOp, graph::TransposeOp, graph::SliceOp, graph::BroadcastOp>(op);
}

bool isStrided(plan::KernelOp call) {
  const plan::KernelLibrary *library = plan::KernelLibrary::get(call.getContext());
  const tw_kernel *kernel = library ? library->find(call.getKernel().str()) : nullptr;
  return kernel && kernel->strided;
}

/// Attention kernels want neighbours in the last dimension of 4-dimensional operands.
bool wantsUnitStride(plan::KernelOp call) {
  return call.getKernel().starts_with("attention");
}

/// Whether `user` takes an operand or writes a result that lies so in memory.
bool accepts(Operation *user, const Layout &layout, ArrayRef<int64_t> shape) {
  if (isRowMajor(layout, shape) || isa<graph::StoreOp>(user))
    return true;
  auto call = dyn_cast<plan::KernelOp>(user);
  if (!call || !isStrided(call))
    return false;
  return !wantsUnitStride(call) || layout.strides.empty() || layout.strides.back() == 1 || shape.back() == 1;
}

/// Places results where a later concat or transpose wants them, then turns what moves elements into views.
class CopyEliminator {
public:
  CopyEliminator(func::FuncOp function, const KernelTarget &target) : function(function), target(target) {}

  LogicalResult run() {
    for (auto concat : llvm::make_early_inc_range(function.getOps<graph::ConcatOp>()))
      assemble(concat);
    for (auto call : function.getOps<plan::KernelOp>())
      layOutForTransposes(call);
    for (Operation &op : llvm::make_early_inc_range(function.getOps()))
      if (failed(visit(&op)))
        return failure();
    for (Operation *op : llvm::reverse(dead))
      op->erase();
    return success();
  }

private:
  struct Place {
    Value owner; // the value whose memory it is
    Layout layout;
  };
  func::FuncOp function;
  KernelTarget target;
  DenseMap<Value, Place> views;  // results of structure ops
  DenseMap<Value, Value> copies; // contiguous copies of them
  SmallVector<Operation *> dead;

  //===--- results computed where a concat wants them ---===//

  /// The result behind `part` that can be written straight to `layout`, through reshapes and transposes.
  static std::optional<Place> placeable(Value part, Layout layout) {
    while (true) {
      Operation *op = part.getDefiningOp();
      if (!op || !part.hasOneUse())
        return std::nullopt;
      if (isa<plan::KernelOp, graph::FusedOp>(op))
        return accepts(op, layout, shapeOf(part)) ? std::optional(Place{part, layout}) : std::nullopt;
      std::optional<Layout> input = inputLayout(op, layout);
      if (!input)
        return std::nullopt;
      part = op->getOperand(0);
      layout = *input;
    }
  }

  static SmallVector<Layout> partLayouts(graph::ConcatOp concat) {
    SmallVector<Layout> layouts;
    SmallVector<int64_t> strides = rowMajorStrides(concat.getType().getShape());
    int64_t offset = 0;
    for (Value part : concat.getInputs()) {
      layouts.push_back({offset, strides});
      offset += shapeOf(part)[concat.getAxis()] * strides[concat.getAxis()];
    }
    return layouts;
  }

  void assemble(graph::ConcatOp concat) {
    SmallVector<Layout> layouts = partLayouts(concat);
    SmallVector<std::optional<Place>> places;
    for (auto [part, layout] : llvm::zip(concat.getInputs(), layouts))
      places.push_back(placeable(part, layout));
    if (llvm::none_of(places, [](auto &place) { return place.has_value(); }))
      return;
    OpBuilder builder(concat);
    SmallVector<Value> parts;
    SmallVector<int64_t> offsets;
    SmallVector<Attribute> strides;
    for (auto [i, place] : llvm::enumerate(places)) {
      if (!place) {
        plan::KernelOp copy = createCopyCall(builder, concat.getLoc(), concat.getInputs()[i], target);
        if (!copy)
          return;
        place = Place{copy.getResult(0), layouts[i]};
      }
      parts.push_back(place->owner);
      offsets.push_back(place->layout.offset);
      strides.push_back(builder.getDenseI64ArrayAttr(place->layout.strides));
    }
    SmallVector<Operation *> chains;
    for (auto [part, owner] : llvm::zip(concat.getInputs(), parts))
      for (Value value = part; value != owner && isChain(value, owner); value = value.getDefiningOp()->getOperand(0))
        chains.push_back(value.getDefiningOp());
    auto whole = plan::AssembleOp::create(builder, concat.getLoc(), concat.getType(), parts, offsets,
                                          builder.getArrayAttr(strides));
    concat.replaceAllUsesWith(whole.getResult());
    concat.erase();
    for (Operation *op : chains)
      op->erase();
  }

  /// Whether `value` leads to `owner` through reshapes and transposes (a copied part does not).
  static bool isChain(Value value, Value owner) {
    for (; value != owner; value = value.getDefiningOp()->getOperand(0))
      if (!value.getDefiningOp() || !isa<graph::ReshapeOp, graph::TransposeOp>(value.getDefiningOp()))
        return false;
    return true;
  }

  //===--- results laid out as their transposes want them ---===//

  void layOutForTransposes(plan::KernelOp call) {
    if (!isStrided(call))
      return;
    SmallVector<Attribute> strides;
    bool any = false;
    for (Value result : call.getResults()) {
      std::optional<Layout> layout = layoutForTransposes(call, result);
      any |= layout.has_value();
      strides.push_back(DenseI64ArrayAttr::get(call.getContext(), layout ? layout->strides : SmallVector<int64_t>{}));
    }
    if (any)
      call.setResultStridesAttr(ArrayAttr::get(call.getContext(), strides));
  }

  /// The layout under which all transposes of `result` are row-major, if every other user takes it so.
  static std::optional<Layout> layoutForTransposes(plan::KernelOp call, Value result) {
    std::optional<Layout> wanted;
    for (Operation *user : result.getUsers()) {
      auto transpose = dyn_cast<graph::TransposeOp>(user);
      if (!transpose)
        continue;
      std::optional<Layout> layout = inputLayout(transpose, rowMajorLayout(transpose.getType().getShape()));
      if (wanted && wanted->strides != layout->strides)
        return std::nullopt;
      wanted = layout;
    }
    if (!wanted || !accepts(call, *wanted, shapeOf(result)))
      return std::nullopt;
    for (Operation *user : result.getUsers())
      if (!isa<graph::TransposeOp>(user) && !accepts(user, *wanted, shapeOf(result)))
        return std::nullopt;
    return wanted;
  }

  //===--- views ---===//

  Place placeOf(Value value) {
    if (auto found = views.find(value); found != views.end())
      return found->second;
    if (auto call = value.getDefiningOp<plan::KernelOp>(); call && call.getResultStrides()) {
      auto strides = cast<DenseI64ArrayAttr>((*call.getResultStrides())[cast<OpResult>(value).getResultNumber()]);
      if (!strides.empty())
        return {value, {0, SmallVector<int64_t>(strides.asArrayRef())}};
    }
    return {value, rowMajorLayout(shapeOf(value))};
  }

  LogicalResult visit(Operation *op) {
    if (isStructure(op))
      return recordView(op);
    if (isa<graph::ConcatOp>(op))
      return callKernel(op);
    for (OpOperand &operand : op->getOpOperands()) {
      if (isa<plan::AssembleOp>(op) || !isa<RankedTensorType>(operand.get().getType()))
        continue;
      FailureOr<Value> value = operandFor(op, operand.get());
      if (failed(value))
        return failure();
      operand.set(*value);
    }
    return success();
  }

  LogicalResult recordView(Operation *op) {
    Value input = op->getOperand(0), result = op->getResult(0);
    Place place = placeOf(input);
    std::optional<Layout> layout = resultLayout(op, place.layout);
    if (!layout) { // only a reshape of scattered elements: gather them first
      FailureOr<Value> copy = contiguous(op, input);
      if (failed(copy))
        return failure();
      place = {*copy, rowMajorLayout(shapeOf(*copy))};
      layout = resultLayout(op, place.layout);
    }
    views[result] = {place.owner, *layout};
    dead.push_back(op);
    return success();
  }

  LogicalResult callKernel(Operation *op) {
    OpBuilder builder(op);
    plan::KernelOp call = createKernelCall(builder, op, op->getOperands(), target);
    if (!call)
      return failure();
    op->replaceAllUsesWith(call.getResults());
    op->erase();
    return visit(call);
  }

  FailureOr<Value> operandFor(Operation *user, Value value) {
    Place place = placeOf(value);
    if (!accepts(user, place.layout, shapeOf(value)))
      return contiguous(user, value);
    return views.count(value) ? viewAt(user, value, place) : value;
  }

  static Value viewAt(Operation *user, Value value, const Place &place) {
    OpBuilder builder(user);
    return plan::ViewOp::create(builder, value.getLoc(), value.getType(), place.owner, place.layout.offset,
                                place.layout.strides);
  }

  /// A row-major copy, made before the first user that needs it.
  FailureOr<Value> contiguous(Operation *user, Value value) {
    if (Value copy = copies.lookup(value))
      return copy;
    OpBuilder builder(user);
    Value source = views.count(value) ? viewAt(user, value, placeOf(value)) : value;
    plan::KernelOp copy = createCopyCall(builder, value.getLoc(), source, target);
    if (!copy)
      return failure();
    return copies[value] = copy.getResult(0);
  }
};

struct EliminateCopiesPass : impl::EliminateCopiesPassBase<EliminateCopiesPass> {
  using EliminateCopiesPassBase::EliminateCopiesPassBase;

  void runOnOperation() override {
    KernelTarget kernelTarget{target, 1};
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && failed(CopyEliminator(function, kernelTarget).run()))
        return signalPassFailure();
  }
};
} // namespace
} // namespace tw::lower
