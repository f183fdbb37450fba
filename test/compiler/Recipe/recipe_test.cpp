#include "compiler/Recipe/Recipe.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace tw::recipe;

static Recipe parse(llvm::StringRef text, std::vector<std::string> overrides = {}) {
  llvm::Expected<Recipe> recipe = parseRecipe(text, overrides);
  EXPECT_TRUE(bool(recipe)) << llvm::toString(recipe ? llvm::Error::success() : recipe.takeError());
  return recipe ? *recipe : Recipe();
}

static std::string problem(llvm::StringRef text, std::vector<std::string> overrides = {}) {
  llvm::Expected<Recipe> recipe = parseRecipe(text, overrides);
  EXPECT_FALSE(bool(recipe));
  return recipe ? "" : llvm::toString(recipe.takeError());
}

TEST(Recipe, ReadsTheWholeExample) {
  Recipe recipe = parse(R"({
    "train_micro_batch_size_per_gpu": 8, "gradient_accumulation_steps": 4, "gradient_clipping": 1.0,
    "optimizer": {"type": "AdamW", "params": {"lr": 3e-4, "betas": [0.9, 0.95], "eps": 1e-9, "weight_decay": 0.1}},
    "scheduler": {"type": "WarmupCosineLR", "params": {"warmup_num_steps": 100, "total_num_steps": 2e3}},
    "bf16": {"enabled": false}, "zero_optimization": {"stage": 0},
    "trainwright": {"loss": {"type": "cross_entropy", "logits": "output", "labels": "targets", "ignore_index": 0},
                    "mesh": {"data": 2}, "trainable": "head.*",
                    "weight_decay_groups": [{"targets": ["*bias", "*norm*"], "weight_decay": 0}]}})");
  EXPECT_EQ(recipe.microBatch, 8);
  EXPECT_EQ(recipe.microBatches, 4);
  EXPECT_EQ(recipe.clip, 1.0);
  EXPECT_EQ(recipe.optimizer.kind, Optimizer::Kind::AdamW);
  EXPECT_EQ(recipe.optimizer.beta2, 0.95);
  EXPECT_EQ(recipe.optimizer.weightDecay, 0.1);
  EXPECT_EQ(recipe.optimizer.eps, 1e-9);
  ASSERT_EQ(recipe.optimizer.decayGroups.size(), 2u);
  EXPECT_EQ(recipe.optimizer.decayGroups[1].pattern, "*norm*");
  EXPECT_EQ(recipe.scheduler.kind, Scheduler::Kind::WarmupCosineLR);
  EXPECT_EQ(recipe.scheduler.totalSteps, 2000);
  EXPECT_EQ(recipe.loss.labels, "targets");
  EXPECT_EQ(recipe.loss.ignoreIndex, 0);
  EXPECT_EQ(recipe.mesh.data, 2);
  EXPECT_EQ(recipe.trainable, std::vector<std::string>{"head.*"});
}

TEST(Recipe, AdamIsDecoupledAsInDeepSpeed) {
  EXPECT_EQ(parse(R"({"optimizer": {"type": "Adam"}})").optimizer.kind, Optimizer::Kind::AdamW);
  Recipe coupled = parse(R"({"optimizer": {"type": "Adam", "params": {"adam_w_mode": false}}})");
  EXPECT_EQ(coupled.optimizer.kind, Optimizer::Kind::Adam);
}

TEST(Recipe, OnnxDefinitionBringsItsDefaults) {
  Optimizer adam =
      parse(R"({"optimizer": {"type": "AdamW"}, "trainwright": {"optimizer_definition": "onnx"}})").optimizer;
  EXPECT_EQ(adam.definition, Optimizer::Definition::ONNX);
  EXPECT_EQ(adam.eps, 1e-6);
  EXPECT_EQ(adam.weightDecay, 0.0);
  Optimizer momentum = parse(R"({"optimizer": {"type": "Nesterov", "params": {"dampening": 0.5}},
                                 "trainwright": {"optimizer_definition": "onnx"}})")
                           .optimizer;
  EXPECT_EQ(momentum.dampening, 0.5);
  EXPECT_EQ(parse("{}").optimizer.definition, Optimizer::Definition::PyTorch);
  EXPECT_EQ(problem(R"({"optimizer": {"type": "Nesterov", "params": {"dampening": 0.5}}})"),
            "'optimizer.params.nesterov' needs no dampening, unless the definition is ONNX's");
  EXPECT_EQ(problem(R"({"trainwright": {"optimizer_definition": "tensorflow"}})"),
            "'trainwright.optimizer_definition' must be one of 'pytorch', 'onnx', found 'tensorflow'");
}

