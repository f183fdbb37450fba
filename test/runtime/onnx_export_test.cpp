#include "runtime/base/Half.h"
#include "runtime/comm/self/SelfCommunicator.h"
#include "runtime/device/host/HostDevice.h"
#include "runtime/exec/Arena.h"
#include "runtime/train/onnx_subset.pb.h"
#include "runtime/train/OnnxExport.h"
#include "test/runtime/support/TestData.h"
#include "test/runtime/support/TestPlan.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace tw;
using namespace tw::test;

namespace {

class OnnxExportTest : public testing::Test {
protected:
  TemporaryFolder folder;
  planpb::Plan plan = linearPlan();
  onnxpb::ModelProto model;
  std::string path = folder.path("out.onnx");

  void SetUp() override {
    plan.clear_programs();
    addParameter(plan, "matrix", TW_F32, {2, 3}, planpb::TRAINABLE, 0);
    ProgramBuilder(plan, "train", 0);
    // Fields that the subset does not know: ir_version (1), and opset_import (8).
    model.GetReflection()->MutableUnknownFields(&model)->AddVarint(1, 10);
    model.GetReflection()->MutableUnknownFields(&model)->AddLengthDelimited(8)->assign("\x10\x12");
    addInitializer("w", {3}, 1);
  }
  onnxpb::TensorProto &addInitializer(const std::string &name, std::vector<int64_t> shape, int type) {
    onnxpb::TensorProto &tensor = *model.mutable_graph()->add_initializer();
    tensor.set_name(name);
    for (int64_t extent : shape)
      tensor.add_dims(extent);
    tensor.set_data_type(type);
    return tensor;
  }
  void target(const std::string &parameter, const std::string &initializer, bool transposed = false) {
    planpb::OnnxExport::Target &target = *plan.mutable_onnx_export()->add_targets();
    target.set_parameter(parameter);
    target.set_initializer(initializer);
    target.set_transposed(transposed);
  }

  rt::Status exportModel(uint64_t limit = 1 << 30) {
    plan.mutable_onnx_export()->set_model(model.SerializeAsString());
    rt::LoadedPlan loaded = rt::makeLoadedPlan(plan);
    rt::HostDevice device;
    rt::SelfCommunicator self;
    auto session = rt::Session::create(loaded, device, self, testKernels(), 1, {"train"});
    EXPECT_FALSE(session.failed()) << session.message();
    EXPECT_FALSE(rt::initializeParameters(loaded, device).failed());
    for (int i = 0; i < 6; ++i)
      reinterpret_cast<float *>(device.base() + plan.parameters(3).offset())[i] = float(i);
    return rt::exportOnnx(**session, path, {limit});
  }
  onnxpb::ModelProto exported() const {
    onnxpb::ModelProto result;
    EXPECT_TRUE(result.ParseFromString(readFile(path)));
    return result;
  }
  static std::vector<float> floats(const onnxpb::TensorProto &tensor) {
    std::vector<float> values(tensor.raw_data().size() / 4);
    std::memcpy(values.data(), tensor.raw_data().data(), values.size() * 4);
    return values;
  }
  static const onnxpb::TensorProto *find(const onnxpb::ModelProto &model, const std::string &name) {
    for (const onnxpb::TensorProto &tensor : model.graph().initializer())
      if (tensor.name() == name)
        return &tensor;
    return nullptr;
  }
};

} // namespace

