#include "runtime/train/Checkpoint.h"
#include "runtime/base/Log.h"
#include "runtime/base/Sha256.h"
#include "runtime/base/Text.h"
#include "runtime/base/Types.h"
#include "runtime/plan/Access.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace tw::rt {

namespace fs = std::filesystem;
using nlohmann::json;

static constexpr uint64_t pieceBytes = uint64_t(1) << 20;

static Status sendRange(Device &device, uint64_t offset, uint64_t bytes, const TensorSource::Sink &sink) {
  if (device.hostVisible())
    return sink(device.base() + offset, bytes);
  std::vector<uint8_t> piece(std::min(bytes, pieceBytes));
  for (uint64_t at = 0; at < bytes; at += pieceBytes) {
    size_t part = size_t(std::min(pieceBytes, bytes - at));
    TW_TRY(device.download(piece.data(), offset + at, part));
    TW_TRY(sink(piece.data(), part));
  }
  return Status::ok();
}

TensorSource parameterSource(Session &session, const planpb::Parameter &parameter, const std::string &name) {
  TensorSource source;
  source.name = name;
  source.type = parameter.type();
  source.shape.assign(parameter.shape().begin(), parameter.shape().end());
  source.write = [&session, &parameter](const TensorSource::Sink &sink) {
    uint64_t bytes = uint64_t(elementCount(parameter.shape())) * typeSize(parameter.type());
    return sendRange(session.device(), parameter.offset(), bytes, sink);
  };
  return source;
}

TensorSource bufferSource(Session &session, const planpb::Buffer &buffer, const std::string &name) {
  TensorSource source;
  source.name = name;
  source.type = buffer.type();
  source.shape.assign(buffer.shape().begin(), buffer.shape().end());
  source.write = [&session, &buffer](const TensorSource::Sink &sink) -> Status {
    if (isContiguous(buffer))
      return sendRange(session.device(), buffer.offset(), bufferBytes(buffer), sink);
    std::vector<uint8_t> packed(bufferBytes(buffer));
    TW_TRY(session.download(buffer, packed.data()));
    return sink(packed.data(), packed.size());
  };
  return source;
}

std::string checkpointName(int64_t step) {
  char name[32];
  std::snprintf(name, sizeof name, "step-%06lld", static_cast<long long>(step));
  return name;
}

/// `checksum` is the CRC-32 of model.safetensors.
static std::string stateText(const planpb::Plan &plan, const TrainingState &state, uint32_t checksum) {
  json value = {{"format", 1},
                {"step", state.step},
                {"epoch", state.position.epoch},
                {"index", state.position.index},
                {"seed", state.seed},
                {"shuffle", state.shuffle},
                {"dataset_rows", state.datasetRows},
                {"model_crc32", checksum},
                {"model", plan.model_name()},
                {"model_fingerprint", hexText(plan.model_fingerprint().data(), plan.model_fingerprint().size())}};
  return value.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

static Status writeInto(Session &session, const TrainingState &state, const std::string &folder) {
  TW_TRY(makeFolders(folder));
  std::vector<TensorSource> tensors;
  for (const planpb::Parameter &parameter : session.plan().parameters())
    tensors.push_back(parameterSource(session, parameter, parameter.name()));
  uint32_t checksum = 0;
  TW_TRY(writeSafetensors(folder + "/model.safetensors", tensors, {{"format", "pt"}, {"producer", "trainwright"}},
                          &checksum));
  return writeFileAtomically(folder + "/state.json", stateText(session.plan(), state, checksum));
}

// Gives the finished folder its name; a checkpoint of the same step that was there gives way.
static Status publish(const std::string &temporary, const std::string &target) {
  std::error_code error;
  std::string old = target + ".old";
  fs::remove_all(old, error);
  bool replaced = fs::exists(target, error);
  if (replaced && ::rename(target.c_str(), old.c_str()) != 0)
    return Status::error(text("cannot replace '", target, "': ", systemError(errno)));
  if (::rename(temporary.c_str(), target.c_str()) != 0) {
    int number = errno;
    if (replaced && ::rename(old.c_str(), target.c_str()) != 0)
      logWarning(text("the earlier checkpoint is now '", old, "'"));
    return Status::error(text("cannot rename '", temporary, "' to '", target, "': ", systemError(number)));
  }
  fs::remove_all(old, error);
  return Status::ok();
}

static void removeOld(const std::string &folder, int keep) {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry &entry : fs::directory_iterator(folder, error)) {
    std::string name = entry.path().filename();
    bool digits = name.size() >= 11 && name.compare(0, 5, "step-") == 0 &&
                  name.find_first_not_of("0123456789", 5) == std::string::npos;
    if (digits)
      names.push_back(name);
  }
  std::sort(names.begin(), names.end(), [](const std::string &a, const std::string &b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  });
  for (size_t i = 0; i + size_t(keep) < names.size(); ++i)
    fs::remove_all(folder + "/" + names[i], error);
}

