// C3 and C4: operands, types, shapes and kernels of every instruction.
#include "runtime/base/Text.h"
#include "runtime/base/Types.h"
#include "runtime/plan/Access.h"
#include "runtime/plan/LoadPlan.h"
#include "runtime/plan/VerifyPlan.h"

#include <algorithm>

namespace tw::rt {

namespace {

bool endsWith(const std::string &name, const std::string &ending) {
  return name.size() >= ending.size() && name.compare(name.size() - ending.size(), ending.size(), ending) == 0;
}

struct Checker {
  const planpb::Plan &plan;
  const planpb::Program &program;
  const KernelTable &kernels;

  const planpb::Buffer &buffer(uint32_t index) const { return program.buffers(int(index)); }

  Status operands(const planpb::Instruction &instruction) const {
    Access access = instructionAccess(instruction);
    for (const std::vector<uint32_t> *list : {&access.reads, &access.writes})
      for (uint32_t index : *list)
        if (index >= uint32_t(program.buffers_size()))
          return Status::error(text("operand ", index, " is not one of the ", program.buffers_size(), " buffers"));
    return Status::ok();
  }

  Status kernel(const planpb::KernelCall &call) const {
    uint64_t arena = program.arena_bytes();
    if (call.workspace_bytes() > arena || call.workspace_offset() > arena - call.workspace_bytes())
      return Status::error("the workspace lies outside the arena");
    if (call.workspace_bytes() > 0 &&
        (call.workspace_offset() % 64 != 0 || call.workspace_offset() < program.parameter_bytes()))
      return Status::error("the workspace is not aligned to 64 bytes or lies among the parameters");
    uint64_t begin = call.workspace_offset(), end = begin + call.workspace_bytes();
    for (const auto *list : {&call.inputs(), &call.outputs()})
      for (uint32_t index : *list) {
        ByteRange hull = bufferHull(buffer(index));
        if (hull.begin < end && begin < hull.end)
          return Status::error(text("the workspace overlaps the operand '", buffer(index).name(), "'"));
      }
    for (const planpb::Attribute &attribute : call.attributes())
      if (attribute.name().empty() || attribute.kind() < planpb::Attribute::INTS ||
          attribute.kind() > planpb::Attribute::STRING)
        return Status::error(text("attribute '", attribute.name(), "' has no valid kind"));
    bool cuda = plan.target() == "cuda";
    if (endsWith(call.name(), cuda ? "_host" : "_cuda"))
      return Status::error(
          text("the kernel runs on the ", cuda ? "host" : "GPU", ", the plan is for ", cuda ? "CUDA" : "the host"));
    if (!kernels.kernel)
      return Status::ok();
    const tw_kernel *found = kernels.kernel(call.name().c_str());
    if (!found)
      return Status::error("this program has no such kernel; compiler and runtime are of different versions");
    if (!found->strided)
      for (const auto *list : {&call.inputs(), &call.outputs()})
        for (uint32_t index : *list)
          if (!isContiguous(buffer(index)))
            return Status::error(text("the kernel needs contiguous operands, '", buffer(index).name(), "' is not"));
    return Status::ok();
  }

  Status generated(const planpb::GeneratedCall &call) const {
    if (call.extent() < 0 || call.grain() < 0)
      return Status::error("extent and grain must not be negative");
    for (uint32_t position : call.written())
      if (position >= uint32_t(call.buffers_size()))
        return Status::error(text("it writes operand ", position, " of ", call.buffers_size()));
    if (kernels.generated && plan.target() != "cuda" && !kernels.generated(call.name().c_str()))
      return Status::error("this program has no such generated kernel; compile it again");
    return Status::ok();
  }

  Status copy(const planpb::Copy &call) const {
    const planpb::Buffer &source = buffer(call.source()), &destination = buffer(call.destination());
    if (source.type() != destination.type())
      return Status::error(text("it copies ", typeName(source.type()), " to ", typeName(destination.type())));
    bool same = std::equal(source.shape().begin(), source.shape().end(), destination.shape().begin(),
                           destination.shape().end());
    bool reshaped = isContiguous(source) && isContiguous(destination) &&
                    elementCount(source.shape()) == elementCount(destination.shape());
    if (!same && !reshaped)
      return Status::error(
          text("it copies shape ", shapeText(source.shape()), " to shape ", shapeText(destination.shape())));
    return Status::ok();
  }

