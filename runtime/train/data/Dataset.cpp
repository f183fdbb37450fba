#include "runtime/train/data/Dataset.h"
#include "runtime/base/Log.h"
#include "runtime/base/Text.h"
#include "runtime/base/Types.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace tw::rt {

size_t dataTypeSize(int type) {
  return type == tokenU16 ? 2 : typeSize(type);
}
const char *dataTypeName(int type) {
  return type == tokenU16 ? "u16" : typeName(type);
}
int64_t dataInteger(int type, const void *data, int64_t index) {
  if (type != tokenU16)
    return loadInteger(type, data, size_t(index));
  uint16_t value;
  std::memcpy(&value, static_cast<const char *>(data) + index * 2, 2);
  return value;
}
static bool isDataInteger(int type) {
  return type == tokenU16 || isInteger(type);
}

static std::vector<int64_t> withoutOnes(const std::vector<int64_t> &shape) {
  std::vector<int64_t> result;
  std::copy_if(shape.begin(), shape.end(), std::back_inserter(result), [](int64_t extent) { return extent != 1; });
  return result;
}

Expected<Column> matchColumn(const planpb::DataInput &input, const Array &array) {
  Column column;
  column.input = &input;
  column.array = array;
  bool bytesToFloat = array.type == TW_U8 && isFloat(input.type());
  bool fits = input.type() == planpb::BOOL ? array.type == TW_BOOL || array.type == TW_U8
              : isFloat(input.type())      ? isFloat(array.type) || bytesToFloat
                                           : isDataInteger(array.type);
  if (!fits)
    return Status::error(text("input '", input.name(), "' takes ", typeName(input.type()), ", but ", array.origin,
                              " holds ", dataTypeName(array.type), "; convert it, such as by NumPy's astype"));
  if (bytesToFloat) {
    column.scaled = true;
    column.factor = 1.0 / 255;
  }
  std::vector<int64_t> wanted(input.row_shape().begin(), input.row_shape().end()), found = array.shape;
  if (input.batched()) {
    if (found.empty())
      return Status::error(text("input '", input.name(), "' takes rows of shape ", shapeText(wanted), ", but ",
                                array.origin, " is a single number"));
    found.erase(found.begin());
  }
  column.rowElements = column.rowStep = elementCount(wanted);
  bool same = found == wanted || withoutOnes(found) == withoutOnes(wanted) ||
              (bytesToFloat && elementCount(found) == column.rowElements);
  if (!same)
    return Status::error(text("input '", input.name(), "' takes ", input.batched() ? "rows of shape " : "the shape ",
                              shapeText(wanted), ", but ", array.origin, " has ",
                              input.batched() ? "rows of shape " : "", shapeText(found),
                              "; reshape it or compile the model for this shape"));
  return column;
}

namespace {

// Walks the numbers of a column and drops the file's pages now and then.
template <typename Body>
Status forNumbers(const Column &column, int64_t rows, Body body) {
  constexpr int64_t between = int64_t(1) << 24;
  for (int64_t row = 0, seen = 0; row < rows; ++row) {
    for (int64_t i = 0; i < column.rowElements; ++i)
      TW_TRY(body(row, row * column.rowStep + i));
    seen += column.rowElements;
    if (seen > between) {
      column.array.file->release();
      seen = 0;
    }
  }
  return Status::ok();
}

std::string place(const Column &column, int64_t row) {
  return column.input->batched() ? text("input '", column.input->name(), "', row ", row)
                                 : text("input '", column.input->name(), "'");
}

Status checkIntegers(const Column &column, int64_t rows) {
  const planpb::DataInput &input = *column.input;
  int bits = int(typeSize(input.type())) * 8;
  int64_t least = bits >= 64 ? std::numeric_limits<int64_t>::min() : -(int64_t(1) << (bits - 1));
  int64_t most = bits >= 64 ? std::numeric_limits<int64_t>::max() : (int64_t(1) << (bits - 1)) - 1;
  if (input.type() == planpb::U8 || input.type() == planpb::BOOL) {
    least = 0;
    most = input.type() == planpb::U8 ? 255 : 1;
  }
  return forNumbers(column, rows, [&](int64_t row, int64_t index) {
    int64_t value = dataInteger(column.array.type, column.array.data, index);
    if (value < least || value > most)
      return Status::error(
          text(place(column, row), ": the value ", value, " does not fit into ", typeName(input.type())));
    if (input.has_bounds() && (value < input.lower() || value >= input.upper()) &&
        !(input.has_ignore() && value == input.ignore()))
      return Status::error(text(place(column, row), ": the value ", value, " is outside [", input.lower(), ", ",
                                input.upper(), ")",
                                input.has_ignore() ? text(" and is not ", input.ignore(), ", the ignored label") : "",
                                "; correct the data or the model's number of classes"));
    return Status::ok();
  });
}

} // namespace

Status checkNumbers(const Column &column, int64_t rows) {
  if (!column.input->batched())
    rows = 1;
  if (isDataInteger(column.array.type))
    return isFloat(column.input->type()) ? Status::ok() : checkIntegers(column, rows);
  return forNumbers(column, rows, [&](int64_t row, int64_t index) {
    if (column.array.type == TW_F32) { // an exponent of all ones: infinity or NaN
      uint32_t bits;
      std::memcpy(&bits, column.array.data + index * 4, 4);
      if ((bits & 0x7f800000u) != 0x7f800000u)
        return Status::ok();
    }
    double value = loadNumber(column.array.type, column.array.data, size_t(index));
    if (std::isfinite(value))
      return Status::ok();
    return Status::error(text(place(column, row), ": the data hold ", std::isnan(value) ? "NaN" : "infinity", " (",
                              column.array.origin, "), training needs finite numbers; correct or leave out the row"));
  });
}

