#include "tools/twc/Payload.h"

#include "runtime/base/AtomicFile.h"
#include "runtime/plan/Payload.h"

#include <map>
#include <sys/stat.h>

namespace tw::twc {
namespace {

bool done(const rt::Status &status, std::string &message) {
  if (status.failed())
    message = status.message();
  return !status.failed();
}

/// Copies the ranges that parameters start from into the payload, each once, and points the plan at the copies.
class WeightCopier {
public:
  WeightCopier(rt::PayloadWriter &writer, const lower::EmittedPlan &emitted) : writer(writer), emitted(emitted) {}

  rt::Status copy(planpb::FileRange &range) {
    const std::string &path = emitted.plan.weight_files(int(range.file()));
    auto key = std::make_tuple(path, range.offset(), range.length());
    auto known = copies.find(key);
    if (known == copies.end()) {
      TW_ASSIGN(offset, append(path, range));
      known = copies.emplace(key, offset).first;
    }
    range.set_offset(known->second);
    return rt::Status::ok();
  }

private:
  rt::PayloadWriter &writer;
  const lower::EmittedPlan &emitted;
  std::map<std::tuple<std::string, uint64_t, uint64_t>, uint64_t> copies;
  std::map<std::string, rt::MappedFile> files;

  rt::Expected<uint64_t> append(const std::string &path, const planpb::FileRange &range) {
    if (path.empty())
      return writer.addWeights(emitted.ownWeights.data() + range.offset(), range.length());
    if (!files.count(path)) {
      TW_ASSIGN(file, rt::MappedFile::open(path));
      files.emplace(path, std::move(file));
    }
    const rt::MappedFile &file = files.find(path)->second;
    if (range.offset() > file.size() || range.length() > file.size() - range.offset())
      return rt::Status::error("the file '" + path + "' became shorter while it was read");
    return writer.addWeights(file.data() + range.offset(), range.length());
  }
};

rt::Status write(const std::string &path, const std::string &image, lower::EmittedPlan &emitted, bool reference) {
  TW_ASSIGN(source, rt::MappedFile::open(image));
  TW_ASSIGN(file, rt::AtomicFile::create(path));
  TW_TRY(file.write(source.data(), source.size()));
  rt::PayloadWriter writer([&](const void *data, size_t size) { return file.write(data, size); }, source.size());
  WeightCopier copier(writer, emitted);
  planpb::Plan plan = emitted.plan;
  bool copied = false;
  uint32_t own = 0;
  if (reference)
    while (int(own) < plan.weight_files_size() && !plan.weight_files(int(own)).empty())
      ++own;
  for (planpb::Parameter &parameter : *plan.mutable_parameters()) {
    planpb::Source &value = *parameter.mutable_source();
    if (value.kind_case() == planpb::Source::kFile &&
        (!reference || plan.weight_files(int(value.file().file())).empty())) {
      TW_TRY(copier.copy(*value.mutable_file()));
      value.mutable_file()->set_file(own);
      copied = true;
    }
  }
  if (!reference)
    plan.clear_weight_files();
  if (copied && int(own) >= plan.weight_files_size())
    plan.add_weight_files("");
  TW_TRY(writer.finish(plan.SerializeAsString()));
  TW_TRY(file.commit());
  if (::chmod(path.c_str(), 0755) != 0)
    return rt::Status::error("cannot make '" + path + "' executable");
  return rt::Status::ok();
}
} // namespace

bool writeBytes(const std::string &path, llvm::StringRef bytes, std::string &message) {
  return done(rt::writeFileAtomically(path, bytes.str()), message);
}

bool writePlan(const std::string &path, lower::EmittedPlan &emitted, std::string &message) {
  std::string weights = path + ".weights";
  if (!emitted.ownWeights.empty() && !writeBytes(weights, emitted.ownWeights, message))
    return false;
  planpb::Plan plan = emitted.plan;
  for (std::string &file : *plan.mutable_weight_files())
    if (file.empty())
      file = weights;
  return writeBytes(path, plan.SerializeAsString(), message);
}

bool writeExecutable(const std::string &path, const std::string &image, lower::EmittedPlan &emitted, bool reference,
                     std::string &message) {
  return done(write(path, image, emitted, reference), message);
}

} // namespace tw::twc