TEST_F(OnnxExportTest, FillsInitializersAndKeepsTheRest) {
  addInitializer("weight.T", {3, 2}, 1);
  onnxpb::TensorProto &shape = addInitializer("shape", {1}, 7);
  shape.add_int64_data(-1);
  target("w", "w");
  target("matrix", "weight.T", true);
  rt::Status status = exportModel();
  ASSERT_FALSE(status.failed()) << status.message();
  onnxpb::ModelProto result = exported();
  EXPECT_EQ(floats(*find(result, "w")), std::vector<float>(3, 0.5f));
  EXPECT_EQ(floats(*find(result, "weight.T")), (std::vector<float>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(find(result, "shape")->int64_data(0), -1);
  const auto &unknown = result.GetReflection()->GetUnknownFields(result);
  ASSERT_EQ(unknown.field_count(), 2);
  EXPECT_EQ(unknown.field(0).varint(), 10u);
  EXPECT_EQ(unknown.field(1).length_delimited(), "\x10\x12");
}

TEST_F(OnnxExportTest, ConstantNodesAndInputs) {
  onnxpb::NodeProto &node = *model.mutable_graph()->add_node();
  node.set_op_type("Constant");
  node.add_output("constant");
  node.add_attribute()->set_name("value");
  onnxpb::TensorProto &tensor = *node.mutable_attribute(0)->mutable_t();
  tensor.add_dims(3);
  tensor.set_data_type(10); // float16
  model.mutable_graph()->add_input()->set_name("as_input");
  model.mutable_graph()->clear_initializer();
  target("w", "constant");
  target("matrix", "as_input");
  rt::Status status = exportModel();
  ASSERT_FALSE(status.failed()) << status.message();
  onnxpb::ModelProto result = exported();
  uint16_t half = rt::floatToHalf(0.5f);
  EXPECT_EQ(std::memcmp(result.graph().node(0).attribute(0).t().raw_data().data(), &half, 2), 0);
  const onnxpb::TensorProto *added = find(result, "as_input");
  ASSERT_TRUE(added);
  EXPECT_EQ(added->dims(1), 3);
  EXPECT_EQ(floats(*added)[5], 5);
}

TEST_F(OnnxExportTest, LargeModelsKeepTheirTensorsBeside) {
  target("w", "w");
  rt::Status status = exportModel(16);
  ASSERT_FALSE(status.failed()) << status.message();
  onnxpb::ModelProto result = exported();
  const onnxpb::TensorProto *tensor = find(result, "w");
  ASSERT_TRUE(tensor);
  EXPECT_EQ(tensor->data_location(), 1);
  EXPECT_EQ(tensor->external_data(0).value(), "out.onnx.data");
  EXPECT_EQ(readFile(path + ".data").size(), 12u);
}

TEST_F(OnnxExportTest, TellsWhatIsMissing) {
  target("w", "weight");
  EXPECT_NE(exportModel().message().find("has no initializer, constant or input 'weight'"), std::string::npos);
  plan.mutable_onnx_export()->clear_targets();
  EXPECT_NE(exportModel().message().find("the tensor 'w' has no data in the plan"), std::string::npos);
  target("v", "w");
  EXPECT_NE(exportModel().message().find("names the parameter 'v'"), std::string::npos);
  model.Clear();
  EXPECT_NE(exportModel().message().find("carries no ONNX model"), std::string::npos);
  EXPECT_EQ(readFile(path), "");
}

TEST_F(OnnxExportTest, OtherTensorsComeFromTheSource) {
  target("w", "w");
  onnxpb::TensorProto &shape = addInitializer("shape", {1}, 7);
  shape.add_int64_data(-1);
  onnxpb::NodeProto &node = *model.mutable_graph()->add_node();
  node.set_op_type("Constant");
  node.add_output("scale");
  onnxpb::TensorProto &scale = *node.add_attribute()->mutable_t();
  scale.set_data_type(1);
  scale.add_float_data(2);
  writeFile(folder.path("source.onnx"), model.SerializeAsString());
  plan.mutable_onnx_export()->set_path(folder.path("source.onnx"));
  shape.clear_int64_data();
  scale.clear_float_data();
  rt::Status status = exportModel();
  ASSERT_FALSE(status.failed()) << status.message();
  onnxpb::ModelProto result = exported();
  EXPECT_EQ(find(result, "shape")->int64_data(0), -1);
  EXPECT_EQ(result.graph().node(0).attribute(0).t().float_data(0), 2);
}

// The model in the plan is read by Protobuf: whatever its bytes are, the export ends with a file or a sentence.
TEST_F(OnnxExportTest, DamagedModelsDoNotCrash) {
  target("w", "w");
  addInitializer("m", {3, 2}, 1);
  target("matrix", "m", true);
  std::string whole = model.SerializeAsString();
  rt::HostDevice device;
  rt::SelfCommunicator self;
  rt::LoadedPlan loaded = rt::makeLoadedPlan(plan);
  auto session = rt::Session::create(loaded, device, self, testKernels(), 1, {"train"});
  ASSERT_FALSE(session.failed()) << session.message();
  auto exportBytes = [&](const std::string &bytes) {
    loaded.plan.mutable_onnx_export()->set_model(bytes);
    return rt::exportOnnx(**session, path);
  };
  EXPECT_FALSE(exportBytes(whole).failed());
  for (size_t length = 0; length < whole.size(); ++length)
    (void)exportBytes(whole.substr(0, length)).failed();
  for (size_t at = 0; at < whole.size(); ++at)
    for (int flip : {0x01, 0x08, 0x80, 0xff}) {
      std::string damaged = whole;
      damaged[at] = char(damaged[at] ^ flip);
      (void)exportBytes(damaged).failed();
    }
}
