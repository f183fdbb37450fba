#include "compiler/Import/WireFormat.h"

#include "llvm/ADT/Twine.h"

#include <optional>
#include <vector>

using namespace llvm;

namespace tw::import {
namespace {

enum WireType : uint32_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

// The messages of onnx.proto that lead to tensors.
enum class Message { Model, Graph, Node, Attribute, Function, SparseTensor, Tensor };

// Which fields of a message hold further messages of interest (numbers from onnx.proto).
std::optional<Message> childMessage(Message parent, uint32_t field) {
  switch (parent) {
  case Message::Model:
    return field == 7 ? std::optional(Message::Graph) : field == 25 ? std::optional(Message::Function) : std::nullopt;
  case Message::Graph:
    return field == 1    ? std::optional(Message::Node)
           : field == 5  ? std::optional(Message::Tensor)
           : field == 15 ? std::optional(Message::SparseTensor)
                         : std::nullopt;
  case Message::Function:
    return field == 7 ? std::optional(Message::Node) : field == 11 ? std::optional(Message::Attribute) : std::nullopt;
  case Message::Node:
    return field == 5 ? std::optional(Message::Attribute) : std::nullopt;
  case Message::Attribute:
    return field == 5 || field == 10   ? std::optional(Message::Tensor)
           : field == 6 || field == 11 ? std::optional(Message::Graph)
                                       : std::nullopt;
  case Message::SparseTensor:
    return field == 1 || field == 2 ? std::optional(Message::Tensor) : std::nullopt;
  case Message::Tensor:
    return std::nullopt;
  }
  return std::nullopt;
}

void putVarint(std::string &out, uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

void putBytes(std::string &out, uint32_t field, StringRef bytes) {
  putVarint(out, field << 3 | Bytes);
  putVarint(out, bytes.size());
  out.append(bytes.begin(), bytes.end());
}

void putEntry(std::string &out, uint32_t field, StringRef key, StringRef value) {
  std::string entry;
  putBytes(entry, 1, key);
  putBytes(entry, 2, value);
  putBytes(out, field, entry);
}

struct Field {
  uint32_t number, type;
  size_t begin;       // of the tag
  size_t valueBegin;  // of the value, after a length
  size_t end;         // after the value
  uint64_t value = 0; // of a varint
};

class Scanner {
public:
  Scanner(StringRef data, size_t inlineLimit) : data(data), inlineLimit(inlineLimit) {}

  Error rewrite(Message message, size_t begin, size_t end, std::string &out, unsigned depth) {
    if (depth > 64)
      return bad(begin, "messages are nested more than 64 deep");
    if (message == Message::Tensor)
      return rewriteTensor(begin, end, out);
    while (begin < end) {
      Field field;
      if (Error error = next(begin, end, field))
        return error;
      std::optional<Message> child = field.type == Bytes ? childMessage(message, field.number) : std::nullopt;
      if (child) {
        std::string inner;
        if (Error error = rewrite(*child, field.valueBegin, field.end, inner, depth + 1))
          return error;
        putBytes(out, field.number, inner);
      } else {
        out.append(data.data() + field.begin, field.end - field.begin);
      }
      begin = field.end;
    }
    return Error::success();
  }

private:
  static Error bad(size_t at, const Twine &what) { return createStringError("byte " + Twine(at) + ": " + what); }

  Error varint(size_t &at, size_t end, uint64_t &value) const {
    value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (at >= end)
        return bad(at, "the file ends, or a message does, within a number");
      uint8_t byte = data[at++];
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80)
        return Error::success();
    }
    return bad(at, "a number is longer than 10 bytes");
  }

  Error next(size_t at, size_t end, Field &field) const {
    field.begin = at;
    uint64_t tag;
    if (Error error = varint(at, end, tag))
      return error;
    field.number = tag >> 3;
    field.type = tag & 7;
    uint64_t length = 0;
    field.valueBegin = at;
    switch (field.type) {
    case Varint:
      if (Error error = varint(at, end, field.value))
        return error;
      break;
    case Fixed64:
      length = 8;
      break;
    case Fixed32:
      length = 4;
      break;
    case Bytes:
      if (Error error = varint(at, end, length))
        return error;
      field.valueBegin = at;
      break;
    default:
      return bad(field.begin, "no field can begin here");
    }
    if (field.number == 0)
      return bad(field.begin, "no field can begin here");
    if (length > end - at)
      return bad(at, Twine(length) + " bytes are announced, but " + Twine(end - at) + " are left");
    field.end = at + length;
    return Error::success();
  }

  // The little-endian plain bytes of a tensor: raw_data, or packed float_data of a float and double_data of a double.
  static bool isPlainData(const Field &field, uint64_t dataType) {
    if (field.type != Bytes)
      return false;
    return field.number == 9 || (field.number == 4 && dataType == 1) || (field.number == 10 && dataType == 11);
  }

  Error rewriteTensor(size_t begin, size_t end, std::string &out) {
    std::vector<Field> fields;
    uint64_t dataType = 0;
    bool external = false;
    while (begin < end) {
      Field field;
      if (Error error = next(begin, end, field))
        return error;
      if (field.number == 2 && field.type == Varint)
        dataType = field.value;
      if (field.number == 14 && field.type == Varint)
        external = field.value == 1;
      fields.push_back(field);
      begin = field.end;
    }
    const Field *plain = nullptr;
    unsigned count = 0;
    for (const Field &field : fields)
      if (isPlainData(field, dataType)) {
        plain = &field;
        ++count;
      }
    bool ranged = count == 1 && !external;
    bool removed = ranged && plain->end - plain->valueBegin > inlineLimit;
    for (const Field &field : fields) {
      if (removed && &field == plain)
        continue;
      if (external && field.number == 13 && field.type == Bytes)
        putExternalEntry(field, out);
      else
        out.append(data.data() + field.begin, field.end - field.begin);
    }
    if (ranged)
      putRange(*plain, removed, out);
    return Error::success();
  }

  static void putRange(const Field &plain, bool removed, std::string &out) {
    std::string offset = std::to_string(plain.valueBegin), length = std::to_string(plain.end - plain.valueBegin);
    putEntry(out, 16, kRangeKey, offset + " " + length);
    if (!removed)
      return;
    putEntry(out, 13, "location", kSelfLocation);
    putEntry(out, 13, "offset", offset);
    putEntry(out, 13, "length", length);
    putVarint(out, 14 << 3 | Varint); // data_location = EXTERNAL
    putVarint(out, 1);
  }

  // Copies an entry of external_data, "#" before a location: the importer resolves files itself.
  void putExternalEntry(const Field &field, std::string &out) const {
    size_t at = field.valueBegin;
    std::string key, value;
    while (at < field.end) {
      Field part;
      if (Error error = next(at, field.end, part)) {
        consumeError(std::move(error));
        break;
      }
      StringRef text = part.type == Bytes ? data.slice(part.valueBegin, part.end) : StringRef();
      if (part.number == 1)
        key = text.str();
      else if (part.number == 2)
        value = text.str();
      at = part.end;
    }
    putEntry(out, 13, key, key == "location" && !value.empty() ? kSelfLocation.str() + value : value);
  }

  StringRef data;
  size_t inlineLimit;
};

} // namespace

Expected<std::string> skeletonOf(StringRef model, size_t inlineLimit) {
  std::string out;
  if (Error error = Scanner(model, inlineLimit).rewrite(Message::Model, 0, model.size(), out, 0))
    return error;
  return out;
}

} // namespace tw::import
