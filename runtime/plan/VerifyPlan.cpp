#include "runtime/plan/VerifyPlan.h"
#include "runtime/base/Text.h"
#include "runtime/base/Types.h"
#include "runtime/plan/Access.h"
#include "runtime/plan/LoadPlan.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>

namespace tw::rt {

KernelTable kernelTable(const tw_kernel *(*kernel)(const char *), const tw_generated_kernel *generated) {
  KernelTable table;
  table.kernel = kernel;
  auto byName = std::make_shared<std::unordered_map<std::string, tw_generated_run>>();
  for (; generated && generated->name; ++generated)
    byName->emplace(generated->name, generated->run);
  table.generated = [byName](const char *name) -> tw_generated_run {
    auto found = byName->find(name);
    return found == byName->end() ? nullptr : found->second;
  };
  return table;
}

// Bytes of a tensor, or an error naming `what`.
static Expected<uint64_t> checkedBytes(const std::string &what, int type,
                                       const google::protobuf::RepeatedField<int64_t> &shape) {
  if (typeSize(type) == 0)
    return Status::error(text(what, " has no valid type"));
  if (shape.size() > TW_MAX_RANK)
    return Status::error(text(what, " has ", shape.size(), " dimensions, at most ", int(TW_MAX_RANK), " are allowed"));
  int64_t count = elementCount(shape);
  if (count < 0 || uint64_t(count) > (uint64_t(1) << 60) / 8)
    return Status::error(text(what, " has the impossible shape ", shapeText(shape)));
  return uint64_t(count) * typeSize(type);
}

Status verifyParameters(const planpb::Plan &plan) {
  uint64_t limit = std::numeric_limits<uint64_t>::max();
  for (const planpb::Program &program : plan.programs())
    limit = std::min<uint64_t>(limit, program.parameter_bytes());
  std::set<std::string> names;
  std::map<uint64_t, std::pair<uint64_t, std::string>> ranges;
  for (const planpb::Parameter &parameter : plan.parameters()) {
    std::string what = text("parameter '", parameter.name(), "'");
    TW_ASSIGN(bytes, checkedBytes(what, parameter.type(), parameter.shape()));
    if (parameter.name().empty() || !names.insert(parameter.name()).second)
      return Status::error(text(what, " occurs twice or has no name"));
    if (parameter.role() == planpb::ROLE_INVALID)
      return Status::error(text(what, " has no role"));
    if (parameter.offset() > limit || bytes > limit - parameter.offset())
      return Status::error(text(what, " ends at byte ", parameter.offset() + bytes, ", behind the ", limit,
                                " bytes that hold parameters"));
    if (parameter.offset() % 64 != 0)
      return Status::error(text(what, " starts at byte ", parameter.offset(), ", not a multiple of 64"));
    if (bytes > 0)
      if (!ranges.emplace(parameter.offset(), std::make_pair(parameter.offset() + bytes, parameter.name())).second)
        return Status::error(text(what, " shares its place with '", ranges[parameter.offset()].second, "'"));
    if (parameter.source().kind_case() == planpb::Source::kFile && parameter.source().file().length() != bytes)
      return Status::error(text(what, " has ", bytes, " bytes, its source has ", parameter.source().file().length()));
  }
  for (auto it = ranges.begin(); it != ranges.end(); ++it)
    if (auto next = std::next(it); next != ranges.end() && it->second.first > next->first)
      return Status::error(text("parameters '", it->second.second, "' and '", next->second.second, "' overlap"));
  for (const planpb::Parameter &parameter : plan.parameters())
    if (parameter.source().kind_case() == planpb::Source::kCopyOf && !names.count(parameter.source().copy_of()))
      return Status::error(text("parameter '", parameter.name(), "' copies '", parameter.source().copy_of(),
                                "', which the plan does not have"));
  return Status::ok();
}

static Status verifyBuffer(const planpb::Program &program, const planpb::Buffer &buffer, const std::string &what,
                           uint64_t parameterEnd) {
  TW_TRY(checkedBytes(what, buffer.type(), buffer.shape()).takeStatus());
  if (buffer.strides_size() != 0 && buffer.strides_size() != buffer.shape_size())
    return Status::error(
        text(what, " has ", buffer.strides_size(), " strides for ", buffer.shape_size(), " dimensions"));
  unsigned __int128 last = 0;
  std::vector<int64_t> strides = bufferStrides(buffer);
  for (int i = 0; i < buffer.shape_size(); ++i) {
    if (strides[size_t(i)] < 0)
      return Status::error(text(what, " has the negative stride ", strides[size_t(i)]));
    if (buffer.shape(i) > 0)
      last += (unsigned __int128)(buffer.shape(i) - 1) * uint64_t(strides[size_t(i)]);
  }
  unsigned __int128 end =
      elementCount(buffer.shape()) == 0 ? buffer.offset() : buffer.offset() + (last + 1) * typeSize(buffer.type());
  if (end > program.arena_bytes())
    return Status::error(text(what, " ends behind the arena's ", program.arena_bytes(), " bytes"));
  if (buffer.offset() % typeSize(buffer.type()) != 0)
    return Status::error(text(what, " starts at byte ", buffer.offset(), ", not a multiple of its element size"));
  if (buffer.offset() < parameterEnd && end > parameterEnd)
    return Status::error(text(what, " lies partly among the parameters and partly behind them"));
  if (buffer.view_of() > uint32_t(program.buffers_size()))
    return Status::error(text(what, " is a view of buffer ", buffer.view_of() - 1, ", which does not exist"));
  const planpb::Piece &piece = buffer.piece();
  if (piece.bytes() > program.arena_bytes() || piece.first() < -1 || piece.first() > piece.last())
    return Status::error(text(what, " names a piece of ", piece.bytes(), " bytes from instruction ", piece.first(),
                              " to ", piece.last(), ", which is none of the arena's"));
  return Status::ok();
}

Status verifyBuffers(const planpb::Plan &plan, const planpb::Program &program) {
  if (program.arena_bytes() > uint64_t(1) << 60)
    return Status::error(text("program '", program.name(), "' has an arena of ", program.arena_bytes(), " bytes"));
  if (program.parameter_bytes() > program.arena_bytes())
    return Status::error(text("program '", program.name(), "' has more parameter bytes than arena bytes"));
  if (program.lower_bound_bytes() > program.arena_bytes())
    return Status::error(text("program '", program.name(), "' has an arena of ", program.arena_bytes(),
                              " bytes, below its lower bound of ", program.lower_bound_bytes()));
  for (int i = 0; i < program.buffers_size(); ++i)
    TW_TRY(verifyBuffer(program, program.buffers(i),
                        text("program '", program.name(), "' of rank ", program.rank(), ", buffer ", i, " '",
                             program.buffers(i).name(), "'"),
                        program.parameter_bytes()));
  return Status::ok();
}

// `rows` is what the batched inputs before had, 0 for the first.
static Status verifyInput(const planpb::Plan &plan, const planpb::Program &program, const planpb::Binding &binding,
                          int64_t &rows) {
  std::string what = text("program '", program.name(), "' of rank ", program.rank(), ", input '", binding.name(), "'");
  if (binding.buffer() >= uint32_t(program.buffers_size()))
    return Status::error(text(what, " is bound to buffer ", binding.buffer(), ", which does not exist"));
  const planpb::Buffer &buffer = program.buffers(int(binding.buffer()));
  for (const planpb::DataInput &input : plan.inputs()) {
    if (input.name() != binding.name())
      continue;
    if (input.type() != buffer.type() || !isContiguous(buffer))
      return Status::error(text(what, " needs a contiguous buffer of type ", typeName(input.type())));
    int64_t row = elementCount(input.row_shape()), count = elementCount(buffer.shape());
    if (row < 0 || (input.batched() ? row == 0 || count % row != 0 || count == 0 : row != count))
      return Status::error(text(what, ": rows of shape ", shapeText(input.row_shape()),
                                " do not fill the buffer of shape ", shapeText(buffer.shape())));
    if (!input.batched())
      return Status::ok();
    int64_t microBatch = std::min<int64_t>(std::max<int64_t>(plan.batch().micro_batch(), 1), count / row);
    if ((rows != 0 && rows != count / row) || count / row % microBatch != 0)
      return Status::error(text(what, " holds ", count / row,
                                " rows, not as many as the other inputs or not whole "
                                "micro-batches of ",
                                microBatch));
    rows = count / row;
    return Status::ok();
  }
  return Status::error(text(what, " is not among the plan's inputs"));
}

Status verifyBindings(const planpb::Plan &plan, const planpb::Program &program) {
  int64_t rows = 0;
  for (const planpb::Binding &binding : program.inputs())
    TW_TRY(verifyInput(plan, program, binding, rows));
  for (const planpb::Binding &binding : program.outputs())
    if (binding.buffer() >= uint32_t(program.buffers_size()))
      return Status::error(text("program '", program.name(), "' of rank ", program.rank(), ", output '", binding.name(),
                                "' is bound to buffer ", binding.buffer(), ", which does not exist"));
  for (const planpb::Constant &constant : program.constants()) {
    if (constant.buffer() >= uint32_t(program.buffers_size()))
      return Status::error(text("program '", program.name(), "' has a constant in buffer ", constant.buffer(),
                                ", which does not exist"));
    const planpb::Buffer &buffer = program.buffers(int(constant.buffer()));
    bool sized =
        constant.source().kind_case() == planpb::Source::kFill ||
        (constant.source().kind_case() == planpb::Source::kFile ? constant.source().file().length()
                                                                : constant.data().size()) == bufferBytes(buffer);
    if (!sized || !isContiguous(buffer))
      return Status::error(text("program '", program.name(), "': the constant '", buffer.name(), "' has ",
                                bufferBytes(buffer), " bytes, its source has another number"));
  }
  return Status::ok();
}

Status verifyPlan(const planpb::Plan &plan, const KernelTable &kernels) {
  if (plan.programs_size() == 0)
    return Status::error("the plan has no programs");
  if (worldSize(plan) > maximumWorldSize)
    return Status::error(text("the plan's mesh has more than ", maximumWorldSize, " ranks"));
  TW_TRY(verifyParameters(plan));
  std::set<std::pair<std::string, uint32_t>> seen;
  for (const planpb::Program &program : plan.programs()) {
    if (program.rank() >= worldSize(plan) || !seen.insert({program.name(), program.rank()}).second)
      return Status::error(text("program '", program.name(), "' of rank ", program.rank(),
                                " occurs twice or its rank is "
                                "outside the mesh of ",
                                worldSize(plan)));
    TW_TRY(verifyBuffers(plan, program));
    TW_TRY(verifyBindings(plan, program));
    TW_TRY(verifyInstructions(plan, program, kernels));
    TW_TRY(verifyDataFlow(plan, program));
  }
  TW_TRY(verifyDeviceCode(plan));
  return verifyCollectives(plan);
}

} // namespace tw::rt
