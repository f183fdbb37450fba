#include "runtime/base/Text.h"
#include "runtime/base/Types.h"
#include "runtime/train/data/Dataset.h"

#include <algorithm>
#include <cstring>
#include <sys/stat.h>

namespace tw::rt {

static bool endsWith(const std::string &name, const char *end) {
  size_t length = std::strlen(end);
  return name.size() >= length && name.compare(name.size() - length, length, end) == 0;
}

static bool isFile(const std::string &path) {
  struct stat info;
  return ::stat(path.c_str(), &info) == 0;
}

static std::vector<std::string> inputNames(const planpb::Plan &plan) {
  std::vector<std::string> names;
  for (const planpb::DataInput &input : plan.inputs())
    names.push_back(input.name());
  return names;
}

// "name=path", unless the whole is a file.
static void splitName(const std::string &option, std::string &name, std::string &path) {
  size_t equal = option.find('=');
  bool named = equal != std::string::npos && equal > 0 && !isFile(option);
  name = named ? option.substr(0, equal) : "";
  path = named ? option.substr(equal + 1) : option;
}

static Status readOne(const std::string &option, const planpb::Plan &plan, std::vector<Array> &arrays) {
  std::string name, path;
  splitName(option, name, path);
  if (!isFile(path))
    return Status::error(text("there is no data file '", path, "'"));
  if (endsWith(path, ".npz")) {
    TW_ASSIGN(all, readNpz(path));
    if (!name.empty() && all.size() == 1)
      all[0].name = name;
    else if (!name.empty())
      return Status::error(
          text("'", path, "' holds ", all.size(), " arrays with names of their own; give it without '", name, "='"));
    std::move(all.begin(), all.end(), std::back_inserter(arrays));
    return Status::ok();
  }
  if (name.empty())
    return Status::error(text("'", path, "' does not say which input it is for; write --data NAME=", path,
                              " with NAME one of: ", listText(inputNames(plan))));
  Array array;
  if (endsWith(path, ".npy")) {
    TW_ASSIGN(file, MappedFile::open(path));
    auto shared = std::make_shared<MappedFile>(std::move(file));
    TW_ASSIGN(read, readNpy(shared, shared->data(), shared->size(), text("'", path, "'")));
    array = std::move(read);
  } else {
    TW_ASSIGN(read, readIdx(path));
    array = std::move(read);
  }
  array.name = name;
  arrays.push_back(std::move(array));
  return Status::ok();
}

Expected<std::vector<Array>> readArrays(const DataOptions &options, const planpb::Plan &plan) {
  std::vector<Array> arrays;
  for (const std::string &option : options.files)
    TW_TRY(readOne(option, plan, arrays));
  for (size_t i = 0; i < arrays.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (arrays[i].name == arrays[j].name)
        return Status::error(
            text("the data give '", arrays[i].name, "' twice: ", arrays[j].origin, " and ", arrays[i].origin));
  return arrays;
}

static Expected<int> tokenType(const std::string &name, const planpb::DataInput &input) {
  if (name == "u8" || (name == "auto" && input.has_bounds() && input.upper() <= 256))
    return int(TW_U8);
  if (name == "u16" || (name == "auto" && input.has_bounds() && input.upper() <= 65536))
    return int(tokenU16);
  if (name == "i32" || name == "auto")
    return int(TW_I32);
  return Status::error(text("--token-type is '", name, "'; it is u8, u16, i32 or auto"));
}

Expected<std::vector<Column>> tokenColumns(const DataOptions &options, const planpb::Plan &plan) {
  const planpb::DataInput *ids = nullptr, *labels = nullptr;
  for (const planpb::DataInput &input : plan.inputs()) {
    if (!input.batched() || !isInteger(input.type()) || input.row_shape_size() != 1)
      continue;
    (ids ? labels : ids) = &input;
  }
  if (!ids || !labels || ids->row_shape(0) != labels->row_shape(0) || ids->row_shape(0) < 1)
    return Status::error("--tokens needs a model with two integer inputs, ids and labels, of one row length; give the "
                         "arrays with --data");
  TW_ASSIGN(type, tokenType(options.tokenType, *ids));
  TW_ASSIGN(opened, MappedFile::open(options.tokens));
  Array array;
  array.origin = text("'", options.tokens, "'");
  array.type = type;
  array.file = std::make_shared<MappedFile>(std::move(opened));
  array.data = array.file->data();
  int64_t window = ids->row_shape(0);
  if (array.file->size() % dataTypeSize(type) != 0)
    return Status::error(text("'", options.tokens, "' has ", array.file->size(),
                              " bytes, not a whole number of tokens of ", dataTypeSize(type),
                              " bytes; see --token-type"));
  int64_t tokens = int64_t(array.file->size() / dataTypeSize(type)), rows = (tokens - 1) / window;
  if (tokens < window + 1)
    return Status::error(text("'", options.tokens, "' has ", tokens, " tokens, a row needs ", window + 1));
  array.shape = {rows, window};
  std::vector<Column> columns(2);
  for (int i = 0; i < 2; ++i) {
    columns[size_t(i)].input = i == 0 ? ids : labels;
    columns[size_t(i)].array = array;
    columns[size_t(i)].rowElements = columns[size_t(i)].rowStep = window;
  }
  columns[1].array.data += dataTypeSize(type);
  return columns;
}

} // namespace tw::rt
