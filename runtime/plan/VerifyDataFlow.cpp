// C5 and C6: walks the instructions in order and keeps, for every byte of the arena, who wrote it last and who read it
// since. Streams are ordered by vector clocks: clock(i)[s] is the last instruction of stream s that is known to have
// finished when instruction i starts.
#include "runtime/base/Text.h"
#include "runtime/base/Types.h"
#include "runtime/plan/Access.h"
#include "runtime/plan/VerifyPlan.h"

#include <algorithm>
#include <map>

namespace tw::rt {

namespace {

constexpr int64_t anyBuffer = -1; // parameters, and views too scattered to follow byte by byte
constexpr int64_t workspace = -2; // scratch memory: no buffer may read it
constexpr int beforeStart = -1;   // written before the program runs
constexpr size_t runLimit = 1024;

struct Segment {
  uint64_t end;
  int writer;
  int64_t buffer;
  bool constant;
  std::vector<int> readers; // the last of each stream
};

class DataFlow {
public:
  DataFlow(const planpb::Plan &plan, const planpb::Program &program) : plan_(plan), program_(program) {
    for (const planpb::Instruction &instruction : program.instructions())
      streams_ = std::max(streams_, instruction.stream() + 1);
    for (const planpb::Buffer &buffer : program.buffers()) {
      bool exact;
      runs_.push_back(bufferRuns(buffer, runLimit, &exact));
      exact_.push_back(exact);
    }
    for (int i = 0; i < program.buffers_size(); ++i)
      roots_.push_back(root(i));
    direct_.assign(size_t(program.buffers_size()), false);
  }

  Status run() {
    TW_TRY(start());
    for (int i = 0; i < program_.instructions_size(); ++i)
      if (Status status = step(i); status.failed())
        return std::move(status).in(instructionPlace(program_, i));
    for (const planpb::Binding &output : program_.outputs())
      if (Status status = read(int(output.buffer()), -1); status.failed())
        return std::move(status).in(text("program '", program_.name(), "' of rank ", program_.rank(), ", output '",
                                         output.name(), "' at the end"));
    return Status::ok();
  }

private:
  int root(int buffer) const {
    for (int hops = 0; hops < 64 && program_.buffers(buffer).view_of() != 0; ++hops)
      buffer = int(program_.buffers(buffer).view_of()) - 1;
    return buffer;
  }
  const std::string &name(int64_t buffer) const { return program_.buffers(int(buffer)).name(); }

  // Splits the segment that holds `position`, so that one begins there.
  void split(uint64_t position) {
    auto it = segments_.upper_bound(position);
    if (it == segments_.begin())
      return;
    --it;
    if (it->first == position || it->second.end <= position)
      return;
    Segment tail = it->second;
    it->second.end = position;
    segments_.emplace(position, std::move(tail));
  }

  void replace(ByteRange range, Segment segment) {
    split(range.begin);
    split(range.end);
    segments_.erase(segments_.lower_bound(range.begin), segments_.lower_bound(range.end));
    segments_.emplace(range.begin, std::move(segment));
  }

  Status start() {
    for (const planpb::Parameter &parameter : plan_.parameters()) {
      uint64_t bytes = uint64_t(elementCount(parameter.shape())) * typeSize(parameter.type());
      if (bytes > 0)
        replace({parameter.offset(), parameter.offset() + bytes},
                {parameter.offset() + bytes, beforeStart, anyBuffer, false, {}});
    }
    auto place = [&](uint32_t buffer, bool constant) -> Status {
      direct_[size_t(roots_[buffer])] = true;
      for (ByteRange range : runs_[buffer]) {
        split(range.begin);
        auto it = segments_.lower_bound(range.begin);
        if (it != segments_.end() && it->first < range.end)
          return Status::error(text("program '", program_.name(), "': the ", constant ? "constant" : "input", " '",
                                    name(buffer), "' shares memory with another input, constant or parameter"));
        replace(range, {range.end, beforeStart, int64_t(buffer), constant, {}});
      }
      return Status::ok();
    };
    for (const planpb::Binding &input : program_.inputs())
      TW_TRY(place(input.buffer(), false));
    for (const planpb::Constant &constant : program_.constants())
      TW_TRY(place(constant.buffer(), true));
    return Status::ok();
  }

  uint32_t stream(int instruction) const { return program_.instructions(instruction).stream(); }
  bool finishedBefore(int earlier, int instruction) const {
    if (earlier == beforeStart || instruction < 0)
      return true;
    return clocks_[size_t(instruction)][stream(earlier)] >= earlier;
  }

  Status advanceClock(int i) {
    std::vector<int> clock(streams_, -1);
    auto last = last_.find(stream(i));
    if (last != last_.end())
      clock = clocks_[size_t(last->second)];
    for (uint32_t wait : program_.instructions(i).waits()) {
      if (wait >= uint32_t(i))
        return Status::error(text("it waits for instruction ", wait, ", which is not earlier"));
      for (uint32_t s = 0; s < streams_; ++s)
        clock[s] = std::max(clock[s], clocks_[wait][s]);
    }
    clock[stream(i)] = i;
    clocks_.push_back(std::move(clock));
    last_[stream(i)] = i;
    return Status::ok();
  }

