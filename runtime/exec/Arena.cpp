#include "runtime/exec/Arena.h"
#include "runtime/base/Text.h"
#include "runtime/base/Types.h"
#include "runtime/plan/Access.h"

#include <algorithm>
#include <map>
#include <set>

namespace tw::rt {

static constexpr size_t chunkBytes = 1 << 16;

Status fillElements(Device &device, uint64_t offset, int type, int64_t count, double value) {
  size_t size = typeSize(type), perChunk = chunkBytes / size;
  std::vector<char> chunk(std::min<size_t>(perChunk, size_t(count)) * size);
  for (size_t i = 0; i < chunk.size() / size; ++i)
    storeNumber(type, chunk.data(), i, value);
  for (int64_t at = 0; at < count; at += int64_t(perChunk)) {
    size_t part = std::min(perChunk, size_t(count - at));
    TW_TRY(device.upload(offset + uint64_t(at) * size, chunk.data(), part * size));
  }
  return Status::ok();
}

static Status uploadFile(LoadedPlan &loaded, Device &device, const planpb::FileRange &range, uint64_t offset) {
  TW_ASSIGN(bytes, loaded.bytes(range));
  // Weight files may be large: their pages are dropped as the copy goes on.
  constexpr uint64_t part = uint64_t(16) << 20;
  for (uint64_t at = 0; at < bytes.size; at += part) {
    TW_TRY(device.upload(offset + at, bytes.data + at, size_t(std::min(part, bytes.size - at))));
    loaded.releaseWeights();
  }
  return Status::ok();
}

// A copy may change the type: a 32-bit master of a 16-bit weight.
static Status copyParameter(Device &device, const planpb::Parameter &from, const planpb::Parameter &to) {
  int64_t count = elementCount(to.shape());
  if (count != elementCount(from.shape()))
    return Status::error(text("it has ", count, " elements, '", from.name(), "' has ", elementCount(from.shape())));
  constexpr int64_t perChunk = chunkBytes / 8;
  std::vector<char> in(chunkBytes), out(chunkBytes);
  size_t inSize = typeSize(from.type()), outSize = typeSize(to.type());
  for (int64_t at = 0; at < count; at += perChunk) {
    int64_t part = std::min(perChunk, count - at);
    TW_TRY(device.download(in.data(), from.offset() + uint64_t(at) * inSize, size_t(part) * inSize));
    if (from.type() == to.type())
      std::copy(in.begin(), in.begin() + part * int64_t(inSize), out.begin());
    else
      for (int64_t i = 0; i < part; ++i)
        storeNumber(to.type(), out.data(), size_t(i), loadNumber(from.type(), in.data(), size_t(i)));
    TW_TRY(device.upload(to.offset() + uint64_t(at) * outSize, out.data(), size_t(part) * outSize));
  }
  return Status::ok();
}

static Status initializeParameter(LoadedPlan &loaded, Device &device, const planpb::Parameter &parameter) {
  switch (parameter.source().kind_case()) {
  case planpb::Source::kFile:
    return uploadFile(loaded, device, parameter.source().file(), parameter.offset());
  case planpb::Source::kFill:
    return fillElements(device, parameter.offset(), parameter.type(), elementCount(parameter.shape()),
                        parameter.source().fill());
  default:
    return Status::error("it has no initial value: the program was compiled without weights; use --resume");
  }
}

Status initializeParameters(LoadedPlan &loaded, Device &device) {
  std::map<std::string, const planpb::Parameter *> done, copies;
  for (const planpb::Parameter &parameter : loaded.plan.parameters()) {
    if (parameter.source().kind_case() == planpb::Source::kCopyOf) {
      copies[parameter.name()] = &parameter;
      continue;
    }
    if (Status status = initializeParameter(loaded, device, parameter); status.failed())
      return std::move(status).in("parameter '" + parameter.name() + "'");
    done[parameter.name()] = &parameter;
  }
  for (bool moved = true; moved && !copies.empty();) {
    moved = false;
    for (auto it = copies.begin(); it != copies.end();) {
      auto source = done.find(it->second->source().copy_of());
      if (source == done.end()) {
        ++it;
        continue;
      }
      if (Status status = copyParameter(device, *source->second, *it->second); status.failed())
        return std::move(status).in("parameter '" + it->first + "'");
      done[it->first] = it->second;
      it = copies.erase(it);
      moved = true;
    }
  }
  if (!copies.empty())
    return Status::error("parameter '" + copies.begin()->first + "' is a copy of itself");
  return Status::ok();
}

Status uploadConstants(LoadedPlan &loaded, const planpb::Program &program, Device &device) {
  for (const planpb::Constant &constant : program.constants()) {
    const planpb::Buffer &buffer = program.buffers(int(constant.buffer()));
    Status status;
    if (constant.source().kind_case() == planpb::Source::kFile)
      status = uploadFile(loaded, device, constant.source().file(), buffer.offset());
    else if (constant.source().kind_case() == planpb::Source::kFill)
      status =
          fillElements(device, buffer.offset(), buffer.type(), elementCount(buffer.shape()), constant.source().fill());
    else
      status = device.upload(buffer.offset(), constant.data().data(), constant.data().size());
    if (status.failed())
      return std::move(status).in("constant '" + buffer.name() + "'");
  }
  return Status::ok();
}

} // namespace tw::rt
