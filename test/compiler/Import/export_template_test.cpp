// The ONNX model that trained parameters go back into.
#include "compiler/Import/ExportTemplate.h"
#include "compiler/Import/Import.h"
#include "compiler/Import/Onnx.h"

#include "onnx/checker.h"
#include "gtest/gtest.h"

#include <set>

using namespace tw::import;

namespace {

struct Made {
  onnx::ModelProto model;
  ExportTemplate parts;
};

Made make(const std::string &name) {
  mlir::MLIRContext context;
  auto module = importModel(TW_SOURCE_DIR "/test/oracle/" + name, {}, &context);
  EXPECT_TRUE(module);
  auto parts = makeExportTemplate(*module);
  EXPECT_TRUE(mlir::succeeded(parts));
  Made made{{}, *parts};
  EXPECT_TRUE(made.model.ParseFromString(parts->model));
  return made;
}

onnx::TensorProto *initializer(onnx::ModelProto &model, const std::string &name) {
  for (auto &tensor : *model.mutable_graph()->mutable_initializer())
    if (tensor.name() == name)
      return &tensor;
  return nullptr;
}

/// Fills every target with zeros and lets ONNX's checker judge the result.
void fillAndCheck(Made &made) {
  for (const auto &target : made.parts.targets) {
    onnx::TensorProto *tensor = initializer(made.model, target.tensor);
    ASSERT_TRUE(tensor) << target.tensor;
    EXPECT_TRUE(tensor->raw_data().empty()) << target.tensor;
    int64_t count = 1;
    for (int64_t size : tensor->dims())
      count *= size;
    tensor->set_raw_data(std::string(count * 4, '\0'));
  }
  EXPECT_NO_THROW(onnx::checker::check_model(made.model));
}

TEST(ExportTemplate, HoldsEverythingButParameters) {
  Made made = make("mlp/model.dynamo20.onnx");
  EXPECT_EQ(made.parts.targets.size(), 8u);
  fillAndCheck(made);
}

TEST(ExportTemplate, KeepsLargeConstants) {
  Made made = make("gpt2/model.dynamo20.onnx");
  onnx::TensorProto *mask = initializer(made.model, "val_160");
  ASSERT_TRUE(mask);
  EXPECT_EQ(mask->raw_data().size(), 2u * 24 * 24 * 4);
  fillAndCheck(made);
}

TEST(ExportTemplate, GivesEachToldApartVectorAnInitializer) {
  Made made = make("gpt2_fresh/model.dynamo20.onnx");
  std::set<std::string> tensors;
  for (const auto &target : made.parts.targets)
    EXPECT_TRUE(tensors.insert(target.tensor).second) << target.tensor;
  EXPECT_TRUE(tensors.count("model.transformer.h.0.ln_2.weight"));
  fillAndCheck(made);
}

TEST(ExportTemplate, GivesDroppedBiasesAnInitializer) {
  Made made = make("gpt2_fresh/model.dynamo20.onnx");
  int biases = 0;
  for (const auto &node : made.model.graph().node())
    if (node.op_type() == "Gemm") {
      ASSERT_EQ(node.input_size(), 3) << node.name();
      biases += initializer(made.model, node.input(2)) != nullptr;
    }
  EXPECT_EQ(biases, 8);
  EXPECT_TRUE(initializer(made.model, "model.transformer.h.1.mlp.c_fc.bias"));
}

TEST(ExportTemplate, ReplacesIdentitiesOfMergedVectors) {
  Made made = make("resnet/model.torchscript18-unfolded.onnx");
  fillAndCheck(made);
}

} // namespace