  // Elements of the one range that the operands form, with gaps of less than 64 bytes where `gaps`.
  Expected<int64_t> sideBySide(const google::protobuf::RepeatedField<uint32_t> &list, bool gaps) const {
    ByteRange whole{0, 0};
    for (int i = 0; i < list.size(); ++i) {
      const planpb::Buffer &part = buffer(list[i]);
      ByteRange hull = bufferHull(part);
      if (!isContiguous(part) || part.type() != buffer(list[0]).type())
        return Status::error(text("'", part.name(), "' is not contiguous or of another type"));
      if (i > 0 && (hull.begin < whole.end || hull.begin - whole.end >= (gaps ? 64 : 1)))
        return Status::error(text("'", part.name(), "' does not lie beside the operand before it"));
      whole = {i == 0 ? hull.begin : whole.begin, hull.end};
    }
    return list.empty() ? int64_t(0) : int64_t((whole.end - whole.begin) / typeSize(buffer(list[0]).type()));
  }

  Status collective(const planpb::Collective &call) const {
    using C = planpb::Collective;
    int64_t world = int64_t(worldSize(plan)), members = call.group_size() ? call.group_size() : world;
    bool member = call.group_size() == 0;
    for (int i = 0; i < call.group_size(); ++i) {
      if (call.group(i) >= world || (i > 0 && call.group(i) <= call.group(i - 1)))
        return Status::error("its group is not an ascending list of ranks of the mesh");
      member |= call.group(i) == program.rank();
    }
    bool reduces = call.operation() == C::ALL_REDUCE || call.operation() == C::REDUCE_SCATTER;
    bool pair = call.operation() == C::SEND || call.operation() == C::RECEIVE;
    if (!pair && !member)
      return Status::error("the rank is not a member of its group");
    if ((pair || call.operation() == C::BROADCAST) && call.peer() >= world)
      return Status::error(text("its peer ", call.peer(), " is outside the mesh of ", world));
    if (pair && call.peer() == program.rank())
      return Status::error("it sends to itself");
    if (reduces && (call.reduction() < C::SUM || call.reduction() > C::MIN))
      return Status::error("it has no reduction");
    bool gaps = call.operation() == C::ALL_REDUCE;
    TW_ASSIGN(in, sideBySide(call.inputs(), gaps));
    TW_ASSIGN(out, sideBySide(call.outputs(), gaps));
    if (call.inputs_size() && call.outputs_size() && buffer(call.inputs(0)).type() != buffer(call.outputs(0)).type())
      return Status::error("inputs and outputs differ in type");
    bool fits = false;
    switch (call.operation()) {
    case C::ALL_REDUCE:
      fits = in == out && call.inputs_size() > 0;
      break;
    case C::ALL_GATHER:
      fits = out == in * members && call.inputs_size() > 0 && call.outputs_size() > 0;
      break;
    case C::REDUCE_SCATTER:
      fits = in == out * members && call.inputs_size() > 0 && call.outputs_size() > 0;
      break;
    case C::BROADCAST:
      fits = call.outputs_size() > 0 && (call.inputs_size() == 0 || in == out);
      break;
    case C::SEND:
      fits = call.inputs_size() > 0 && call.outputs_size() == 0;
      break;
    case C::RECEIVE:
      fits = call.outputs_size() > 0 && call.inputs_size() == 0;
      break;
    default:
      return Status::error("it has no operation");
    }
    return fits ? Status::ok()
                : Status::error(text("it takes ", in, " elements and gives ", out, " among ", members,
                                     " ranks, which does not fit the operation"));
  }

  Status check(const planpb::Instruction &instruction) const {
    TW_TRY(operands(instruction));
    if (instruction.stream() >= 1024)
      return Status::error(text("it is on stream ", instruction.stream(), ", at most 1024 streams are allowed"));
    switch (instruction.body_case()) {
    case planpb::Instruction::kKernel:
      return kernel(instruction.kernel());
    case planpb::Instruction::kGenerated:
      return generated(instruction.generated());
    case planpb::Instruction::kCollective:
      return collective(instruction.collective());
    case planpb::Instruction::kCopy:
      return copy(instruction.copy());
    case planpb::Instruction::kFill:
      return Status::ok();
    default:
      return Status::error("the instruction is empty");
    }
  }
};

} // namespace

Status verifyInstructions(const planpb::Plan &plan, const planpb::Program &program, const KernelTable &kernels) {
  Checker checker{plan, program, kernels};
  for (int i = 0; i < program.instructions_size(); ++i)
    if (Status status = checker.check(program.instructions(i)); status.failed())
      return std::move(status).in(instructionPlace(program, i));
  return Status::ok();
}

} // namespace tw::rt
