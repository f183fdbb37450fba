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

/// Bytes of the arena that are needed from instruction `first` to `last`, as the compiler planned them.
struct Lifetime {
  uint64_t bytes;
  int64_t first, last;
  int kind;
  std::string name, node;
};

uint64_t aligned(uint64_t bytes) {
  return (bytes + 63) / 64 * 64;
}

int parameterKind(planpb::Role role) {
  return role == planpb::OPTIMIZER ? planpb::OPTIMIZER_STATE
         : role == planpb::COUNTER ? planpb::SCALAR
                                   : planpb::WEIGHT;
}

/// Parameters and constants, which are always needed, the pieces that buffers name, and kernels' workspaces.
std::vector<Lifetime> lifetimesOf(const planpb::Plan &plan, const planpb::Program &program) {
  std::vector<Lifetime> all;
  int64_t end = program.instructions_size() + 1;
  for (const planpb::Parameter &parameter : plan.parameters()) {
    uint64_t bytes = uint64_t(elementCount(parameter.shape())) * typeSize(parameter.type());
    all.push_back({aligned(bytes), -1, end, parameterKind(parameter.role()), parameter.name(), ""});
  }
  for (const planpb::Constant &constant : program.constants()) {
    const planpb::Buffer &buffer = program.buffers(int(constant.buffer()));
    all.push_back({aligned(bufferBytes(buffer)), -1, end, planpb::CONSTANT, buffer.name(), buffer.node()});
  }
  for (const planpb::Buffer &buffer : program.buffers())
    if (buffer.has_piece())
      all.push_back({aligned(buffer.piece().bytes()), buffer.piece().first(), std::min(buffer.piece().last(), end),
                     buffer.kind(), buffer.name(), buffer.node()});
  for (int i = 0; i < program.instructions_size(); ++i) {
    const planpb::Instruction &instruction = program.instructions(i);
    if (instruction.has_kernel() && instruction.kernel().workspace_bytes() > 0)
      all.push_back({aligned(instruction.kernel().workspace_bytes()), i, i, planpb::WORKSPACE,
                     "workspace of " + instruction.kernel().name(), instruction.node()});
  }
  return all;
}

/// The instruction at which most bytes are needed: -1 is before the first one.
int64_t findPeak(const std::vector<Lifetime> &all, int64_t count) {
  std::vector<int64_t> change(size_t(count) + 4, 0);
  for (const Lifetime &life : all) {
    change[size_t(std::min(life.first, count + 1) + 1)] += int64_t(life.bytes);
    change[size_t(life.last + 2)] -= int64_t(life.bytes);
  }
  int64_t sum = 0, largest = 0, at = -1;
  for (int64_t i = -1; i <= count + 1; ++i) {
    sum += change[size_t(i + 1)];
    if (sum > largest) {
      largest = sum;
      at = i;
    }
  }
  return at;
}

void printKinds(const std::vector<Lifetime> &alive, uint64_t bound) {
  std::map<int, uint64_t> byKind;
  uint64_t rest = bound;
  for (const Lifetime &life : alive) {
    byKind[life.kind] += life.bytes;
    rest -= std::min(rest, life.bytes);
  }
  if (rest > 0)
    byKind[planpb::KIND_INVALID] = rest; // constants of the plan's other programs, which keep their places here
  for (auto [kind, bytes] : byKind)
    printf("  %-14s %14llu bytes  %s\n", kindName(kind), (unsigned long long)bytes, bytesText(double(bytes)).c_str());
}

void printLargest(std::vector<Lifetime> alive, int top) {
  std::stable_sort(alive.begin(), alive.end(), [](const Lifetime &a, const Lifetime &b) { return a.bytes > b.bytes; });
  for (int i = 0; i < int(alive.size()) && i < top; ++i) {
    const Lifetime &life = alive[size_t(i)];
    printf("  %14llu  %-13s %s%s%s\n", (unsigned long long)life.bytes, kindName(life.kind), life.name.c_str(),
           life.node.empty() ? "" : "  node ", life.node.c_str());
  }
}

void printProgram(const planpb::Plan &plan, const planpb::Program &program, int top) {
  uint64_t arena = program.arena_bytes(), bound = program.lower_bound_bytes();
  printf("program '%s' of rank %u\n", program.name().c_str(), program.rank());
  printf("  arena          %14llu bytes  %s\n", (unsigned long long)arena, bytesText(double(arena)).c_str());
  uint64_t staging = stagingBytes(program);
  printf("  staging        %14llu bytes  %s, the next inputs beside the arena\n", (unsigned long long)staging,
         bytesText(double(staging)).c_str());
  printf("  planned        %14llu bytes  %s\n", (unsigned long long)(arena + staging),
         bytesText(double(arena + staging)).c_str());
  if (bound == 0) {
    printf("  the plan does not say what is alive when: its compiler was an older one\n");
    return;
  }
  printf("  alive at peak  %14llu bytes  arena / peak = %.3f\n", (unsigned long long)bound,
         double(arena) / double(bound));
  std::vector<Lifetime> all = lifetimesOf(plan, program), alive;
  int64_t peak = findPeak(all, program.instructions_size());
  for (const Lifetime &life : all)
    if (life.first <= peak && peak <= life.last)
      alive.push_back(life);
  if (peak >= 0 && peak < program.instructions_size())
    printf("  peak at        %s\n", instructionPlace(program, int(peak)).c_str());
  printf("alive at the peak, by kind:\n");
  printKinds(alive, bound);
  printf("largest tensors alive at the peak:\n");
  printLargest(alive, top);
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
