#include "passes/Lower/BuildProgram.h"

#include "compiler/Support/NodeName.h"
#include "passes/Lower/KernelCalls.h"

using namespace mlir;

namespace tw::lower {
namespace {

RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

class ProgramBuilder {
public:
  ProgramBuilder(OpBuilder &builder, func::FuncOp function, const StorageAssignment &storages, const FixedMemory &fixed)
      : builder(builder), function(function), storages(storages), fixed(fixed) {}

  plan::ProgramOp build(ProgramBytes bytes) {
    auto program = plan::ProgramOp::create(builder, function.getLoc(), function.getSymName(), bytes.arena,
                                           fixed.parameterBytes, bytes.lowerBound);
    program.getBody().emplaceBlock();
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&program.getBody().front());
    for (BlockArgument argument : function.getArguments())
      addInput(argument);
    addConstants();
    for (Operation *op : storages.getInstructions())
      addInstruction(op);
    addFinalCopies();
    addOutputs();
    return program;
  }

private:
  OpBuilder &builder;
  func::FuncOp function;
  const StorageAssignment &storages;
  const FixedMemory &fixed;
  DenseMap<Value, Value> buffers;    // value -> its buffer
  DenseMap<int, Value> fixedBuffers; // storage of a parameter or constant -> its buffer
  DenseSet<int> opened;              // storages whose first buffer was made

  MemRefType bufferType(RankedTensorType type, const Layout &layout) {
    if (isRowMajor(layout, type.getShape()))
      return MemRefType::get(type.getShape(), type.getElementType());
    return MemRefType::get(type.getShape(), type.getElementType(),
                           StridedLayoutAttr::get(builder.getContext(), 0, layout.strides));
  }

  /// The node's name, with the result's number where there are several.
  static std::string valueName(Value value) {
    std::string name = nodeName(value.getLoc());
    auto result = dyn_cast<OpResult>(value);
    if (name.empty() && result)
      name = result.getOwner()->getName().getStringRef().str();
    if (result && result.getOwner()->getNumResults() > 1)
      name += ":" + std::to_string(result.getResultNumber());
    return name;
  }

  Value makeBuffer(Value value, StringRef name, Value base, FlatSymbolRefAttr parameter) {
    const Location &place = storages.locate(value);
    const Storage &storage = storages.getStorages()[place.storage];
    RankedTensorType type = tensorType(value);
    int64_t offset = storage.offset + place.layout.offset * elementBytes(type.getElementType());
    std::string node = nodeName(value.getLoc());
    IntegerAttr holds, from, to;
    if (!storage.fixed && !base && opened.insert(place.storage).second) {
      holds = builder.getI64IntegerAttr(storage.bytes);
      from = builder.getI64IntegerAttr(storage.first);
      to = builder.getI64IntegerAttr(storage.last);
    }
    return plan::BufferOp::create(builder, value.getLoc(), bufferType(type, place.layout), name, offset, storage.kind,
                                  base, parameter, holds, from, to,
                                  node.empty() ? StringAttr() : builder.getStringAttr(node));
  }

  Value bufferOf(Value value) {
    if (Value known = buffers.lookup(value))
      return known;
    return buffers[value] = newBuffer(value);
  }

  Value newBuffer(Value value) {
    Operation *op = value.getDefiningOp();
    if (auto view = dyn_cast_or_null<plan::ViewOp>(op))
      return makeBuffer(value, valueName(view.getInput()), bufferOf(view.getInput()), {});
    if (auto reduce = dyn_cast_or_null<plan::AllReduceOp>(op))
      return bufferOf(reduce.getInputs()[cast<OpResult>(value).getResultNumber()]);
    if (storages.isPart(value))
      for (Operation *user : value.getUsers())
        if (auto whole = dyn_cast<plan::AssembleOp>(user))
          return makeBuffer(value, valueName(value), bufferOf(whole.getResult()), {});
    if (storages.getStorages()[storages.locate(value).storage].fixed)
      return fixedBuffer(value);
    if (auto argument = dyn_cast<BlockArgument>(value))
      return makeBuffer(value, inputName(argument), {}, {});
    return makeBuffer(value, valueName(value), {}, {});
  }

  /// Loads of a parameter and values computed in its place share one buffer.
  Value fixedBuffer(Value value) {
    int storage = storages.locate(value).storage;
    if (Value known = fixedBuffers.lookup(storage))
      return known.getType() == bufferType(tensorType(value), storages.locate(value).layout)
                 ? known
                 : makeBuffer(value, valueName(value), known, {});
    FlatSymbolRefAttr parameter;
    for (auto [symbol, offset] : fixed.parameters)
      if (offset == storages.getStorages()[storage].offset &&
          storages.getStorages()[storage].kind != plan::Kind::Constant)
        parameter = cast<FlatSymbolRefAttr>(symbol);
    std::string name = parameter ? parameter.getValue().str() : valueName(value);
    return fixedBuffers[storage] = makeBuffer(value, name, {}, parameter);
  }