TEST(Recipe, NesterovIsMomentum) {
  Optimizer optimizer = parse(R"({"optimizer": {"type": "Nesterov", "params": {"lr": 0.1}}})").optimizer;
  EXPECT_EQ(optimizer.kind, Optimizer::Kind::SGD);
  EXPECT_EQ(optimizer.momentum, 0.9);
  EXPECT_TRUE(optimizer.nesterov);
}

TEST(Recipe, BatchSizesComplementOneAnother) {
  EXPECT_EQ(
      parse(R"({"train_batch_size": 32, "train_micro_batch_size_per_gpu": 4, "trainwright": {"mesh": {"data": 2}}})")
          .microBatches,
      4);
  EXPECT_EQ(parse(R"({"train_batch_size": 32, "gradient_accumulation_steps": 4})").microBatch, 8);
  EXPECT_NE(
      problem(R"({"train_batch_size": 32, "train_micro_batch_size_per_gpu": 5})").find("'train_batch_size' must be"),
      std::string::npos);
}

TEST(Recipe, OverridesComeLast) {
  Recipe recipe = parse(R"({"optimizer": {"type": "SGD", "params": {"lr": 1}}})",
                        {"optimizer.params.lr=0.5", "trainwright.loss.type=mse", "gradient_clipping=2"});
  EXPECT_EQ(recipe.optimizer.lr, 0.5);
  EXPECT_EQ(recipe.loss.kind, Loss::Kind::MSE);
  EXPECT_EQ(recipe.clip, 2.0);
  EXPECT_NE(problem("{}", {"lr"}).find("expected key=value"), std::string::npos);
  EXPECT_NE(problem(R"({"optimizer": 3})", {"optimizer.type=SGD"}).find("not an object"), std::string::npos);
}

TEST(Recipe, UnknownKeysNameTheNearest) {
  EXPECT_EQ(problem(R"({"optimizr": {}})"), "unknown key 'optimizr', did you mean 'optimizer'?");
  EXPECT_EQ(problem(R"({"optimizer": {"type": "AdamW", "params": {"weight_decy": 1}}})"),
            "unknown key 'optimizer.params.weight_decy', did you mean 'weight_decay'?");
  EXPECT_EQ(problem(R"({"trainwright": {"zzzzzzzz": 1}})"), "unknown key 'trainwright.zzzzzzzz'");
  // A key of another optimizer is not silently ignored.
  EXPECT_NE(problem(R"({"optimizer": {"type": "SGD", "params": {"betas": [0.9, 0.99]}}})").find("unknown key"),
            std::string::npos);
}

TEST(Recipe, WrongValuesSayWhatWasExpected) {
  EXPECT_EQ(problem(R"({"gradient_clipping": -1})"), "'gradient_clipping' must be a number of at least 0, found -1");
  EXPECT_EQ(problem(R"({"gradient_accumulation_steps": "auto"})"),
            "'gradient_accumulation_steps' must be a whole number from 1 to 65536, found \"auto\"");
  EXPECT_EQ(problem(R"({"gradient_accumulation_steps": 9999999999999999})"),
            "'gradient_accumulation_steps' must be a whole number from 1 to 65536, found 9999999999999999");
  EXPECT_EQ(problem(R"({"fp16": {"enabled": "auto"}})"), "'fp16.enabled' must be true or false, found \"auto\"");
  EXPECT_EQ(problem(R"({"zero_optimization": {"offload_param": {"device": 3}}})"),
            "not supported yet: offload to the host ('zero_optimization.offload_param')");
  EXPECT_EQ(problem(R"({"optimizer": {"type": "AdanW"}})"),
            "'optimizer.type' must be one of 'SGD', 'Momentum', 'Nesterov', 'Adam', 'AdamW', 'Adagrad', found 'AdanW', "
            "did you mean 'AdamW'?");
  EXPECT_EQ(problem("{"), "the recipe is not JSON: parse error at line 1, column 2: syntax error while parsing object "
                          "key - unexpected end of input; expected string literal");
  EXPECT_EQ(problem("[]"), "the recipe must be a JSON object");
}

