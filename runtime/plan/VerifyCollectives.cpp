// C7: runs the collectives of all ranks against each other. A send is taken to block until its receive is reached, the
// strictest reading, so a program that passes cannot deadlock under any transport.
#include "runtime/base/Text.h"
#include "runtime/base/Types.h"
#include "runtime/plan/Access.h"
#include "runtime/plan/LoadPlan.h"
#include "runtime/plan/VerifyPlan.h"

#include <algorithm>
#include <set>

namespace tw::rt {

namespace {

using C = planpb::Collective;

struct Rank {
  const planpb::Program *program = nullptr;
  std::vector<int> collectives; // instruction indices
  size_t next = 0;
  bool done() const { return next == collectives.size(); }
  const C &head() const { return program->instructions(collectives[next]).collective(); }
  std::string place() const { return instructionPlace(*program, collectives[next]); }
};

int64_t elements(const planpb::Program &program, const google::protobuf::RepeatedField<uint32_t> &list) {
  int64_t count = 0;
  for (uint32_t index : list)
    count += elementCount(program.buffers(int(index)).shape());
  return count;
}

// What must agree among the members: operation, type, elements, reduction and root.
std::string signature(const Rank &rank) {
  const C &call = rank.head();
  const auto &list = call.inputs_size() ? call.inputs() : call.outputs();
  std::string result = text(typeName(rank.program->buffers(int(list[0])).type()), " x ", elements(*rank.program, list));
  if (call.operation() == C::SEND || call.operation() == C::RECEIVE)
    return result;
  result = text(C::Operation_Name(call.operation()), " of ", result);
  if (call.operation() == C::ALL_REDUCE || call.operation() == C::REDUCE_SCATTER)
    result += text(", ", C::Reduction_Name(call.reduction()));
  if (call.operation() == C::BROADCAST)
    result =
        text(C::Operation_Name(call.operation()), " of ", typeName(rank.program->buffers(int(call.outputs(0))).type()),
             " x ", elements(*rank.program, call.outputs()), " from ", call.peer());
  return result;
}

std::vector<uint32_t> members(const C &call, size_t world) {
  if (call.operation() == C::SEND || call.operation() == C::RECEIVE)
    return {call.peer()};
  std::vector<uint32_t> group(call.group().begin(), call.group().end());
  if (group.empty())
    for (uint32_t rank = 0; rank < world; ++rank)
      group.push_back(rank);
  return group;
}

class Matcher {
public:
  Matcher(const planpb::Plan &plan, const std::string &name) : ranks_(worldSize(plan)), name_(name) {
    for (const planpb::Program &program : plan.programs()) {
      if (program.name() != name)
        continue;
      Rank &rank = ranks_[program.rank()];
      rank.program = &program;
      for (int i = 0; i < program.instructions_size(); ++i)
        if (program.instructions(i).has_collective())
          rank.collectives.push_back(i);
    }
  }

  Status run() {
    for (size_t r = 0; r < ranks_.size(); ++r)
      if (!ranks_[r].program)
        return Status::error(text("the plan has no program '", name_, "' for rank ", r, " of ", ranks_.size()));
    for (bool moved = true; moved;) {
      moved = false;
      for (uint32_t r = 0; r < ranks_.size(); ++r)
        while (!ranks_[r].done()) {
          TW_ASSIGN(ready, advance(r));
          if (!ready)
            break;
          moved = true;
        }
    }
    for (const Rank &rank : ranks_)
      if (!rank.done())
        return Status::error(text(rank.place(), " never meets its partners: all ranks would wait forever"));
    return Status::ok();
  }

private:
  // Passes the head of rank `r` when all its partners have reached it.
  Expected<bool> advance(uint32_t r) {
    const C call = ranks_[r].head();
    bool pair = call.operation() == C::SEND || call.operation() == C::RECEIVE;
    std::vector<uint32_t> partners = members(call, ranks_.size());
    for (uint32_t partner : partners) {
      if (partner == r)
        continue;
      if (ranks_[partner].done())
        return Status::error(text(ranks_[r].place(), " finds no partner: rank ", partner, " has no collective left"));
      const C &other = ranks_[partner].head();
      bool otherPair = other.operation() == C::SEND || other.operation() == C::RECEIVE;
      bool meets = pair ? otherPair && other.peer() == r && other.operation() != call.operation()
                        : !otherPair && members(other, ranks_.size()) == partners;
      if (!meets)
        return false;
      if (signature(ranks_[r]) != signature(ranks_[partner]))
        return Status::error(text(ranks_[r].place(), " is ", signature(ranks_[r]), ", but its partner on rank ",
                                  partner, " (instruction ", ranks_[partner].collectives[ranks_[partner].next], ") is ",
                                  signature(ranks_[partner])));
    }
    for (uint32_t partner : partners)
      if (partner != r)
        ++ranks_[partner].next;
    ++ranks_[r].next;
    return true;
  }

  std::vector<Rank> ranks_;
  std::string name_;
};

} // namespace

Status verifyCollectives(const planpb::Plan &plan) {
  std::set<std::string> names;
  for (const planpb::Program &program : plan.programs())
    if (names.insert(program.name()).second)
      TW_TRY(Matcher(plan, program.name()).run());
  return Status::ok();
}

} // namespace tw::rt