  // True when bytes last written as `writer` may be read as `reader`.
  bool sees(int reader, int64_t writer) const {
    if (writer == anyBuffer)
      return true;
    if (writer == workspace)
      return false;
    if (writer == reader || roots_[size_t(writer)] == roots_[size_t(reader)])
      return true;
    if (!direct_[size_t(roots_[size_t(reader)])])
      return true; // never written itself: a view that the plan did not mark
    // A strided part of the reader's buffer, such as the inside of a padded tensor.
    ByteRange whole = bufferHull(program_.buffers(reader)), part = bufferHull(program_.buffers(int(writer)));
    return program_.buffers(int(writer)).strides_size() > 0 && whole.begin <= part.begin && part.end <= whole.end;
  }

  Status read(int buffer, int instruction) {
    for (ByteRange range : runs_[size_t(buffer)]) {
      uint64_t position = range.begin;
      for (auto it = std::prev(segments_.upper_bound(range.begin),
                               !segments_.empty() && segments_.begin()->first <= range.begin ? 1 : 0);
           it != segments_.end() && position < range.end; ++it) {
        if (it->second.end <= position)
          continue;
        if (it->first > position)
          break;
        if (!sees(buffer, it->second.buffer))
          return clobbered(buffer, it->second);
        if (!finishedBefore(it->second.writer, instruction))
          return Status::error(text("it reads '", name(buffer), "' without waiting for instruction ", it->second.writer,
                                    ", which writes it on another stream"));
        noteReader(it->second, instruction);
        position = it->second.end;
      }
      if (position < range.end && exact_[size_t(buffer)])
        return Status::error(
            text("it reads '", name(buffer), "' (buffer ", buffer, "), which nothing has written before"));
    }
    return Status::ok();
  }

  Status clobbered(int buffer, const Segment &segment) const {
    std::string by = segment.buffer == workspace ? "a workspace" : text("'", name(segment.buffer), "'");
    std::string where = segment.writer == beforeStart ? "" : text(" (instruction ", segment.writer, ")");
    return Status::error(text("it reads '", name(buffer), "' (buffer ", buffer, "), whose memory ", by, where,
                              " has overwritten: two live buffers share memory"));
  }

  void noteReader(Segment &segment, int instruction) {
    if (instruction < 0)
      return;
    for (int &reader : segment.readers)
      if (stream(reader) == stream(instruction)) {
        reader = instruction;
        return;
      }
    segment.readers.push_back(instruction);
  }

  Status write(ByteRange range, int64_t buffer, int instruction) {
    split(range.begin);
    split(range.end);
    for (auto it = segments_.lower_bound(range.begin); it != segments_.end() && it->first < range.end; ++it) {
      if (it->second.constant)
        return Status::error(text("it overwrites the constant '", name(it->second.buffer), "'"));
      std::vector<int> others = it->second.readers;
      others.push_back(it->second.writer);
      for (int other : others)
        if (!finishedBefore(other, instruction))
          return Status::error(
              text("it overwrites memory that instruction ", other, " on another stream uses, without waiting for it"));
    }
    replace(range, {range.end, instruction, buffer, false, {}});
    return Status::ok();
  }

  Status step(int i) {
    TW_TRY(advanceClock(i));
    const planpb::Instruction &instruction = program_.instructions(i);
    Access access = instructionAccess(instruction);
    for (uint32_t buffer : access.reads)
      TW_TRY(read(int(buffer), i));
    if (instruction.has_kernel() && instruction.kernel().workspace_bytes() > 0) {
      uint64_t begin = instruction.kernel().workspace_offset();
      TW_TRY(write({begin, begin + instruction.kernel().workspace_bytes()}, workspace, i));
    }
    for (uint32_t buffer : access.writes) {
      bool parameter = program_.buffers(int(buffer)).offset() < program_.parameter_bytes();
      direct_[size_t(roots_[buffer])] = true;
      for (ByteRange range : runs_[buffer])
        TW_TRY(write(range, parameter || !exact_[buffer] ? anyBuffer : int64_t(buffer), i));
    }
    return Status::ok();
  }

  const planpb::Plan &plan_;
  const planpb::Program &program_;
  uint32_t streams_ = 1;
  std::vector<std::vector<ByteRange>> runs_;
  std::vector<bool> exact_;
  std::vector<int> roots_;
  std::vector<bool> direct_; // by root: some instruction, input or constant wrote it
  std::map<uint64_t, Segment> segments_;
  std::vector<std::vector<int>> clocks_;
  std::map<uint32_t, int> last_;
};

} // namespace

Status verifyDataFlow(const planpb::Plan &plan, const planpb::Program &program) {
  return DataFlow(plan, program).run();
}

} // namespace tw::rt
