#include "passes/Lower/EmitProgram.h"

#include "compiler/Support/NodeName.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "passes/Lower/KernelCalls.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tw::lower {

LogicalResult elementBytesOf(Location location, ElementsAttr value, std::string &bytes) {
  Type type = value.getShapedType().getElementType();
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob)
      return emitError(location) << "the constant's data are missing";
    bytes.assign(blob->getData().begin(), blob->getData().end());
    return success();
  }
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense)
    return emitError(location) << "this form of constant cannot be written into a plan";
  if (type.isInteger(1)) {
    for (bool element : dense.getValues<bool>())
      bytes.push_back(element);
    return success();
  }
  ArrayRef<char> raw = dense.getRawData();
  int64_t copies = dense.isSplat() ? dense.getNumElements() : 1;
  for (int64_t i = 0; i < copies; ++i)
    bytes.append(raw.begin(), raw.end());
  return success();
}

namespace {

class ProgramEmitter {
public:
  ProgramEmitter(plan::ProgramOp program, int64_t rank, planpb::Program &result)
      : program(program), rank(rank), result(result) {}

  LogicalResult emit() {
    result.set_name(program.getSymName().str());
    result.set_rank(rank);
    result.set_arena_bytes(program.getArenaBytes());
    result.set_parameter_bytes(program.getParameterBytes());
    result.set_lower_bound_bytes(program.getLowerBound());
    result.set_streams(1);
    for (Operation &op : program.getBody().front())
      if (failed(emitOp(&op)))
        return failure();
    return success();
  }

private:
  plan::ProgramOp program;
  int64_t rank;
  planpb::Program &result;
  DenseMap<Value, uint32_t> indices;

  LogicalResult emitOp(Operation *op) {
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case<plan::BufferOp, plan::InputOp, plan::OutputOp, plan::ConstantOp, plan::CallOp, plan::GeneratedOp,
              plan::CollectiveOp, plan::CopyOp, plan::FillOp>([&](auto concrete) { return emit(concrete); })
        .Default([](Operation *other) { return other->emitError() << "cannot be written into a plan"; });
  }

  LogicalResult emit(plan::BufferOp buffer) {
    indices[buffer.getResult()] = result.buffers_size();
    planpb::Buffer &entry = *result.add_buffers();
    MemRefType type = buffer.getType();
    entry.set_name(buffer.getName().str());
    entry.set_type(planpb::Type(typeNumber(type.getElementType())));
    entry.mutable_shape()->Add(type.getShape().begin(), type.getShape().end());
    if (!type.getLayout().isIdentity()) {
      auto [strides, ignored] = type.getStridesAndOffset();
      entry.mutable_strides()->Add(strides.begin(), strides.end());
    }
    entry.set_offset(buffer.getOffset());
    entry.set_kind(planpb::Kind(buffer.getKind()));
    entry.set_node(buffer.getNode().value_or("").str());
    if (buffer.getHolds()) {
      planpb::Piece &piece = *entry.mutable_piece();
      piece.set_bytes(*buffer.getHolds());
      piece.set_first(*buffer.getFrom());
      piece.set_last(*buffer.getTo());
    }
    if (buffer.getBase())
      entry.set_view_of(1 + indices.lookup(buffer.getBase()));
    return success();
  }

  LogicalResult bind(planpb::Binding &binding, StringRef name, Value buffer) {
    binding.set_name(name.str());
    binding.set_buffer(indices.lookup(buffer));
    return success();
  }
  LogicalResult emit(plan::InputOp input) { return bind(*result.add_inputs(), input.getName(), input.getBuffer()); }
  LogicalResult emit(plan::OutputOp output) {
    return bind(*result.add_outputs(), output.getName(), output.getBuffer());
  }

  LogicalResult emit(plan::ConstantOp constant) {
    planpb::Constant &entry = *result.add_constants();
    entry.set_buffer(indices.lookup(constant.getBuffer()));
    ElementsAttr value = constant.getValue();
    if (constant.getPerRank()) {
      int64_t number = cast<DenseElementsAttr>(value).getValues<int64_t>()[rank];
      entry.set_data(&number, sizeof number);
      return success();
    }
    if (auto dense = dyn_cast<DenseElementsAttr>(value); dense && dense.isSplat() && dense.getNumElements() > 1)
      if (auto number = dyn_cast<FloatAttr>(dense.getSplatValue<Attribute>())) {
        entry.mutable_source()->set_fill(number.getValueAsDouble());
        return success();
      }
    return elementBytesOf(constant.getLoc(), value, *entry.mutable_data());
  }

