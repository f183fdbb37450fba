// Plans from bytes, from a plan file, or from the payload of an executable.
#ifndef TW_RUNTIME_PLAN_LOADPLAN_H
#define TW_RUNTIME_PLAN_LOADPLAN_H

#include "kernels/abi/plan.pb.h"
#include "runtime/base/MappedFile.h"
#include "runtime/base/Status.h"
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace tw::rt {

constexpr uint32_t planFormatVersion = 1;
constexpr uint64_t maximumWorldSize = 65536;

/// A plan and the mapped files that its sources refer to.
class LoadedPlan {
public:
  planpb::Plan plan;

  /// The bytes of a range, mapped; checked against the file's length. Safe to call from several threads.
  struct Bytes {
    const uint8_t *data;
    uint64_t size;
  };
  Expected<Bytes> bytes(const planpb::FileRange &range);
  /// Drops the pages of all weight files from resident memory.
  void releaseWeights() const;

private:
  friend Expected<LoadedPlan> loadPlanFile(const std::string &path);
  MappedFile container_; // what the plan came in: weights of an executable are there
  uint64_t weightsOffset_ = 0, weightsLength_ = 0;
  std::map<uint32_t, MappedFile> files_;
  std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();
};

/// A plan built in memory; its sources may name weight files only.
LoadedPlan makeLoadedPlan(planpb::Plan plan);
/// Reads a plan file or an executable with a payload, whichever `path` is.
Expected<LoadedPlan> loadPlanFile(const std::string &path);
/// Reads a plan's Protobuf bytes.
Expected<planpb::Plan> parsePlan(const void *data, size_t size, const std::string &name);

/// The program `name` of `rank`, or null.
const planpb::Program *findProgram(const planpb::Plan &plan, const std::string &name, uint32_t rank);
/// data * tensor * pipeline, an absent axis counting as 1.
uint64_t worldSize(const planpb::Plan &plan);
/// The SHA-256 over names, types and shapes of the parameters that `Plan.model_fingerprint` holds:
/// for each parameter its name, a zero byte, its type and rank as u32 and its extents as i64, little-endian.
std::string parametersFingerprint(const planpb::Plan &plan);

} // namespace tw::rt
#endif
