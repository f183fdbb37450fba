#include "runtime/base/Text.h"
#include "runtime/base/Types.h"
#include "runtime/plan/Access.h"
#include "runtime/plan/VerifyPlan.h"
#include "tools/tw-plan/Commands.h"

#include <algorithm>
#include <cstdio>
#include <map>

namespace tw::planTool {

using namespace rt;

namespace {

const char *kindName(int kind) {
  static const char *const names[] = {"other",     "weights", "gradients",     "optimizer", "activations",
                                      "workspace", "inputs",  "communication", "constants", "scalars"};
  return kind >= 0 && kind < 10 ? names[kind] : names[0];
}

/// A range of the arena and the instructions [first, last] between which it must keep its bytes.
struct Lifetime {
  ByteRange range;
  int first, last;
  int kind;
  std::string name, node;
  uint64_t bytes() const { return range.end - range.begin; }
};

/// Lifetimes of everything in the arena, found from the instructions alone: a piece lives from the write that defines
/// it to the last read before the next whole overwrite. Views count as the buffer that defines their bytes.
class Lifetimes {
public:
  Lifetimes(const planpb::Plan &plan, const planpb::Program &program) : program_(program) {
    end_ = program.instructions_size();
    addParameters(plan);
    for (const planpb::Binding &binding : program.inputs())
      define(binding.buffer(), -1);
    for (const planpb::Constant &constant : program.constants())
      addWhole(program.buffers(int(constant.buffer())));
    for (int i = 0; i < end_; ++i)
      visit(program.instructions(i), i);
    for (const planpb::Binding &binding : program.outputs())
      touch(program.buffers(int(binding.buffer())), end_);
  }
  const std::vector<Lifetime> &all() const { return all_; }

private:
  void addParameters(const planpb::Plan &plan) {
    for (const planpb::Parameter &parameter : plan.parameters()) {
      uint64_t size = uint64_t(elementCount(parameter.shape())) * typeSize(parameter.type());
      bool optimizer = parameter.role() == planpb::OPTIMIZER;
      all_.push_back({{parameter.offset(), parameter.offset() + size},
                      -1,
                      end_,
                      optimizer ? planpb::OPTIMIZER_STATE : planpb::WEIGHT,
                      parameter.name(),
                      ""});
    }
  }

  void addWhole(const planpb::Buffer &buffer) {
    all_.push_back({bufferHull(buffer), -1, end_, buffer.kind(), buffer.name(), buffer.node()});
  }

  /// The youngest piece that holds the buffer's first byte, or -1.
  int owner(ByteRange hull) const {
    for (int i = int(all_.size()) - 1; i >= 0; --i)
      if (all_[size_t(i)].range.begin <= hull.begin && hull.end <= all_[size_t(i)].range.end)
        return i;
    return -1;
  }

  void define(uint32_t index, int at) {
    const planpb::Buffer &buffer = program_.buffers(int(index));
    all_.push_back({bufferHull(buffer), at, at, buffer.kind(), buffer.name(), buffer.node()});
  }

  void touch(const planpb::Buffer &buffer, int at) {
    ByteRange hull = bufferHull(buffer);
    for (size_t i = all_.size(); i-- > 0;) {
      Lifetime &piece = all_[i];
      if (piece.range.begin >= hull.end || hull.begin >= piece.range.end)
        continue;
      piece.last = std::max(piece.last, at);
      if (piece.range.begin <= hull.begin && hull.end <= piece.range.end)
        break;
    }
  }

  void visit(const planpb::Instruction &instruction, int at) {
    Access access = instructionAccess(instruction);
    for (uint32_t read : access.reads)
      touch(program_.buffers(int(read)), at);
    for (uint32_t write : access.writes)
      write_(write, at);
    if (instruction.has_kernel() && instruction.kernel().workspace_bytes() > 0) {
      uint64_t begin = instruction.kernel().workspace_offset();
      all_.push_back({{begin, begin + instruction.kernel().workspace_bytes()},
                      at,
                      at,
                      planpb::WORKSPACE,
                      "workspace of " + instruction.kernel().name(),
                      instruction.node()});
    }
  }

