#include "compiler/Recipe/ReadParts.h"

#include <cmath>

namespace tw::recipe {

static void readLoss(ObjectReader &trainwright, Loss &loss) {
  std::optional<ObjectReader> object = trainwright.object("loss");
  if (!object)
    return;
  object->choice("type", loss.kind, {"cross_entropy", "binary_cross_entropy", "mse", "l1", "output"});
  object->text("logits", loss.logits);
  if (loss.kind == Loss::Kind::Output) { // the model computes the loss itself
    object->finish();
    return;
  }
  object->text("labels", loss.labels);
  if (loss.kind == Loss::Kind::CrossEntropy) {
    object->integer("ignore_index", loss.ignoreIndex, INT64_MIN);
    object->number("label_smoothing", loss.labelSmoothing, 0, std::nextafter(1.0, 0.0));
    object->integer("class_axis", loss.classAxis, -8, 7);
  }
  if (loss.kind == Loss::Kind::BinaryCrossEntropy)
    object->boolean("from_logits", loss.fromLogits);
  object->finish();
}

static void readMesh(ObjectReader &trainwright, Mesh &mesh) {
  std::optional<ObjectReader> object = trainwright.object("mesh");
  if (!object)
    return;
  object->integer("data", mesh.data, 1, 65536);
  object->integer("tensor", mesh.tensor, 1, 65536);
  object->integer("pipeline", mesh.pipeline, 1, 65536);
  object->finish();
  if (mesh.tensor > 1)
    object->problem("not supported yet: tensor parallelism ('" + object->pathOf("tensor") + "' above 1)");
  if (mesh.pipeline > 1)
    object->problem("not supported yet: pipeline parallelism ('" + object->pathOf("pipeline") + "' above 1)");
}

static void readDecayGroups(ObjectReader &trainwright, Optimizer &optimizer, Problems &problems) {
  const nlohmann::json *groups = trainwright.find("weight_decay_groups");
  if (!groups)
    return;
  std::string path = trainwright.pathOf("weight_decay_groups");
  if (!groups->is_array())
    return trainwright.problem("'" + path + "' must be a list of objects with 'targets' and 'weight_decay'");
  for (size_t i = 0; i < groups->size(); ++i) {
    std::string place = path + "[" + std::to_string(i) + "]";
    if (!(*groups)[i].is_object())
      return trainwright.problem("'" + place + "' must be an object with 'targets' and 'weight_decay'");
    ObjectReader group((*groups)[i], place, problems);
    std::vector<std::string> targets;
    double decay = 0.0;
    group.texts("targets", targets);
    group.number("weight_decay", decay, 0);
    group.finish();
    if (targets.empty())
      group.problem("'" + place + ".targets' is missing: patterns of parameter names");
    for (const std::string &target : targets)
      optimizer.decayGroups.push_back({target, decay});
  }
}

static void refuse(ObjectReader &reader, const char *key, const std::string &what) {
  const nlohmann::json *value = reader.find(key);
  if (value && !value->is_null() && *value != "none" && *value != false)
    reader.problem("not supported yet: " + what + " ('" + reader.pathOf(key) + "')");
}

void readTrainwright(ObjectReader &top, Recipe &recipe) {
  std::optional<ObjectReader> object = top.object("trainwright");
  if (!object)
    return;
  readLoss(*object, recipe.loss);
  readMesh(*object, recipe.mesh);
  object->texts("trainable", recipe.trainable);
  object->texts("frozen", recipe.frozen);
  object->texts("outputs", recipe.outputs);
  object->choice("batch_norm", recipe.freezeBatchNorm, {"train", "frozen"});
  object->choice("optimizer_definition", recipe.optimizer.definition, {"pytorch", "onnx"});
  Problems problems;
  readDecayGroups(*object, recipe.optimizer, problems);
  for (const std::string &problem : problems)
    object->problem(problem);
  refuse(*object, "lora", "LoRA adapters");
  refuse(*object, "quantization", "a quantised base");
  refuse(*object, "recompute", "recomputing activations");
  refuse(*object, "attention", "a choice of attention");
  object->finish();
}

} // namespace tw::recipe