Status saveCheckpoint(Session &session, const TrainingState &state, const std::string &folder, int keep) {
  std::string name = checkpointName(state.step), target = folder + "/" + name;
  std::string temporary = folder + "/.tmp-" + name + "-" + std::to_string(::getpid());
  std::error_code error;
  Status status = writeInto(session, state, temporary);
  if (!status.failed())
    status = syncFolder(temporary);
  if (!status.failed())
    status = publish(temporary, target);
  if (status.failed()) {
    fs::remove_all(temporary, error);
    return std::move(status).in(text("checkpoint ", name, " is not saved, earlier ones are untouched"));
  }
  TW_TRY(syncFolder(folder));
  TW_TRY(writeFileAtomically(folder + "/latest", name + "\n"));
  if (keep > 0)
    removeOld(folder, keep);
  return Status::ok();
}

static Expected<std::string> findCheckpoint(const std::string &path) {
  std::error_code error;
  if (fs::exists(path + "/model.safetensors", error))
    return std::string(path);
  std::ifstream pointer(path + "/latest");
  std::string name;
  if (!std::getline(pointer, name) || name.empty() || name.find('/') != std::string::npos)
    return Status::error(text("'", path, "' holds no checkpoint: neither model.safetensors nor latest"));
  return path + "/" + name;
}

/// What state.json says. `checksum` is that of model.safetensors, -1 where an earlier version wrote none.
static Expected<TrainingState> readState(const std::string &path, int64_t &checksum) {
  std::ifstream file(path);
  json value = json::parse(file, nullptr, false);
  TrainingState state;
  auto whole = [&](const char *key) { return value.contains(key) && value[key].is_number_integer(); };
  if (!value.is_object() || !whole("step") || !whole("epoch") || !whole("index") || !whole("seed") ||
      !whole("dataset_rows") || !value.contains("shuffle") || !value["shuffle"].is_boolean())
    return Status::error(text("'", path, "' is not a checkpoint's state"));
  state.step = value["step"].get<int64_t>();
  state.position = {value["epoch"].get<int64_t>(), value["index"].get<int64_t>()};
  state.seed = value["seed"].get<uint64_t>();
  state.shuffle = value["shuffle"].get<bool>();
  state.datasetRows = value["dataset_rows"].get<int64_t>();
  checksum = whole("model_crc32") ? value["model_crc32"].get<int64_t>() : -1;
  constexpr int64_t most = int64_t(1) << 53; // far beyond any run, and sums of two cannot wrap
  for (int64_t number : {state.step, state.position.epoch, state.position.index, state.datasetRows})
    if (number < 0 || number > most)
      return Status::error(text("'", path, "' is not a checkpoint's state: it holds the number ", number));
  return state;
}

// The first difference between the checkpoint's tensors and the plan's parameters.
static Status compare(const planpb::Plan &plan, const SafetensorsFile &file, const std::string &path) {
  auto other = [&](const std::string &why) {
    return Status::error(text("'", path, "' is a checkpoint of another model: ", why,
                              "; resume it with the program that saved it, or start anew without --resume"));
  };
  std::vector<std::string> names;
  for (const planpb::Parameter &parameter : plan.parameters()) {
    names.push_back(parameter.name());
    auto found = file.tensors.find(parameter.name());
    if (found == file.tensors.end())
      return other(text("it has no tensor '", parameter.name(), "'"));
    std::vector<int64_t> shape(parameter.shape().begin(), parameter.shape().end());
    if (found->second.type != parameter.type() || found->second.shape != shape)
      return other(text("tensor '", parameter.name(), "' is ", typeName(found->second.type),
                        shapeText(found->second.shape), " there and ", typeName(parameter.type()), shapeText(shape),
                        " here"));
  }
  for (auto &[name, tensor] : file.tensors)
    if (std::find(names.begin(), names.end(), name) == names.end())
      return other(text("tensor '", name, "' is not part of this model"));
  return Status::ok();
}

Expected<TrainingState> loadCheckpoint(Session &session, const std::string &path) {
  TW_ASSIGN(folder, findCheckpoint(path));
  int64_t checksum = -1;
  TW_ASSIGN(state, readState(folder + "/state.json", checksum));
  auto opened = readSafetensors(folder + "/model.safetensors");
  if (opened.failed())
    return Status::error(opened.message() + "; resume an earlier checkpoint, or start anew without --resume");
  SafetensorsFile file = opened.take();
  TW_TRY(compare(session.plan(), file, folder));
  if (checksum >= 0 && checksum != crc32Of(file.file.data(), file.file.size()))
    return Status::error(text("'", file.file.path(), "' is damaged: its bytes are not those that were saved (CRC-32); ",
                              "resume an earlier checkpoint, or start anew without --resume"));
  for (const planpb::Parameter &parameter : session.plan().parameters()) {
    const SafetensorsFile::Tensor &tensor = file.tensors[parameter.name()];
    TW_TRY(session.device().upload(parameter.offset(), tensor.data, tensor.bytes));
    file.file.release();
  }
  return state;
}

} // namespace tw::rt
