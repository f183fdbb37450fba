#include "runtime/plan/LoadPlan.h"
#include "runtime/base/Sha256.h"
#include "runtime/base/Text.h"
#include "runtime/plan/Payload.h"

#include <climits>

namespace tw::rt {

Expected<planpb::Plan> parsePlan(const void *data, size_t size, const std::string &name) {
  planpb::Plan plan;
  if (size == 0 || size > INT_MAX || !plan.ParseFromArray(data, int(size)))
    return Status::error(text("'", name, "' is neither a plan nor an executable that carries one"));
  if (plan.format_version() != planFormatVersion)
    return Status::error(text("the plan in '", name, "' has format version ", plan.format_version(),
                              ", this program reads version ", planFormatVersion, "; compile it again"));
  return plan;
}

Expected<LoadedPlan> loadPlanFile(const std::string &path) {
  LoadedPlan loaded;
  TW_ASSIGN(file, MappedFile::open(path));
  TW_ASSIGN(payload, readPayload(file));
  const uint8_t *data = file.data();
  size_t size = file.size();
  if (payload) {
    data += payload->planOffset;
    size = payload->planLength;
    loaded.weightsOffset_ = payload->weightsOffset;
    loaded.weightsLength_ = payload->weightsLength;
  }
  TW_ASSIGN(plan, parsePlan(data, size, path));
  loaded.plan = std::move(plan);
  loaded.container_ = std::move(file);
  return loaded;
}

Expected<LoadedPlan::Bytes> LoadedPlan::bytes(const planpb::FileRange &range) {
  std::string path = int(range.file()) < plan.weight_files_size() ? plan.weight_files(int(range.file())) : "";
  if (range.file() != 0 && int(range.file()) >= plan.weight_files_size())
    return Status::error(text("the plan names weight file ", range.file(), " of ", plan.weight_files_size()));
  const uint8_t *data = container_.data() ? container_.data() + weightsOffset_ : nullptr;
  uint64_t size = weightsLength_;
  if (!path.empty()) {
    std::lock_guard<std::mutex> lock(*mutex_);
    auto found = files_.find(range.file());
    if (found == files_.end()) {
      TW_ASSIGN(file, MappedFile::open(path));
      found = files_.emplace(range.file(), std::move(file)).first;
    }
    data = found->second.data();
    size = found->second.size();
  }
  if (range.offset() > size || range.length() > size - range.offset())
    return Status::error(text("the weights at offset ", range.offset(), ", ", range.length(), " bytes, lie outside '",
                              path.empty() ? container_.path() : path, "', which holds ", size,
                              " bytes of them; has the file changed since the program was compiled?"));
  return Bytes{data + range.offset(), range.length()};
}

LoadedPlan makeLoadedPlan(planpb::Plan plan) {
  LoadedPlan loaded;
  loaded.plan = std::move(plan);
  return loaded;
}

void LoadedPlan::releaseWeights() const {
  std::lock_guard<std::mutex> lock(*mutex_);
  container_.release();
  for (auto &[index, file] : files_)
    file.release();
}

const planpb::Program *findProgram(const planpb::Plan &plan, const std::string &name, uint32_t rank) {
  for (const planpb::Program &program : plan.programs())
    if (program.name() == name && program.rank() == rank)
      return &program;
  return nullptr;
}

uint64_t worldSize(const planpb::Plan &plan) {
  uint64_t size = 1;
  for (uint64_t extent : {plan.mesh().data(), plan.mesh().tensor(), plan.mesh().pipeline()}) {
    size *= extent == 0 ? 1 : extent;
    if (size > maximumWorldSize)
      return maximumWorldSize + 1; // the verifier refuses it; the product must not wrap
  }
  return size;
}

std::string parametersFingerprint(const planpb::Plan &plan) {
  Sha256 hash;
  auto number = [&](uint64_t value, int bytes) {
    uint8_t out[8];
    for (int i = 0; i < bytes; ++i)
      out[i] = uint8_t(value >> (8 * i));
    hash.update(out, size_t(bytes));
  };
  for (const planpb::Parameter &parameter : plan.parameters()) {
    hash.update(parameter.name().c_str(), parameter.name().size() + 1);
    number(uint64_t(parameter.type()), 4);
    number(uint64_t(parameter.shape_size()), 4);
    for (int64_t extent : parameter.shape())
      number(uint64_t(extent), 8);
  }
  Digest digest = hash.finish();
  return std::string(digest.begin(), digest.end());
}

} // namespace tw::rt
