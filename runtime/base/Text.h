// Building sentences: concatenation, lists, and the nearest known name.
#ifndef TW_RUNTIME_BASE_TEXT_H
#define TW_RUNTIME_BASE_TEXT_H

#include <sstream>
#include <string>
#include <vector>

namespace tw::rt {

template <typename... Parts>
std::string text(const Parts &...parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

/// "[2, 3]".
template <typename Range>
std::string shapeText(const Range &shape) {
  std::string result = "[";
  bool first = true;
  for (auto extent : shape) {
    result += (first ? "" : ", ") + std::to_string(extent);
    first = false;
  }
  return result + "]";
}

/// "a, b, c".
std::string listText(const std::vector<std::string> &names);
/// The entry of `known` with the smallest edit distance to `name`, or "" when none is near.
std::string nearestName(const std::string &name, const std::vector<std::string> &known);
/// What errno says.
std::string systemError(int number);
/// "12.5 MiB".
std::string bytesText(double bytes);

} // namespace tw::rt
#endif