TEST(Recipe, LaterWorkIsRefusedWhenOn) {
  EXPECT_EQ(problem(R"({"fp16": {"enabled": true}})"), "not supported yet: half precision ('fp16')");
  EXPECT_EQ(problem(R"({"zero_optimization": {"stage": 2}})"),
            "not supported yet: ZeRO stage 2 ('zero_optimization.stage')");
  EXPECT_EQ(problem(R"({"trainwright": {"mesh": {"tensor": 2}}})"),
            "not supported yet: tensor parallelism ('trainwright.mesh.tensor' above 1)");
  EXPECT_EQ(problem(R"({"trainwright": {"lora": {"r": 8}}})"), "not supported yet: LoRA adapters ('trainwright.lora')");
  parse(R"({"fp16": {"enabled": false}, "activation_checkpointing": {"partition_activations": false},
            "trainwright": {"recompute": "none"}})");
}

TEST(Recipe, AllProblemsAreReportedAtOnce) {
  std::string all = problem(R"({"a_key": 1, "bf16": {"enabled": true}})");
  EXPECT_NE(all.find("not supported yet"), std::string::npos);
  EXPECT_NE(all.find("unknown key 'a_key'"), std::string::npos);
}

// Recipes are written by hand and by programs: whatever the text, there is a recipe or a sentence.
TEST(Recipe, DamagedTextsDoNotCrash) {
  const std::string whole = R"({"train_micro_batch_size_per_gpu": 8, "gradient_clipping": 1.0,
    "optimizer": {"type": "AdamW", "params": {"lr": 3e-4, "betas": [0.9, 0.95], "weight_decay": 0.1}},
    "scheduler": {"type": "WarmupCosineLR", "params": {"warmup_num_steps": 100, "total_num_steps": 2e3}},
    "trainwright": {"loss": {"type": "cross_entropy", "logits": "output", "labels": "targets"}, "mesh": {"data": 2},
                    "weight_decay_groups": [{"targets": ["*bias"], "weight_decay": 0}]}})";
  auto tryText = [](llvm::StringRef text) {
    llvm::Expected<Recipe> recipe = parseRecipe(text, {});
    std::string message = recipe ? "" : llvm::toString(recipe.takeError());
    EXPECT_TRUE(recipe || !message.empty());
    return bool(recipe);
  };
  EXPECT_TRUE(tryText(whole));
  for (size_t length = 0; length < whole.size(); ++length)
    EXPECT_FALSE(tryText(llvm::StringRef(whole).take_front(length))) << length;
  for (size_t at = 0; at < whole.size(); ++at)
    for (int flip : {0x01, 0x02, 0x10, 0x40, 0x80}) {
      std::string damaged = whole;
      damaged[at] = char(damaged[at] ^ flip);
      tryText(damaged);
    }
  for (const char *value : {"null", "[]", "{}", "true", "-1", "1e400", "99999999999999999999", "\"\""})
    for (const char *key : {"8", "1.0", "3e-4", "[0.9, 0.95]", "\"AdamW\"", "100", "2e3", "2}", "[\"*bias\"]", "0}"}) {
      std::string damaged = whole;
      size_t length = std::strlen(key) - (key[std::strlen(key) - 1] == '}');
      damaged.replace(damaged.find(key), length, value);
      tryText(damaged);
    }
}