  std::string inputName(BlockArgument argument) {
    auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "graph.name");
    return name ? name.str() : "input" + std::to_string(argument.getArgNumber());
  }

  void addInput(BlockArgument argument) {
    InputBounds bounds = inputBounds(argument);
    auto attribute = [&](std::optional<int64_t> value) {
      return value ? builder.getI64IntegerAttr(*value) : IntegerAttr();
    };
    plan::InputOp::create(builder, argument.getLoc(), inputName(argument), bufferOf(argument), attribute(bounds.lower),
                          attribute(bounds.upper), attribute(bounds.ignore));
  }

  void addConstants() {
    DenseSet<Value> seen;
    for (Operation &op : function.getOps()) {
      auto constant = dyn_cast<arith::ConstantOp>(op);
      auto rank = dyn_cast<plan::RankOp>(op);
      if ((!constant && !rank) || op.use_empty() || !seen.insert(bufferOf(op.getResult(0))).second)
        continue;
      ElementsAttr value;
      if (rank) {
        ArrayRef<int64_t> values = rank.getValues();
        value = DenseElementsAttr::get(RankedTensorType::get({int64_t(values.size())}, builder.getI64Type()), values);
      } else {
        value = cast<ElementsAttr>(constant.getValue());
      }
      plan::ConstantOp::create(builder, op.getLoc(), bufferOf(op.getResult(0)), value, rank != nullptr);
    }
  }

  SmallVector<Value> buffersOf(ValueRange values) {
    return llvm::map_to_vector(values, [&](Value value) { return bufferOf(value); });
  }

  void addInstruction(Operation *op) {
    if (auto call = dyn_cast<plan::KernelOp>(op))
      addCall(call);
    else if (auto fused = dyn_cast<graph::FusedOp>(op))
      addGenerated(fused);
    else if (auto reduce = dyn_cast<plan::AllReduceOp>(op))
      plan::CollectiveOp::create(builder, op->getLoc(), "all_reduce", buffersOf(reduce.getInputs()),
                                 reduce.getReduction(), reduce.getGroups());
  }

  void addCall(plan::KernelOp call) {
    SmallVector<Value> inputs = buffersOf(call.getInputs()), outputs = buffersOf(call.getResults());
    int workspace = storages.workspaceOf(call);
    int64_t offset = workspace < 0 ? 0 : storages.getStorages()[workspace].offset;
    plan::CallOp::create(builder, call.getLoc(), call.getKernel(), inputs, outputs, call.getCallAttributes(),
                         workspace < 0 ? 0 : call.getWorkspace(), offset);
  }

  void addGenerated(graph::FusedOp fused) {
    SmallVector<Value> all = buffersOf(fused.getInputs()), results = buffersOf(fused.getResults());
    SmallVector<int64_t> written;
    for (Value result : results) {
      written.push_back(all.size());
      all.push_back(result);
    }
    plan::GeneratedOp::create(builder, fused.getLoc(), fused.getKernel().value_or(""), all, written,
                              fused.getSizes().value_or(ArrayRef<int64_t>()), fused.getExtent().value_or(1),
                              fused.getGrain().value_or(1));
  }

  void addFinalCopies() {
    for (const FinalCopy &copy : storages.getFinalCopies()) {
      Value source = bufferOf(copy.value);
      Value target = parameterBuffer(copy);
      plan::CopyOp::create(builder, copy.value.getLoc(), source, target);
    }
  }

  Value parameterBuffer(const FinalCopy &copy) {
    int64_t offset = fixed.parameters.lookup(copy.parameter);
    for (auto [storage, buffer] : fixedBuffers)
      if (storages.getStorages()[storage].offset == offset &&
          storages.getStorages()[storage].kind != plan::Kind::Constant)
        return buffer;
    RankedTensorType type = tensorType(copy.value);
    return plan::BufferOp::create(builder, copy.value.getLoc(), MemRefType::get(type.getShape(), type.getElementType()),
                                  copy.parameter.getValue(), offset, plan::Kind::Weight, Value(), copy.parameter,
                                  IntegerAttr(), IntegerAttr(), IntegerAttr(), StringAttr());
  }

  void addOutputs() {
    Operation *end = function.getBody().front().getTerminator();
    for (OpOperand &operand : end->getOpOperands()) {
      auto name = function.getResultAttrOfType<StringAttr>(operand.getOperandNumber(), "graph.name");
      std::string text = name ? name.str() : "output" + std::to_string(operand.getOperandNumber());
      plan::OutputOp::create(builder, end->getLoc(), text, bufferOf(operand.get()));
    }
  }
};
} // namespace

plan::ProgramOp buildProgram(OpBuilder &builder, func::FuncOp function, const StorageAssignment &storages,
                             const FixedMemory &fixed, ProgramBytes bytes) {
  return ProgramBuilder(builder, function, storages, fixed).build(bytes);
}

} // namespace tw::lower
