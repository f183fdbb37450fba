#include "runtime/train/Safetensors.h"
#include "runtime/base/Text.h"
#include "runtime/base/Types.h"

#include <nlohmann/json.hpp>
#include <zlib.h>

namespace tw::rt {

using nlohmann::json;

static constexpr std::pair<const char *, int> typeNames[] = {
    {"F32", TW_F32}, {"F64", TW_F64}, {"F16", TW_F16}, {"BF16", TW_BF16}, {"I8", TW_I8},
    {"I16", TW_I16}, {"I32", TW_I32}, {"I64", TW_I64}, {"BOOL", TW_BOOL}, {"U8", TW_U8}};

static uint64_t bytesOf(int type, const std::vector<int64_t> &shape) {
  return uint64_t(elementCount(shape)) * typeSize(type);
}

static std::string makeHeader(const std::vector<TensorSource> &tensors,
                              const std::map<std::string, std::string> &metadata) {
  json header = json::object();
  if (!metadata.empty())
    header["__metadata__"] = metadata;
  uint64_t at = 0;
  for (const TensorSource &tensor : tensors) {
    uint64_t end = at + bytesOf(tensor.type, tensor.shape);
    const char *type = "";
    for (auto &[name, value] : typeNames)
      if (value == tensor.type)
        type = name;
    header[tensor.name] = {{"dtype", type}, {"shape", tensor.shape}, {"data_offsets", {at, end}}};
    at = end;
  }
  // Names from ONNX files may hold any bytes: those that are not UTF-8 are replaced rather than thrown about.
  std::string bytes = header.dump(-1, ' ', false, json::error_handler_t::replace);
  bytes.resize((bytes.size() + 7) / 8 * 8, ' '); // so that the tensors start at a multiple of 8
  return bytes;
}

uint32_t crc32Of(const void *data, size_t size, uint32_t before) {
  return uint32_t(::crc32_z(before, static_cast<const Bytef *>(data), size));
}

Status writeSafetensors(const std::string &path, const std::vector<TensorSource> &tensors,
                        const std::map<std::string, std::string> &metadata, uint32_t *checksum) {
  TW_ASSIGN(file, AtomicFile::create(path));
  uint32_t sum = 0;
  auto write = [&](const void *data, size_t size) {
    sum = crc32Of(data, size, sum);
    return file.write(data, size);
  };
  std::string header = makeHeader(tensors, metadata), length;
  for (int i = 0; i < 8; ++i)
    length += char(uint64_t(header.size()) >> (8 * i));
  TW_TRY(write(length.data(), length.size()));
  TW_TRY(write(header.data(), header.size()));
  for (const TensorSource &tensor : tensors) {
    uint64_t start = file.written();
    TW_TRY(tensor.write(write));
    if (file.written() - start != bytesOf(tensor.type, tensor.shape))
      return Status::error(text("tensor '", tensor.name, "' has other bytes than its shape says"));
  }
  if (checksum)
    *checksum = sum;
  return file.commit();
}

namespace {

class Reader {
public:
  Reader(SafetensorsFile &result, const std::string &path) : result_(result), path_(path) {}

  Status read() {
    const MappedFile &file = result_.file;
    if (file.size() < 8)
      return damaged("it is too short");
    uint64_t length = 0;
    for (int i = 0; i < 8; ++i)
      length |= uint64_t(file.data()[i]) << (8 * i);
    if (length > file.size() - 8 || length > (uint64_t(1) << 30))
      return damaged("its header is truncated");
    start_ = 8 + length;
    const char *text = reinterpret_cast<const char *>(file.data()) + 8;
    json header = json::parse(text, text + length, nullptr, false);
    if (!header.is_object())
      return damaged("its header is not JSON");
    for (auto &[name, entry] : header.items())
      TW_TRY(name == "__metadata__" ? readMetadata(entry) : readTensor(name, entry));
    return Status::ok();
  }

private:
  Status damaged(const std::string &what) const {
    return Status::error(text("'", path_, "' is not a complete safetensors file: ", what));
  }

  Status readMetadata(const json &entry) {
    if (!entry.is_object())
      return damaged("its metadata are not an object");
    for (auto &[key, value] : entry.items())
      if (value.is_string())
        result_.metadata[key] = value.get<std::string>();
    return Status::ok();
  }

  Status readTensor(const std::string &name, const json &entry) {
    std::string what = "tensor '" + name + "' ";
    if (!entry.is_object() || !entry.contains("dtype") || !entry.contains("shape") || !entry.contains("data_offsets"))
      return damaged(what + "is not described");
    const json &type = entry["dtype"], &shape = entry["shape"], &offsets = entry["data_offsets"];
    auto unsignedNumber = [](const json &value) { return value.is_number_unsigned(); };
    if (!type.is_string() || !shape.is_array() || !offsets.is_array() || offsets.size() != 2 ||
        !unsignedNumber(offsets[0]) || !unsignedNumber(offsets[1]) ||
        !std::all_of(shape.begin(), shape.end(), unsignedNumber))
      return damaged(what + "is not described");
    SafetensorsFile::Tensor tensor;
    for (auto &[text, value] : typeNames)
      if (type == text)
        tensor.type = value;
    if (!tensor.type)
      return damaged(what + "has an unknown type");
    for (const json &extent : shape)
      tensor.shape.push_back(int64_t(std::min<uint64_t>(extent.get<uint64_t>(), uint64_t(1) << 62)));
    uint64_t begin = offsets[0].get<uint64_t>(), end = offsets[1].get<uint64_t>();
    if (begin > end || end > result_.file.size() - start_)
      return damaged(what + "lies outside the file");
    int64_t count = elementCount(tensor.shape);
    if (count < 0 || uint64_t(count) > (uint64_t(1) << 58) || uint64_t(count) * typeSize(tensor.type) != end - begin)
      return damaged(what + "has other bytes than its shape says");
    tensor.data = result_.file.data() + start_ + begin;
    tensor.bytes = end - begin;
    result_.tensors[name] = std::move(tensor);
    return Status::ok();
  }

  SafetensorsFile &result_;
  const std::string &path_;
  uint64_t start_ = 0;
};

} // namespace

Expected<SafetensorsFile> readSafetensors(const std::string &path) {
  SafetensorsFile result;
  TW_ASSIGN(file, MappedFile::open(path));
  result.file = std::move(file);
  TW_TRY(Reader(result, path).read());
  return result;
}

} // namespace tw::rt
