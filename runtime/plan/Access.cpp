#include "runtime/plan/Access.h"
#include "runtime/base/Text.h"
#include "runtime/base/Types.h"

#include <algorithm>

namespace tw::rt {

static void append(std::vector<uint32_t> &to, const google::protobuf::RepeatedField<uint32_t> &from) {
  to.insert(to.end(), from.begin(), from.end());
}

Access instructionAccess(const planpb::Instruction &instruction) {
  Access access;
  switch (instruction.body_case()) {
  case planpb::Instruction::kKernel:
    append(access.reads, instruction.kernel().inputs());
    append(access.writes, instruction.kernel().outputs());
    break;
  case planpb::Instruction::kGenerated: {
    const planpb::GeneratedCall &call = instruction.generated();
    for (int i = 0; i < call.buffers_size(); ++i) {
      bool written = std::count(call.written().begin(), call.written().end(), uint32_t(i)) > 0;
      (written ? access.writes : access.reads).push_back(call.buffers(i));
    }
    break;
  }
  case planpb::Instruction::kCollective:
    append(access.reads, instruction.collective().inputs());
    append(access.writes, instruction.collective().outputs());
    break;
  case planpb::Instruction::kCopy:
    access.reads.push_back(instruction.copy().source());
    access.writes.push_back(instruction.copy().destination());
    break;
  case planpb::Instruction::kFill:
    access.writes.push_back(instruction.fill().buffer());
    break;
  case planpb::Instruction::BODY_NOT_SET:
    break;
  }
  return access;
}

std::vector<int64_t> bufferStrides(const planpb::Buffer &buffer) {
  if (buffer.strides_size() > 0)
    return {buffer.strides().begin(), buffer.strides().end()};
  std::vector<int64_t> strides(size_t(buffer.shape_size()), 1);
  for (int i = buffer.shape_size() - 2; i >= 0; --i)
    strides[size_t(i)] = strides[size_t(i) + 1] * buffer.shape(i + 1);
  return strides;
}

bool isContiguous(const planpb::Buffer &buffer) {
  if (buffer.strides_size() == 0 || elementCount(buffer.shape()) == 0)
    return true;
  int64_t expected = 1;
  for (int i = buffer.shape_size() - 1; i >= 0; --i) {
    if (buffer.shape(i) != 1 && buffer.strides(i) != expected)
      return false;
    expected *= buffer.shape(i);
  }
  return true;
}

ByteRange bufferHull(const planpb::Buffer &buffer) {
  uint64_t last = 0, size = typeSize(buffer.type());
  std::vector<int64_t> strides = bufferStrides(buffer);
  for (int i = 0; i < buffer.shape_size(); ++i) {
    if (buffer.shape(i) == 0)
      return {buffer.offset(), buffer.offset()};
    last += uint64_t(buffer.shape(i) - 1) * uint64_t(strides[size_t(i)]);
  }
  return {buffer.offset(), buffer.offset() + (last + 1) * size};
}

uint64_t bufferBytes(const planpb::Buffer &buffer) {
  return uint64_t(elementCount(buffer.shape())) * typeSize(buffer.type());
}

uint64_t stagingBytes(const planpb::Program &program) {
  uint64_t end = 0;
  for (const planpb::Binding &binding : program.inputs())
    end += (bufferBytes(program.buffers(int(binding.buffer()))) + 63) / 64 * 64;
  return end;
}

// Dimensions sorted by stride, the innermost ones merged while they touch; the rest are walked.
std::vector<ByteRange> bufferRuns(const planpb::Buffer &buffer, size_t limit, bool *exact) {
  *exact = true;
  ByteRange hull = bufferHull(buffer);
  if (hull.begin == hull.end)
    return {};
  if (isContiguous(buffer))
    return {hull};
  struct Dimension {
    uint64_t extent, stride;
  };
  std::vector<Dimension> dimensions;
  std::vector<int64_t> strides = bufferStrides(buffer);
  for (int i = 0; i < buffer.shape_size(); ++i)
    if (buffer.shape(i) > 1 && strides[size_t(i)] > 0)
      dimensions.push_back({uint64_t(buffer.shape(i)), uint64_t(strides[size_t(i)])});
  std::sort(dimensions.begin(), dimensions.end(), [](auto &a, auto &b) { return a.stride < b.stride; });
  uint64_t run = 1;
  size_t next = 0;
  while (next < dimensions.size() && dimensions[next].stride <= run) {
    run = (dimensions[next].extent - 1) * dimensions[next].stride + run;
    ++next;
  }
  uint64_t count = 1;
  for (size_t i = next; i < dimensions.size(); ++i) {
    count *= dimensions[i].extent;
    if (count > limit) {
      *exact = false;
      return {hull};
    }
  }
  std::vector<ByteRange> runs;
  uint64_t size = typeSize(buffer.type());
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t rest = i, element = 0;
    for (size_t d = next; d < dimensions.size(); ++d) {
      element += rest % dimensions[d].extent * dimensions[d].stride;
      rest /= dimensions[d].extent;
    }
    runs.push_back({buffer.offset() + element * size, buffer.offset() + (element + run) * size});
  }
  return runs;
}

static const char *collectiveText(planpb::Collective::Operation operation) {
  switch (operation) {
  case planpb::Collective::ALL_REDUCE:
    return "all_reduce";
  case planpb::Collective::ALL_GATHER:
    return "all_gather";
  case planpb::Collective::REDUCE_SCATTER:
    return "reduce_scatter";
  case planpb::Collective::BROADCAST:
    return "broadcast";
  case planpb::Collective::SEND:
    return "send";
  case planpb::Collective::RECEIVE:
    return "receive";
  default:
    return "invalid collective";
  }
}

std::string instructionText(const planpb::Instruction &instruction) {
  switch (instruction.body_case()) {
  case planpb::Instruction::kKernel:
    return "kernel " + instruction.kernel().name();
  case planpb::Instruction::kGenerated:
    return "generated kernel " + instruction.generated().name();
  case planpb::Instruction::kCollective:
    return collectiveText(instruction.collective().operation());
  case planpb::Instruction::kCopy:
    return "copy";
  case planpb::Instruction::kFill:
    return "fill";
  default:
    return "empty instruction";
  }
}

std::string instructionPlace(const planpb::Program &program, int index) {
  const planpb::Instruction &instruction = program.instructions(index);
  std::string node = instruction.node().empty() ? "" : ", node '" + instruction.node() + "'";
  return text("program '", program.name(), "' of rank ", program.rank(), ", instruction ", index, " (",
              instructionText(instruction), node, ")");
}

} // namespace tw::rt
