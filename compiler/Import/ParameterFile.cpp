#include "compiler/Import/ParameterFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace tw::import {

static Type safetensorsElement(StringRef name, MLIRContext *context) {
  Builder builder(context);
  if (name == "F32")
    return builder.getF32Type();
  if (name == "F64")
    return builder.getF64Type();
  if (name == "F16")
    return builder.getF16Type();
  if (name == "BF16")
    return builder.getBF16Type();
  return {};
}

/// Safetensors: eight bytes of little-endian header length, a JSON header, then the data that its offsets count from.
LogicalResult ParameterFile::readSafetensors() {
  auto refuse = [&](const Twine &why) -> LogicalResult {
    return emitError(location, "'") << path << "' is not a safetensors file: " << why;
  };
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return emitError(location, "cannot read '") << path << "': " << buffer.getError().message();
  StringRef data = (*buffer)->getBuffer();
  uint64_t size = data.size() < 8 ? 0 : llvm::support::endian::read64le(data.data());
  if (size == 0 || size > data.size() - 8)
    return refuse("its header is truncated");
  auto header = llvm::json::parse(data.substr(8, size));
  if (!header)
    return refuse(llvm::toString(header.takeError()));
  const llvm::json::Object *object = header->getAsObject();
  if (!object)
    return refuse("its header is not an object");
  for (const auto &[name, value] : *object) {
    const llvm::json::Object *tensor = value.getAsObject();
    const llvm::json::Array *shape = tensor ? tensor->getArray("shape") : nullptr;
    const llvm::json::Array *offsets = tensor ? tensor->getArray("data_offsets") : nullptr;
    auto dtype = tensor ? tensor->getString("dtype") : std::nullopt;
    Type element = dtype ? safetensorsElement(*dtype, location.getContext()) : Type();
    if (!shape || !offsets || offsets->size() != 2 || !element)
      continue;
    SmallVector<int64_t> dims;
    for (const llvm::json::Value &dim : *shape)
      dims.push_back(std::max<int64_t>(0, dim.getAsInteger().value_or(0)));
    int64_t begin = (*offsets)[0].getAsInteger().value_or(-1), end = (*offsets)[1].getAsInteger().value_or(-1);
    int64_t available = data.size() - 8 - size;
    if (begin < 0 || end < begin || end > available)
      return refuse("the data of '" + name.str() + "' lie outside of the file");
    Entry entry{RankedTensorType::get(dims, element), {path, static_cast<int64_t>(8 + size) + begin, end - begin}};
    entries[name.str()] = entry;
  }
  return success();
}

LogicalResult ParameterFile::readModel() {
  auto model = ModelFile::open(path, Weights::Mapped, location.getContext());
  if (failed(model))
    return failure();
  for (const auto &tensor : (*model)->model().graph().initializer()) {
    auto type = (*model)->typeOf(tensor);
    auto range = failed(type) ? FailureOr<std::optional<FileRange>>(failure()) : (*model)->rangeOf(tensor);
    if (failed(range))
      return failure();
    if (*range)
      entries[tensor.name()] = {*type, **range};
  }
  return success();
}

static std::string normalized(StringRef name) {
  std::string result = name.str();
  for (char &c : result)
    c = c == '.' || c == '/' ? '_' : llvm::toLower(c);
  return result;
}

FailureOr<std::string> ParameterFile::nameFor(StringRef input) const {
  if (entries.count(input.str()))
    return input.str();
  std::string wanted = normalized(input), found;
  for (const auto &[candidate, entry] : entries) {
    if (!StringRef(wanted).ends_with(normalized(candidate)) || candidate.size() < found.size())
      continue;
    if (candidate.size() == found.size())
      return emitError(location, "input '")
             << input << "' could be '" << found << "' or '" << candidate << "' of '" << path << "': name one";
    found = candidate;
  }
  if (found.empty())
    return emitError(location, "no tensor of '") << path << "' is named like input '" << input << "'";
  return found;
}

FailureOr<FileRange> ParameterFile::find(StringRef input, RankedTensorType type, StringRef name) const {
  FailureOr<std::string> chosen = name.empty() ? nameFor(input) : FailureOr<std::string>(name.str());
  if (failed(chosen))
    return failure();
  auto entry = entries.find(*chosen);
  if (entry == entries.end())
    return emitError(location, "'") << path << "' has no tensor '" << *chosen << "', which input '" << input
                                    << "' is to take its value from";
  if (entry->second.type != type)
    return emitError(location, "tensor '") << *chosen << "' of '" << path << "' is " << entry->second.type
                                           << ", but input '" << input << "' is " << type;
  return entry->second.range;
}

FailureOr<ParameterFile> ParameterFile::read(StringRef path, Location location) {
  ParameterFile file(path, location);
  bool isModel = llvm::sys::path::extension(path) == ".onnx";
  if (failed(isModel ? file.readModel() : file.readSafetensors()))
    return failure();
  return file;
}

} // namespace tw::import