  planpb::Instruction &addInstruction(Operation *op) {
    planpb::Instruction &instruction = *result.add_instructions();
    instruction.set_node(nodeName(op->getLoc()));
    return instruction;
  }

  static void setAttribute(planpb::Attribute &entry, NamedAttribute attribute) {
    entry.set_name(attribute.getName().str());
    entry.set_kind(planpb::Attribute::INTS);
    if (auto number = dyn_cast<FloatAttr>(attribute.getValue())) {
      entry.set_kind(planpb::Attribute::FLOAT);
      entry.set_number(number.getValueAsDouble());
    } else if (auto text = dyn_cast<StringAttr>(attribute.getValue())) {
      entry.set_kind(planpb::Attribute::STRING);
      entry.set_string(text.str());
    } else if (auto list = dyn_cast<DenseI64ArrayAttr>(attribute.getValue())) {
      entry.mutable_ints()->Add(list.asArrayRef().begin(), list.asArrayRef().end());
    } else {
      entry.add_ints(cast<IntegerAttr>(attribute.getValue()).getInt());
    }
  }

  LogicalResult emit(plan::CallOp call) {
    planpb::KernelCall &entry = *addInstruction(call).mutable_kernel();
    entry.set_name(call.getKernel().str());
    for (Value input : call.getInputs())
      entry.add_inputs(indices.lookup(input));
    for (Value output : call.getOutputs())
      entry.add_outputs(indices.lookup(output));
    for (NamedAttribute attribute : call.getCallAttributes())
      setAttribute(*entry.add_attributes(), attribute);
    entry.set_workspace_bytes(call.getWorkspaceBytes());
    entry.set_workspace_offset(call.getWorkspaceOffset());
    return success();
  }

  LogicalResult emit(plan::GeneratedOp call) {
    if (call.getKernel().empty())
      return call.emitError() << "no kernel was generated: run tw-lower-generate-kernels first";
    planpb::GeneratedCall &entry = *addInstruction(call).mutable_generated();
    entry.set_name(call.getKernel().str());
    for (Value buffer : call.getBuffers())
      entry.add_buffers(indices.lookup(buffer));
    entry.mutable_written()->Add(call.getWritten().begin(), call.getWritten().end());
    entry.mutable_sizes()->Add(call.getSizes().begin(), call.getSizes().end());
    entry.set_extent(call.getExtent());
    entry.set_grain(call.getGrain());
    return success();
  }

  LogicalResult emit(plan::CollectiveOp collective) {
    planpb::Collective &entry = *addInstruction(collective).mutable_collective();
    entry.set_operation(planpb::Collective::ALL_REDUCE);
    for (Value buffer : collective.getBuffers()) {
      entry.add_inputs(indices.lookup(buffer));
      entry.add_outputs(indices.lookup(buffer));
    }
    entry.set_reduction(llvm::StringSwitch<planpb::Collective::Reduction>(collective.getReduction())
                            .Case("max", planpb::Collective::MAX)
                            .Case("min", planpb::Collective::MIN)
                            .Default(planpb::Collective::SUM));
    for (Attribute group : collective.getGroups()) {
      ArrayRef<int64_t> ranks = cast<DenseI64ArrayAttr>(group).asArrayRef();
      if (llvm::is_contained(ranks, rank))
        entry.mutable_group()->Add(ranks.begin(), ranks.end());
    }
    return success();
  }

  LogicalResult emit(plan::CopyOp copy) {
    planpb::Copy &entry = *addInstruction(copy).mutable_copy();
    entry.set_source(indices.lookup(copy.getSource()));
    entry.set_destination(indices.lookup(copy.getDestination()));
    return success();
  }

  LogicalResult emit(plan::FillOp fill) {
    planpb::Fill &entry = *addInstruction(fill).mutable_fill();
    entry.set_buffer(indices.lookup(fill.getBuffer()));
    entry.set_value(fill.getValue().convertToDouble());
    return success();
  }
};
} // namespace

LogicalResult emitProgram(plan::ProgramOp program, int64_t rank, planpb::Program &result) {
  return ProgramEmitter(program, rank, result).emit();
}

} // namespace tw::lower
