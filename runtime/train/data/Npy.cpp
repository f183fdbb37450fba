#include "runtime/base/Text.h"
#include "runtime/base/Types.h"
#include "runtime/train/data/Array.h"

#include <cstring>
#include <map>

namespace tw::rt {

Status checkArrayBytes(const Array &array, uint64_t bytes) {
  int64_t count = elementCount(array.shape);
  if (count < 0)
    return Status::error(text(array.origin, " has the impossible shape ", shapeText(array.shape)));
  unsigned __int128 needed = (unsigned __int128)(uint64_t(count)) * typeSize(array.type);
  if (needed > bytes)
    return Status::error(text(array.origin, " is truncated: shape ", shapeText(array.shape), " of ",
                              typeName(array.type), " needs more than the ", bytes,
                              " bytes that are there; copy or make it again"));
  return Status::ok();
}

// The text after `'key':` in the header, a Python dictionary literal.
static bool headerValue(const std::string &header, const std::string &key, std::string &value) {
  size_t at = header.find("'" + key + "'");
  if (at != std::string::npos)
    at = header.find(':', at);
  if (at == std::string::npos)
    return false;
  at = header.find_first_not_of(' ', at + 1);
  if (at == std::string::npos)
    return false;
  size_t end;
  if (header[at] == '(')
    end = header.find(')', at);
  else if (header[at] == '\'')
    end = header.find('\'', at + 1);
  else
    end = header.find_first_of(",}", at);
  if (end == std::string::npos)
    return false;
  value = header.substr(at, end - at);
  return true;
}

static bool parseShape(const std::string &textual, std::vector<int64_t> &shape) {
  for (size_t i = 1; i < textual.size();) {
    if (textual[i] == ' ' || textual[i] == ',') {
      ++i;
      continue;
    }
    int64_t extent = 0;
    size_t digits = 0;
    for (; i < textual.size() && textual[i] >= '0' && textual[i] <= '9'; ++i, ++digits)
      extent = extent * 10 + (textual[i] - '0');
    if (digits == 0 || digits > 17 || shape.size() == 32)
      return false;
    shape.push_back(extent);
  }
  return true;
}

static int npyType(const std::string &description) {
  static const std::map<std::string, int> types = {{"<f4", TW_F32}, {"<f8", TW_F64},  {"<f2", TW_F16},
                                                   {"|i1", TW_I8},  {"<i2", TW_I16},  {"<i4", TW_I32},
                                                   {"<i8", TW_I64}, {"|b1", TW_BOOL}, {"|u1", TW_U8}};
  auto found = types.find(description);
  return found == types.end() ? 0 : found->second;
}

Expected<Array> readNpy(std::shared_ptr<MappedFile> file, const uint8_t *data, uint64_t size,
                        const std::string &origin) {
  auto damaged = [&](const std::string &what) { return Status::error(text(origin, " is not a NumPy array: ", what)); };
  if (size < 10 || std::memcmp(data, "\x93NUMPY", 6) != 0)
    return damaged("it does not begin as one");
  bool wide = data[6] >= 2;
  if (data[6] < 1 || data[6] > 3 || (wide && size < 12))
    return damaged(text("format version ", int(data[6])));
  uint64_t length = data[8] | uint64_t(data[9]) << 8, start = 10;
  if (wide) {
    length |= uint64_t(data[10]) << 16 | uint64_t(data[11]) << 24;
    start = 12;
  }
  if (length > size - start)
    return damaged("its header is truncated");
  std::string header(reinterpret_cast<const char *>(data) + start, length), type, order, shape;
  if (!headerValue(header, "descr", type) || !headerValue(header, "fortran_order", order) ||
      !headerValue(header, "shape", shape) || shape.empty() || shape[0] != '(')
    return damaged("its header cannot be read");
  Array array;
  array.origin = origin;
  type.erase(0, type.find_first_not_of('\''));
  array.type = npyType(type);
  if (!array.type)
    return Status::error(text(origin, " has the element type ", type,
                              "; little-endian f2, f4, f8, i1, i2, i4, i8, u1 and booleans are read"));
  if (!parseShape(shape, array.shape))
    return damaged("its shape cannot be read");
  if (order.find("True") != std::string::npos && array.shape.size() > 1)
    return Status::error(text(origin, " is in Fortran order; save it with numpy.ascontiguousarray"));
  array.data = data + start + length;
  array.file = std::move(file);
  TW_TRY(checkArrayBytes(array, size - start - length));
  return array;
}

} // namespace tw::rt