static Status normalize(const std::string &option, std::vector<Column> &columns) {
  size_t equal = option.rfind('='), comma = option.rfind(',');
  char *end = nullptr;
  double mean = 0, deviation = 0;
  bool valid = equal != std::string::npos && comma != std::string::npos && comma > equal;
  if (valid) {
    std::string first = option.substr(equal + 1, comma - equal - 1), second = option.substr(comma + 1);
    mean = std::strtod(first.c_str(), &end);
    valid = !first.empty() && *end == '\0';
    deviation = std::strtod(second.c_str(), &end);
    valid =
        valid && !second.empty() && *end == '\0' && std::isfinite(mean) && std::isfinite(deviation) && deviation > 0;
  }
  if (!valid)
    return Status::error(text("--normalize is '", option, "'; it is NAME=MEAN,DEVIATION with a deviation above 0"));
  std::string name = option.substr(0, equal);
  for (Column &column : columns) {
    if (column.input->name() != name)
      continue;
    if (!isFloat(column.input->type()))
      return Status::error(text("--normalize names '", name, "', which holds integers"));
    column.scaled = true;
    column.factor /= deviation;
    column.shift = -mean / deviation;
    return Status::ok();
  }
  return Status::error(text("--normalize names '", name, "', which is no input of the model"));
}

static Expected<Column> findColumn(const planpb::DataInput &input, const std::vector<Array> &arrays) {
  std::vector<std::string> names;
  for (const Array &array : arrays) {
    if (array.name == input.name())
      return matchColumn(input, array);
    names.push_back(array.name);
  }
  std::string nearest = nearestName(input.name(), names);
  return Status::error(text("the data have no '", input.name(), "', an input of the model; they have ",
                            names.empty() ? "nothing" : listText(names),
                            nearest.empty() ? "" : text(" (did you mean '", nearest, "'?)"), "; give it with --data"));
}

Expected<Dataset> Dataset::open(const DataOptions &options, const planpb::Plan &plan) {
  Dataset dataset;
  TW_ASSIGN(arrays, readArrays(options, plan));
  if (!options.tokens.empty()) {
    TW_ASSIGN(columns, tokenColumns(options, plan));
    dataset.columns_ = std::move(columns);
  }
  for (const planpb::DataInput &input : plan.inputs()) {
    if (dataset.column(input.name()))
      continue;
    TW_ASSIGN(column, findColumn(input, arrays));
    dataset.columns_.push_back(std::move(column));
  }
  for (const Array &array : arrays)
    if (!dataset.column(array.name))
      logWarning(text(array.origin, " is not used: the model has no input '", array.name, "'"));
  for (const std::string &option : options.normalize)
    TW_TRY(normalize(option, dataset.columns_));
  const Column *first = nullptr;
  for (const Column &column : dataset.columns_) {
    if (!column.input->batched())
      continue;
    int64_t rows = column.array.shape[0];
    if (first && rows != dataset.rows_)
      return Status::error(text("the data have ", dataset.rows_, " rows of '", first->input->name(), "' but ", rows,
                                " rows of '", column.input->name(), "'; give as many of each"));
    first = &column;
    dataset.rows_ = rows;
  }
  if (!first)
    dataset.rows_ = 1;
  if (dataset.rows_ == 0)
    return Status::error("the data have no rows");
  for (const Column &column : dataset.columns_)
    TW_TRY(checkNumbers(column, dataset.rows_));
  dataset.release();
  return dataset;
}

// The common cases, images as bytes or floats: the same numbers as the general way, many times faster.
static void stageFloats(const Column &column, const uint8_t *data, float *to) {
  double factor = column.factor, shift = column.shift;
  if (column.array.type == TW_U8) {
    for (int64_t i = 0; i < column.rowElements; ++i)
      to[i] = float(data[i] * factor + shift);
    return;
  }
  for (int64_t i = 0; i < column.rowElements; ++i) {
    float value;
    std::memcpy(&value, data + i * 4, 4);
    to[i] = float(value * factor + shift);
  }
}

void Dataset::stage(const Column &column, int64_t row, void *destination) const {
  int from = column.array.type, to = column.input->type();
  int64_t start = column.input->batched() ? row * column.rowStep : 0;
  const uint8_t *data = column.array.data + uint64_t(start) * dataTypeSize(from);
  if (from == to && !column.scaled) {
    std::memcpy(destination, data, size_t(column.rowElements) * typeSize(to));
    return;
  }
  if (to == TW_F32 && (from == TW_U8 || from == TW_F32)) {
    stageFloats(column, data, static_cast<float *>(destination));
    return;
  }
  for (int64_t i = 0; i < column.rowElements; ++i) {
    if (!isFloat(to)) {
      storeInteger(to, destination, size_t(i), dataInteger(from, data, i));
      continue;
    }
    double value = isFloat(from) ? loadNumber(from, data, size_t(i)) : double(dataInteger(from, data, i));
    storeNumber(to, destination, size_t(i), value * column.factor + column.shift);
  }
}

const Column *Dataset::column(const std::string &input) const {
  for (const Column &column : columns_)
    if (column.input->name() == input)
      return &column;
  return nullptr;
}

void Dataset::release() const {
  for (const Column &column : columns_)
    column.array.file->release();
}

} // namespace tw::rt
