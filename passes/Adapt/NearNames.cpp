#include "passes/Adapt/NearNames.h"

#include <algorithm>

using namespace llvm;

namespace tw::adapt {

// A pattern's fixed text is what a name can be near to.
static std::string letters(StringRef text) {
  std::string result;
  for (char c : text)
    if (c != '*' && c != '?')
      result += c;
  return result;
}

// Names that contain much of the text are nearer than edit distance says: `fc1` is near `layers.0.fc1.weight`.
static unsigned distance(StringRef wanted, StringRef name) {
  unsigned best = wanted.edit_distance(name);
  for (size_t at = 0; at + wanted.size() <= name.size(); ++at)
    best = std::min(best, wanted.edit_distance(name.substr(at, wanted.size())) + 1);
  return best;
}

std::string nearNames(StringRef wanted, const std::vector<std::string> &names) {
  std::string text = letters(wanted);
  std::vector<std::pair<unsigned, std::string>> ranked;
  ranked.reserve(names.size());
  for (const std::string &name : names)
    ranked.push_back({distance(text, name), name});
  std::stable_sort(ranked.begin(), ranked.end(), [](auto &a, auto &b) { return a.first < b.first; });
  std::string result;
  for (size_t i = 0; i < std::min<size_t>(3, ranked.size()); ++i)
    result += (i == 0 ? "; near are '" : "', '") + ranked[i].second;
  return result.empty() ? result : result + "'";
}

} // namespace tw::adapt
