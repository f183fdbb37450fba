#include "compiler/Recipe/ObjectReader.h"

#include <algorithm>
#include <cmath>

namespace tw::recipe {

std::string suggestion(llvm::StringRef wanted, const std::vector<std::string> &names) {
  unsigned best = std::max<size_t>(2, wanted.size() / 3) + 1;
  std::string nearest;
  for (const std::string &name : names)
    if (unsigned distance = wanted.edit_distance_insensitive(name); distance < best) {
      best = distance;
      nearest = name;
    }
  return nearest.empty() ? "" : ", did you mean '" + nearest + "'?";
}

ObjectReader::ObjectReader(const nlohmann::json &object, std::string path, Problems &problems)
    : fields(object), path(std::move(path)), problems(problems) {}

std::string ObjectReader::pathOf(llvm::StringRef key) const {
  return path.empty() ? key.str() : path + "." + key.str();
}

void ObjectReader::wrong(const char *key, const std::string &expected, const nlohmann::json &found) {
  std::string shown = found.dump();
  if (shown.size() > 60)
    shown = shown.substr(0, 57) + "...";
  problem("'" + pathOf(key) + "' must be " + expected + ", found " + shown);
}

const nlohmann::json *ObjectReader::find(const char *key) {
  known.push_back(key);
  auto found = fields.find(key);
  return found == fields.end() ? nullptr : &*found;
}

static std::string trimmed(double value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  return text.back() == '.' ? text.substr(0, text.size() - 1) : text;
}

static std::string range(double least, double most) {
  if (std::isinf(least) && std::isinf(most))
    return "";
  if (std::isinf(most))
    return " of at least " + trimmed(least);
  return " from " + trimmed(least) + " to " + trimmed(most);
}

void ObjectReader::number(const char *key, double &value, double least, double most) {
  const nlohmann::json *found = find(key);
  if (!found)
    return;
  if (!found->is_number() || found->get<double>() < least || found->get<double>() > most)
    return wrong(key, "a number" + range(least, most), *found);
  // The program computes with it in single precision.
  double wide = found->get<double>(), narrow = float(wide);
  if (!std::isfinite(narrow) || (wide != 0 && narrow == 0))
    return wrong(key, "a number that single precision holds" + range(least, most), *found);
  value = wide;
}

void ObjectReader::number(const char *key, std::optional<double> &value, double least, double most) {
  double number = NAN;
  this->number(key, number, least, most);
  if (!std::isnan(number))
    value = number;
}

void ObjectReader::integer(const char *key, std::optional<int64_t> &value, int64_t least, int64_t most) {
  const nlohmann::json *found = find(key);
  if (!found)
    return;
  // DeepSpeed's files also write whole numbers as 1e3.
  bool whole = found->is_number_integer() ||
               (found->is_number_float() && std::floor(found->get<double>()) == found->get<double>() &&
                std::abs(found->get<double>()) < 9e15);
  if (!whole || found->get<double>() < double(least) || found->get<double>() > double(most))
    return wrong(key, "a whole number" + range(double(least), most == INT64_MAX ? HUGE_VAL : double(most)), *found);
  value = found->is_number_float() ? int64_t(found->get<double>()) : found->get<int64_t>();
}

void ObjectReader::integer(const char *key, int64_t &value, int64_t least, int64_t most) {
  std::optional<int64_t> number;
  integer(key, number, least, most);
  value = number.value_or(value);
}

void ObjectReader::boolean(const char *key, bool &value) {
  const nlohmann::json *found = find(key);
  if (!found)
    return;
  if (!found->is_boolean())
    return wrong(key, "true or false", *found);
  value = found->get<bool>();
}

void ObjectReader::text(const char *key, std::string &value) {
  const nlohmann::json *found = find(key);
  if (!found)
    return;
  if (!found->is_string())
    return wrong(key, "a text", *found);
  value = found->get<std::string>();
}

void ObjectReader::texts(const char *key, std::vector<std::string> &values) {
  const nlohmann::json *found = find(key);
  if (!found)
    return;
  nlohmann::json list = found->is_array() ? *found : nlohmann::json::array({*found});
  for (const nlohmann::json &entry : list)
    if (!entry.is_string())
      return wrong(key, "a text or a list of texts", *found);
  for (const nlohmann::json &entry : list)
    values.push_back(entry.get<std::string>());
}

void ObjectReader::choose(const char *key, int &index, const std::vector<std::string> &choices) {
  std::string wanted;
  size_t before = problems.size();
  text(key, wanted);
  if (problems.size() != before || fields.find(key) == fields.end())
    return;
  for (size_t i = 0; i < choices.size(); ++i)
    if (llvm::StringRef(choices[i]).equals_insensitive(wanted)) {
      index = int(i);
      return;
    }
  std::string all;
  for (const std::string &choice : choices)
    all += (all.empty() ? "'" : ", '") + choice + "'";
  problem("'" + pathOf(key) + "' must be one of " + all + ", found '" + wanted + "'" + suggestion(wanted, choices));
}

std::optional<ObjectReader> ObjectReader::object(const char *key) {
  const nlohmann::json *found = find(key);
  if (!found)
    return std::nullopt;
  if (!found->is_object()) {
    wrong(key, "an object", *found);
    return std::nullopt;
  }
  return ObjectReader(*found, pathOf(key), problems);
}

void ObjectReader::skip(const std::vector<std::string> &keys) {
  known.insert(known.end(), keys.begin(), keys.end());
}

void ObjectReader::finish() {
  for (const auto &[key, value] : fields.items())
    if (std::find(known.begin(), known.end(), key) == known.end())
      problem("unknown key '" + pathOf(key) + "'" + suggestion(key, known));
}

} // namespace tw::recipe