  void write_(uint32_t index, int at) {
    ByteRange hull = bufferHull(program_.buffers(int(index)));
    int holder = owner(hull);
    bool inPlace = holder >= 0 && all_[size_t(holder)].last >= at;
    bool part =
        holder >= 0 && (all_[size_t(holder)].range.begin != hull.begin || all_[size_t(holder)].range.end != hull.end);
    if (inPlace || (part && all_[size_t(holder)].first <= 0 && all_[size_t(holder)].last == end_))
      touch(program_.buffers(int(index)), at);
    else
      define(index, at);
  }

  const planpb::Program &program_;
  int end_ = 0;
  std::vector<Lifetime> all_;
};

struct Peak {
  uint64_t bytes = 0;
  int at = 0;
};

Peak findPeak(const std::vector<Lifetime> &all, int count) {
  std::vector<int64_t> change(size_t(count) + 3, 0);
  for (const Lifetime &life : all) {
    change[size_t(life.first + 1)] += int64_t(life.bytes());
    change[size_t(life.last + 2)] -= int64_t(life.bytes());
  }
  Peak peak;
  int64_t sum = 0;
  for (int i = 0; i <= count + 1; ++i) {
    sum += change[size_t(i)];
    if (uint64_t(sum) > peak.bytes)
      peak = {uint64_t(sum), i - 1};
  }
  return peak;
}

void printTable(const std::vector<Lifetime> &alive) {
  std::map<int, uint64_t> byKind;
  for (const Lifetime &life : alive)
    byKind[life.kind] += life.bytes();
  for (auto [kind, bytes] : byKind)
    printf("  %-14s %14llu bytes  %s\n", kindName(kind), (unsigned long long)bytes, bytesText(double(bytes)).c_str());
}

void printProgram(const planpb::Plan &plan, const planpb::Program &program, int top) {
  std::vector<Lifetime> all = Lifetimes(plan, program).all();
  Peak peak = findPeak(all, program.instructions_size());
  std::vector<Lifetime> alive;
  for (const Lifetime &life : all)
    if (life.first <= peak.at && peak.at <= life.last)
      alive.push_back(life);
  std::stable_sort(alive.begin(), alive.end(),
                   [](const Lifetime &a, const Lifetime &b) { return a.bytes() > b.bytes(); });
  printf("program '%s' of rank %u\n", program.name().c_str(), program.rank());
  printf("  arena          %14llu bytes  %s\n", (unsigned long long)program.arena_bytes(),
         bytesText(double(program.arena_bytes())).c_str());
  printf("  staging        %14llu bytes  %s, the next inputs beside the arena\n",
         (unsigned long long)stagingBytes(program), bytesText(double(stagingBytes(program))).c_str());
  printf("  planned        %14llu bytes  %s\n", (unsigned long long)(program.arena_bytes() + stagingBytes(program)),
         bytesText(double(program.arena_bytes() + stagingBytes(program))).c_str());
  printf("  alive at peak  %14llu bytes  arena / peak = %.3f\n", (unsigned long long)peak.bytes,
         peak.bytes ? double(program.arena_bytes()) / double(peak.bytes) : 1.0);
  if (peak.at >= 0 && peak.at < program.instructions_size())
    printf("  peak at        %s\n", instructionPlace(program, peak.at).c_str());
  printf("alive at the peak, by kind:\n");
  printTable(alive);
  printf("largest tensors alive at the peak:\n");
  for (int i = 0; i < int(alive.size()) && i < top; ++i)
    printf("  %14llu  %-13s %s%s%s\n", (unsigned long long)alive[size_t(i)].bytes(), kindName(alive[size_t(i)].kind),
           alive[size_t(i)].name.c_str(), alive[size_t(i)].node.empty() ? "" : "  node ",
           alive[size_t(i)].node.c_str());
}

} // namespace

Status memory(const LoadedPlan &loaded, const MemoryOptions &options) {
  TW_TRY(verifyPlan(loaded.plan));
  bool found = false;
  for (const planpb::Program &program : loaded.plan.programs()) {
    if (program.name() != options.program || (options.rank >= 0 && program.rank() != uint32_t(options.rank)))
      continue;
    printf("%s", found ? "\n" : "");
    found = true;
    printProgram(loaded.plan, program, options.top);
  }
  if (!found)
    return Status::error(text("the plan has no program '", options.program, "'",
                              options.rank >= 0 ? text(" for rank ", options.rank) : std::string(), "; it has ",
                              worldSize(loaded.plan), " ranks"));
  return Status::ok();
}

} // namespace tw::planTool
