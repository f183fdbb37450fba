#include "compiler/Recipe/Recipe.h"

#include "compiler/Recipe/ReadParts.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cmath>
#include <set>

using nlohmann::json;

namespace tw::recipe {

static llvm::Error error(const std::string &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), "%s", message.c_str());
}

/// Applies "a.b=value".
static llvm::Error applyOverride(json &recipe, llvm::StringRef text) {
  auto [path, value] = text.split('=');
  if (path.empty() || text.find('=') == llvm::StringRef::npos)
    return error("--set " + text.str() + ": expected key=value, such as --set optimizer.params.lr=0.01");
  json *place = &recipe;
  llvm::SmallVector<llvm::StringRef> keys;
  path.split(keys, '.');
  for (llvm::StringRef key : keys) {
    if (key.empty())
      return error("--set " + text.str() + ": the key has an empty part");
    if (place->is_null())
      *place = json::object();
    if (!place->is_object())
      return error("--set " + text.str() + ": '" + key.str() + "' would be a key of " + place->dump() +
                   ", which is not an object");
    place = &(*place)[key.str()];
  }
  json parsed = json::parse(value.begin(), value.end(), nullptr, false);
  *place = parsed.is_discarded() ? json(value.str()) : parsed;
  return llvm::Error::success();
}

/// train_batch_size = train_micro_batch_size_per_gpu * gradient_accumulation_steps * data ranks; any one of the first
/// three follows from the others.
static void readBatch(ObjectReader &top, Recipe &recipe) {
  std::optional<int64_t> total, micro, steps;
  constexpr int64_t mostRows = int64_t(1) << 40, mostSteps = 65536; // products of these do not overflow
  top.integer("train_batch_size", total, 1, mostRows);
  top.integer("train_micro_batch_size_per_gpu", micro, 1, mostSteps);
  top.integer("gradient_accumulation_steps", steps, 1, mostSteps);
  int64_t ranks = recipe.mesh.data;
  if (total && micro && !steps && *total % (*micro * ranks) == 0)
    steps = *total / (*micro * ranks);
  if (total && !micro && *total % (steps.value_or(1) * ranks) == 0)
    micro = *total / (steps.value_or(1) * ranks);
  recipe.microBatch = micro;
  recipe.microBatches = steps.value_or(1);
  if (total && *total != micro.value_or(0) * recipe.microBatches * ranks)
    top.problem("'train_batch_size' must be train_micro_batch_size_per_gpu * gradient_accumulation_steps * data ranks, "
                "found " +
                std::to_string(*total) + " for " + (micro ? std::to_string(*micro) : "?") + " * " +
                std::to_string(recipe.microBatches) + " * " + std::to_string(ranks));
}

static void readTop(const json &document, Recipe &recipe, Problems &problems) {
  ObjectReader top(document, "", problems);
  readTrainwright(top, recipe);
  readBatch(top, recipe);
  top.number("gradient_clipping", recipe.clip, 0);
  readOptimizer(top, recipe.optimizer);
  readScheduler(top, recipe.scheduler);
  refuseLaterWork(top);
  top.finish();
}

/// Listens to a parser for keys that one object has twice: only the last would count.
class RepeatedKeys {
public:
  bool operator()(int, json::parse_event_t event, json &parsed) {
    if (event == json::parse_event_t::object_start)
      open.emplace_back();
    else if (event == json::parse_event_t::object_end)
      open.pop_back();
    else if (event == json::parse_event_t::key && !open.back().insert(parsed.get<std::string>()).second)
      found = parsed.get<std::string>();
    return true;
  }
  std::string found;

private:
  std::vector<std::set<std::string>> open;
};

llvm::Expected<Recipe> parseRecipe(llvm::StringRef text, llvm::ArrayRef<std::string> overrides) {
  json document;
  RepeatedKeys keys;
  try {
    document = json::parse(text.begin(), text.end(), std::ref(keys));
  } catch (const json::exception &failure) {
    llvm::StringRef message = failure.what(); // "[json.exception.parse_error.101] parse error at line 1, column 2: ..."
    return error("the recipe is not JSON: " + message.substr(message.find("] ") + 2).str());
  }
  if (!keys.found.empty())
    return error("the recipe has the key '" + keys.found + "' twice in one object; leave one of them");
  if (!document.is_object())
    return error("the recipe must be a JSON object");
  for (const std::string &override : overrides)
    if (llvm::Error failure = applyOverride(document, override))
      return failure;
  Recipe recipe;
  Problems problems;
  readTop(document, recipe, problems);
  if (!problems.empty())
    return error(llvm::join(problems, "\n"));
  recipe.text = document.dump(2);
  return recipe;
}

llvm::Expected<Recipe> readRecipe(llvm::StringRef path, llvm::ArrayRef<std::string> overrides) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return error("cannot read the recipe '" + path.str() + "': " + buffer.getError().message());
  return parseRecipe((*buffer)->getBuffer(), overrides);
}

} // namespace tw::recipe
