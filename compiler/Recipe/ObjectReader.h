// Reads the keys of a JSON object one by one; what was not read is unknown.
#ifndef TW_COMPILER_RECIPE_OBJECTREADER_H
#define TW_COMPILER_RECIPE_OBJECTREADER_H

#include "llvm/ADT/StringRef.h"
#include <nlohmann/json.hpp>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace tw::recipe {

/// Sentences about what is wrong with a recipe.
using Problems = std::vector<std::string>;

class ObjectReader {
public:
  /// `path` is the object's own key with those around it, "" for the outermost.
  ObjectReader(const nlohmann::json &object, std::string path, Problems &problems);

  /// Sets `value` if the key is there and of the right type and range; says what is wrong otherwise.
  void number(const char *key, double &value, double least = -HUGE_VAL, double most = HUGE_VAL);
  void number(const char *key, std::optional<double> &value, double least = -HUGE_VAL, double most = HUGE_VAL);
  void integer(const char *key, int64_t &value, int64_t least, int64_t most = INT64_MAX);
  void integer(const char *key, std::optional<int64_t> &value, int64_t least, int64_t most = INT64_MAX);
  void boolean(const char *key, bool &value);
  void text(const char *key, std::string &value);
  /// One text, or a list of them.
  void texts(const char *key, std::vector<std::string> &values);
  /// One of `choices`; `index` is which.
  template <typename Enum>
  void choice(const char *key, Enum &value, const std::vector<std::string> &choices) {
    int index = int(value);
    choose(key, index, choices);
    value = Enum(index);
  }
  /// The value as it stands, or null; counts as read.
  const nlohmann::json *find(const char *key);
  /// A nested object, if it is there and one.
  std::optional<ObjectReader> object(const char *key);
  /// Keys that are known but need not be looked at.
  void skip(const std::vector<std::string> &keys);

  /// Reports every key that nobody asked for, with the nearest one that somebody did.
  void finish();

  std::string pathOf(llvm::StringRef key) const;
  void problem(const std::string &sentence) { problems.push_back(sentence); }

private:
  void choose(const char *key, int &index, const std::vector<std::string> &choices);
  void wrong(const char *key, const std::string &expected, const nlohmann::json &found);

  const nlohmann::json &fields;
  std::string path;
  Problems &problems;
  std::vector<std::string> known;
};

/// ", did you mean 'x'?" with the name nearest to `wanted`, or "" when none is near.
std::string suggestion(llvm::StringRef wanted, const std::vector<std::string> &names);

} // namespace tw::recipe
#endif
