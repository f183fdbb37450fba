// ONNX files are foreign bytes: a damaged one gives sentences and no module, or a module, but never a crash.
#include "compiler/Import/Import.h"
#include "compiler/Import/Onnx.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace tw::import;

namespace {

onnx::ValueInfoProto value(const std::string &name, std::vector<int64_t> shape) {
  onnx::ValueInfoProto info;
  info.set_name(name);
  auto &type = *info.mutable_type()->mutable_tensor_type();
  type.set_elem_type(onnx::TensorProto::FLOAT);
  for (int64_t extent : shape)
    type.mutable_shape()->add_dim()->set_dim_value(extent);
  return info;
}

onnx::NodeProto &node(onnx::GraphProto &graph, const std::string &type, std::vector<std::string> inputs,
                      const std::string &output) {
  onnx::NodeProto &made = *graph.add_node();
  made.set_op_type(type);
  made.set_name(output + "_node");
  for (const std::string &input : inputs)
    made.add_input(input);
  made.add_output(output);
  return made;
}

/// Weights in both forms, shape arithmetic, attributes of several kinds: what readers look into.
std::string smallModel() {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(17);
  onnx::GraphProto &graph = *model.mutable_graph();
  graph.set_name("g");
  *graph.add_input() = value("x", {2, 3});
  *graph.add_output() = value("y", {2, 2});
  onnx::TensorProto &weight = *graph.add_initializer();
  weight.set_name("w");
  weight.set_data_type(onnx::TensorProto::FLOAT);
  weight.add_dims(3);
  weight.add_dims(2);
  weight.set_raw_data(std::string(24, '\1'));
  onnx::TensorProto &bias = *graph.add_initializer();
  bias.set_name("b");
  bias.set_data_type(onnx::TensorProto::FLOAT);
  bias.add_dims(2);
  bias.add_float_data(1);
  bias.add_float_data(2);
  onnx::TensorProto &shape = *graph.add_initializer();
  shape.set_name("s");
  shape.set_data_type(onnx::TensorProto::INT64);
  shape.add_dims(2);
  shape.add_int64_data(-1);
  shape.add_int64_data(2);
  onnx::AttributeProto &alpha = *node(graph, "Gemm", {"x", "w", "b"}, "h").add_attribute();
  alpha.set_name("alpha");
  alpha.set_type(onnx::AttributeProto::FLOAT);
  alpha.set_f(0.5f);
  onnx::AttributeProto &axis = *node(graph, "Softmax", {"h"}, "p").add_attribute();
  axis.set_name("axis");
  axis.set_type(onnx::AttributeProto::INT);
  axis.set_i(1);
  node(graph, "Reshape", {"p", "s"}, "y");
  return model.SerializeAsString();
}

class DamagedModels : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("damaged", "onnx", path));
    context.getDiagEngine().registerHandler([this](mlir::Diagnostic &) { ++sentences; });
  }
  void TearDown() override { llvm::sys::fs::remove(path); }

  /// Whether the bytes are a model; those that are not must be told about.
  bool imports(const std::string &bytes) {
    std::error_code error;
    llvm::raw_fd_ostream(path, error) << bytes;
    sentences = 0;
    bool made = bool(importModel(path, {}, &context));
    EXPECT_TRUE(made || sentences > 0) << "no module and no sentence";
    return made;
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  llvm::SmallString<128> path;
  int sentences = 0;
};

TEST_F(DamagedModels, EveryTruncationIsRefused) {
  std::string whole = smallModel();
  ASSERT_TRUE(imports(whole));
  for (size_t length = 0; length < whole.size(); ++length)
    // The operator set comes last: without it, or with part of the graph, there is no model.
    EXPECT_FALSE(imports(whole.substr(0, length))) << "truncated to " << length << " of " << whole.size();
}

TEST_F(DamagedModels, NoChangedByteCrashes) {
  std::string whole = smallModel();
  for (size_t at = 0; at < whole.size(); ++at)
    for (int flip : {0x01, 0x02, 0x08, 0x40, 0x80, 0xff}) {
      std::string damaged = whole;
      damaged[at] = char(damaged[at] ^ flip);
      imports(damaged);
    }
}

TEST_F(DamagedModels, NoSplicedBytesCrash) {
  std::string whole = smallModel();
  uint64_t random = 1;
  auto next = [&](size_t below) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    return size_t(random >> 33) % below;
  };
  for (int round = 0; round < 1000; ++round) {
    std::string damaged = whole;
    size_t from = next(whole.size()), to = next(whole.size()), count = 1 + next(16);
    damaged.insert(to, whole.substr(from, count));
    if (round % 2)
      damaged.erase(next(damaged.size()), count);
    imports(damaged);
  }
}

} // namespace
