#include "passes/Lower/Storage.h"

#include "passes/Lower/ArenaPlanner.h"
#include "passes/Lower/KernelCalls.h"

using namespace mlir;

namespace tw::lower {

int64_t tensorBytes(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.getNumElements() * elementBytes(tensor.getElementType());
}

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

static bool runs(Operation *op) {
  return isa<plan::KernelOp, graph::FusedOp, plan::AllReduceOp>(op);
}

/// The value whose memory `value` looks at.
static Value owner(Value value) {
  while (auto view = value.getDefiningOp<plan::ViewOp>())
    value = view.getInput();
  return value;
}

//===----------------------------------------------------------------------===//
// Copies that must be there before memory is assigned
//===----------------------------------------------------------------------===//

/// A function's result is read after the stores took effect, so it must not be a parameter's own memory; nor an
/// input's, a constant's, or another place of the arena that is not a value of its own.
static bool needsCopyToReturn(Value value) {
  Operation *op = owner(value).getDefiningOp();
  return !op || isa<graph::LoadOp, plan::RankOp>(op) || op->hasTrait<OpTrait::ConstantLike>();
}

/// An all_reduce works in place, so its operand must be a temporary that dies there.
static bool needsCopyToReduce(Value value) {
  Operation *op = value.getDefiningOp();
  return !op || !isa<plan::KernelOp, graph::FusedOp, plan::AssembleOp>(op) || !value.hasOneUse();
}

/// Final copies must not read what other final copies write.
static bool needsCopyToStore(graph::StoreOp store) {
  auto load = owner(store.getValue()).getDefiningOp<graph::LoadOp>();
  return load && (load.getParameter() != store.getParameter() || store.getValue() != load.getResult());
}

LogicalResult StorageAssignment::prepare(func::FuncOp function, StringRef target) {
  OpBuilder builder(function.getContext());
  KernelTarget kernelTarget{target.str(), 1};
  auto copyOperand = [&](OpOperand &operand) {
    builder.setInsertionPoint(operand.getOwner());
    plan::KernelOp copy = createCopyCall(builder, operand.getOwner()->getLoc(), operand.get(), kernelTarget);
    if (copy)
      operand.set(copy.getResult(0));
    return success(copy != nullptr);
  };
  for (Operation &op : llvm::make_early_inc_range(function.getOps())) {
    if (auto store = dyn_cast<graph::StoreOp>(op);
        store && needsCopyToStore(store) && failed(copyOperand(store.getValueMutable())))
      return failure();
    bool isReturn = op.hasTrait<OpTrait::IsTerminator>();
    if (!isReturn && !isa<plan::AllReduceOp>(op))
      continue;
    for (OpOperand &operand : op.getOpOperands())
      if (isReturn ? needsCopyToReturn(operand.get()) : needsCopyToReduce(operand.get()))
        if (failed(copyOperand(operand)))
          return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Lifetimes
//===----------------------------------------------------------------------===//

StorageAssignment::StorageAssignment(func::FuncOp function, const FixedMemory &fixed)
    : function(function), fixed(fixed) {
  for (Operation &op : function.getOps())
    if (runs(&op)) {
      positions[&op] = instructions.size();
      instructions.push_back(&op);
    }
  for (BlockArgument argument : function.getArguments()) {
    int storage = addStorage(argument, -1);
    storages[storage].kind = plan::Kind::Input;
    place(argument, storage, rowMajorLayout(shapeOf(argument)));
  }
  placeFixed();
  placeTransfers();
  placeParts();
  bindStores();
  for (auto [at, op] : llvm::enumerate(instructions))
    placeResults(op, at);
  guessKinds();
}

/// Final copies run after all instructions, and the function's results are read after those.
int64_t StorageAssignment::lastUse(Value value) const {
  int64_t last = -1;
  for (Operation *user : value.getUsers()) {
    if (isa<plan::ViewOp, plan::AssembleOp>(user))
      last = std::max(last, lastUse(user->getResult(0)));
    else if (isa<graph::StoreOp>(user))
      last =
          std::max(last, locations.count(value) && storages[locations.find(value)->second.storage].fixed ? -1 : end());
    else if (user->hasTrait<OpTrait::IsTerminator>())
      last = std::max(last, end() + 1);
    else
      last = std::max(last, positions.lookup(user));
  }
  return last;
}

int StorageAssignment::addStorage(Value value, int64_t first) {
  Storage storage;
  storage.bytes = tensorBytes(value.getType());
  storage.first = storage.last = first;
  storage.owner = value;
  if (cast<RankedTensorType>(value.getType()).getNumElements() <= 1)
    storage.kind = plan::Kind::Scalar;
  storages.push_back(storage);
  return storages.size() - 1;
}

void StorageAssignment::place(Value value, int storage, Layout layout) {
  storages[storage].last = std::max({storages[storage].last, storages[storage].first, lastUse(value)});
  locations[value] = {storage, std::move(layout)};
  for (Operation *user : value.getUsers())
    if (auto view = dyn_cast<plan::ViewOp>(user)) {
      Layout look{int64_t(view.getOffset()), SmallVector<int64_t>(view.getStrides())};
      look.offset += locations[value].layout.offset;
      locations[view.getResult()] = {storage, look};
    }
}

//===----------------------------------------------------------------------===//
// Values whose place does not depend on lifetimes
//===----------------------------------------------------------------------===//

void StorageAssignment::placeFixed() {
  auto fixedStorage = [&](Attribute key, Value value, int64_t offset, plan::Kind kind) {
    auto [entry, isNew] = fixedStorages.try_emplace(key, -1);
    if (isNew) {
      entry->second = addStorage(value, -1);
      Storage &storage = storages[entry->second];
      storage.offset = offset;
      storage.fixed = true;
      storage.kind = kind;
    }
    return entry->second;
  };
  for (Operation &op : function.getOps()) {
    int storage = -1;
    Value result = op.getNumResults() ? op.getResult(0) : Value();
    Attribute value;
    if (auto load = dyn_cast<graph::LoadOp>(op))
      storage = fixedStorage(load.getParameterAttr(), result, fixed.parameters.lookup(load.getParameterAttr()),
                             plan::Kind::Weight);
    else if (auto rank = dyn_cast<plan::RankOp>(op))
      storage = fixedStorage(rank.getValuesAttr(), result, fixed.constants.lookup(rank.getValuesAttr()),
                             plan::Kind::Constant);
    else if (auto constant = dyn_cast<arith::ConstantOp>(op); constant && fixed.constants.count(constant.getValue()))
      storage =
          fixedStorage(constant.getValue(), result, fixed.constants.lookup(constant.getValue()), plan::Kind::Constant);
    if (storage >= 0)
      place(result, storage, rowMajorLayout(shapeOf(result)));
  }
}

/// The instruction that first writes to the memory of a temporary.
int64_t StorageAssignment::firstWrite(Value value) const {
  auto whole = value.getDefiningOp<plan::AssembleOp>();
  if (!whole)
    return positions.lookup(value.getDefiningOp());
  int64_t first = end();
  for (Value part : whole.getParts())
    first = std::min(first, firstWrite(part));
  return first;
}

/// Parts of an assembled value are computed in its memory, which is needed from the first of them on.
void StorageAssignment::placeParts() {
  for (auto whole : function.getOps<plan::AssembleOp>()) {
    if (!locations.count(whole.getResult()))
      place(whole.getResult(), addStorage(whole.getResult(), firstWrite(whole.getResult())),
            rowMajorLayout(shapeOf(whole.getResult())));
    Location location = locate(whole.getResult());
    for (auto [part, offset, strides] : llvm::zip(whole.getParts(), whole.getOffsets(), whole.getStrides())) {
      place(part, location.storage,
            {location.layout.offset + offset, SmallVector<int64_t>(cast<DenseI64ArrayAttr>(strides).asArrayRef())});
      parts.insert(part);
    }
  }
}

/// Operands of one transfer lie side by side, each on a multiple of the alignment.
void StorageAssignment::placeTransfers() {
  for (auto reduce : function.getOps<plan::AllReduceOp>()) {
    int64_t first = end(), bytes = 0;
    SmallVector<int64_t> offsets;
    for (Value input : reduce.getInputs()) {
      first = std::min(first, firstWrite(input));
      offsets.push_back(bytes / elementBytes(getElementTypeOrSelf(input.getType())));
      bytes += alignUp(tensorBytes(input.getType()));
    }
    int storage = addStorage(reduce.getInputs()[0], first);
    storages[storage].bytes = bytes;
    storages[storage].kind = plan::Kind::Communication;
    for (auto [input, offset] : llvm::zip(reduce.getInputs(), offsets))
      place(input, storage, {offset, rowMajorStrides(shapeOf(input))});
  }
}

/// A stored value is computed in its parameter's memory when nothing reads the old value afterwards.
void StorageAssignment::bindStores() {
  for (auto store : function.getOps<graph::StoreOp>()) {
    auto value = dyn_cast<OpResult>(store.getValue());
    bool isLoad = value && isa<graph::LoadOp>(value.getOwner());
    if (isLoad && cast<graph::LoadOp>(value.getOwner()).getParameter() == store.getParameter())
      continue; // keeps its value
    int storage = fixedStorages.lookup_or(store.getParameterAttr(), -1);
    if (storage < 0) { // stored, but never loaded
      storage = addStorage(store.getValue(), -1);
      storages[storage].fixed = true;
      storages[storage].kind = plan::Kind::Weight;
      storages[storage].offset = fixed.parameters.lookup(store.getParameterAttr());
      fixedStorages[store.getParameterAttr()] = storage;
    }
    if (value && runs(value.getOwner()) && !isa<plan::AllReduceOp>(value.getOwner()) && !locations.count(value) &&
        canOverwrite(value, store.getParameterAttr(), positions.lookup(value.getOwner())))
      place(value, storage, rowMajorLayout(shapeOf(value)));
    else
      finalCopies.push_back({store.getValue(), store.getParameterAttr()});
  }
}

/// Whether `result` may be written over `operand` by its op as such (not looking at lifetimes).
static bool allowsInPlace(OpResult result, OpOperand &operand) {
  if (auto fused = dyn_cast<graph::FusedOp>(result.getOwner()))
    return fused.canShareMemory(operand.getOperandNumber(), result.getResultNumber());
  auto call = dyn_cast<plan::KernelOp>(result.getOwner());
  if (!call || call.getResultStrides())
    return false;
  ArrayRef<int64_t> pairs = call.getInPlace();
  for (size_t i = 0; i + 1 < pairs.size(); i += 2)
    if (pairs[i] == result.getResultNumber() && pairs[i + 1] == operand.getOperandNumber())
      return true;
  return false;
}

bool StorageAssignment::canOverwrite(OpResult value, FlatSymbolRefAttr parameter, int64_t at) {
  if (auto call = dyn_cast<plan::KernelOp>(value.getOwner()); call && call.getResultStrides())
    return false;
  for (auto load : function.getOps<graph::LoadOp>()) {
    if (load.getParameterAttr() != parameter)
      continue;
    for (Operation *user : load->getUsers())
      if (auto store = dyn_cast<graph::StoreOp>(user); store && store.getParameterAttr() != parameter)
        return false; // another parameter takes the old value at the end
    if (lastUse(load.getResult()) > at)
      return false;
    for (OpOperand &operand : value.getOwner()->getOpOperands())
      if (owner(operand.get()) == load.getResult() &&
          (!isRowMajor(locate(operand.get()).layout, shapeOf(operand.get())) || !allowsInPlace(value, operand)))
        return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Results, in order
//===----------------------------------------------------------------------===//

bool StorageAssignment::canReuse(OpResult result, OpOperand &operand, int64_t at) const {
  const Location &place = locate(operand.get());
  const Storage &storage = storages[place.storage];
  return allowsInPlace(result, operand) && !storage.fixed && storage.kind != plan::Kind::Input && storage.last == at &&
         storage.bytes == tensorBytes(result.getType()) && place.layout.offset == 0 &&
         isRowMajor(place.layout, shapeOf(operand.get())) && reusedAt.lookup_or(place.storage, -1) != at;
}

int StorageAssignment::storageToReuse(OpResult result, int64_t at) const {
  for (OpOperand &operand : result.getOwner()->getOpOperands()) {
    if (!canReuse(result, operand, at))
      continue;
    int storage = locate(operand.get()).storage;
    bool others = llvm::any_of(result.getOwner()->getOpOperands(), [&](OpOperand &other) {
      return locate(other.get()).storage == storage && !canReuse(result, other, at);
    });
    bool writtenToo = llvm::any_of(result.getOwner()->getResults(), [&](OpResult other) {
      auto place = locations.find(other);
      return place != locations.end() && place->second.storage == storage;
    });
    if (!others && !writtenToo)
      return storage;
  }
  return -1;
}

void StorageAssignment::placeResults(Operation *op, int64_t at) {
  if (auto reduce = dyn_cast<plan::AllReduceOp>(op)) {
    for (auto [input, result] : llvm::zip(reduce.getInputs(), reduce.getResults())) {
      Location location = locate(input);
      place(result, location.storage, location.layout);
    }
    return;
  }
  auto call = dyn_cast<plan::KernelOp>(op);
  for (OpResult result : op->getResults()) {
    if (locations.count(result))
      continue;
    Layout layout = rowMajorLayout(shapeOf(result));
    if (call && call.getResultStrides())
      if (auto strides = cast<DenseI64ArrayAttr>((*call.getResultStrides())[result.getResultNumber()]);
          !strides.empty())
        layout.strides.assign(strides.asArrayRef().begin(), strides.asArrayRef().end());
    int storage = storageToReuse(result, at);
    if (storage < 0)
      storage = addStorage(result, at);
    else
      reusedAt[storage] = at;
    place(result, storage, layout);
  }
  if (call && call.getWorkspace() > 0) {
    Storage scratch;
    scratch.bytes = call.getWorkspace();
    scratch.first = scratch.last = at;
    scratch.kind = plan::Kind::Workspace;
    storages.push_back(scratch);
    workspaces[op] = storages.size() - 1;
  }
}

/// For people: an operand of the op that computes a parameter's next value, as large as the parameter, is its gradient.
void StorageAssignment::guessKinds() {
  for (auto store : function.getOps<graph::StoreOp>()) {
    Operation *update = store.getValue().getDefiningOp();
    if (!update || !runs(update))
      continue;
    for (Value operand : update->getOperands()) {
      Storage &storage = storages[locate(operand).storage];
      bool large = cast<RankedTensorType>(operand.getType()).getNumElements() > 1;
      if (!storage.fixed && large && shapeOf(operand) == shapeOf(store.getValue()) &&
          storage.kind == plan::Kind::Activation)
        storage.kind = plan::Kind::Gradient;
    }
  }
}

} // namespace tw::lower
