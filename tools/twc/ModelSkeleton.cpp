#include "tools/twc/ModelSkeleton.h"

#include "compiler/Dialect/Graph/Graph.h"
#include "compiler/Import/Onnx.h"
#include "compiler/Import/WireFormat.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <map>

using namespace mlir;

namespace tw::twc {
namespace {

class SkeletonBuilder {
public:
  SkeletonBuilder(const std::string &path, planpb::OnnxExport &result) : path(path), result(result) {}

  bool build(ModuleOp module, std::string &message) {
    auto buffer = llvm::MemoryBuffer::getFile(path, false, false);
    if (!buffer) {
      message = "cannot read '" + path + "': " + buffer.getError().message();
      return false;
    }
    file = (*buffer)->getBuffer();
    llvm::Expected<std::string> skeleton = import::skeletonOf(file, 0);
    if (!skeleton || !model.ParseFromString(*skeleton)) {
      message = skeleton ? "cannot parse '" + path + "'" : llvm::toString(skeleton.takeError());
      return false;
    }
    collectTensors();
    for (auto parameter : module.getOps<graph::ParameterOp>())
      addTarget(parameter);
    for (auto &[name, tensor] : tensors)
      if (!replaced.count(name) && !fill(*tensor)) {
        message = "cannot read the data of the tensor '" + name + "' of '" + path + "'";
        return false;
      }
    result.set_path(path);
    return model.SerializeToString(result.mutable_model());
  }

private:
  std::string path;
  planpb::OnnxExport &result;
  llvm::StringRef file;
  onnx::ModelProto model;
  std::map<std::string, onnx::TensorProto *> tensors; // initializers and Constant nodes' outputs
  std::set<std::string> replaced, inputs;

  void collectTensors() {
    onnx::GraphProto &graph = *model.mutable_graph();
    for (onnx::TensorProto &tensor : *graph.mutable_initializer())
      tensors[tensor.name()] = &tensor;
    for (onnx::NodeProto &node : *graph.mutable_node())
      for (onnx::AttributeProto &attribute : *node.mutable_attribute())
        if (attribute.has_t() && node.output_size() == 1)
          tensors[node.output(0)] = attribute.mutable_t();
    for (const onnx::ValueInfoProto &input : graph.input())
      inputs.insert(input.name());
  }

  void addTarget(graph::ParameterOp parameter) {
    if (parameter.getRole() == graph::Role::Optimizer || parameter.getRole() == graph::Role::Counter)
      return;
    std::string name = parameter.getOnnxNameOrSymbol().str();
    auto tensor = tensors.find(name);
    if (tensor == tensors.end() && !inputs.count(name))
      return;
    if (auto node = parameter->getAttrOfType<StringAttr>("onnx_node"); node && tensor != tensors.end())
      name = separate(*tensor->second, parameter, node.getValue());
    else
      replaced.insert(name);
    if (tensor != tensors.end() && replaced.count(name))
      strip(*tensor->second);
    planpb::OnnxExport::Target &target = *result.add_targets();
    target.set_parameter(parameter.getSymName().str());
    target.set_initializer(name);
    target.set_transposed(parameter.getTransposed());
  }

  /// Gives one use of a merged tensor an initializer of its own.
  std::string separate(const onnx::TensorProto &merged, graph::ParameterOp parameter, StringRef output) {
    std::string name = parameter.getSymName().str();
    auto index = parameter->getAttrOfType<IntegerAttr>("onnx_input");
    for (onnx::NodeProto &node : *model.mutable_graph()->mutable_node()) {
      if (!index || node.output_size() == 0 || node.output(0) != output.str() || index.getInt() >= node.input_size())
        continue;
      onnx::TensorProto &tensor = *model.mutable_graph()->add_initializer();
      tensor.set_name(name);
      tensor.set_data_type(merged.data_type());
      *tensor.mutable_dims() = merged.dims();
      node.set_input(int(index.getInt()), name);
      return name;
    }
    replaced.insert(merged.name());
    return merged.name();
  }

  static void strip(onnx::TensorProto &tensor) {
    onnx::TensorProto bare;
    bare.set_name(tensor.name());
    bare.set_data_type(tensor.data_type());
    *bare.mutable_dims() = tensor.dims();
    tensor = bare;
  }

  /// Puts the data back of a tensor that no parameter replaces.
  bool fill(onnx::TensorProto &tensor) {
    std::string location, range;
    uint64_t offset = 0, length = 0;
    for (const auto &entry : tensor.metadata_props())
      if (entry.key() == import::kRangeKey.str())
        range = entry.value();
    for (const auto &entry : tensor.external_data()) {
      if (entry.key() == "location")
        location = entry.value();
      if (entry.key() == "offset")
        llvm::StringRef(entry.value()).getAsInteger(10, offset);
      if (entry.key() == "length")
        llvm::StringRef(entry.value()).getAsInteger(10, length);
    }
    onnx::TensorProto kept = tensor;
    strip(tensor);
    if (location.empty()) { // its data are in fields of their own
      for (int i = kept.metadata_props_size(); i-- > 0;)
        if (kept.metadata_props(i).key() == import::kRangeKey.str())
          kept.mutable_metadata_props()->DeleteSubrange(i, 1);
      tensor = kept;
      return true;
    }
    if (location == import::kSelfLocation.str()) {
      auto [first, second] = llvm::StringRef(range).split(' ');
      if (first.getAsInteger(10, offset) || second.getAsInteger(10, length) || offset > file.size() ||
          length > file.size() - offset)
        return false;
      tensor.set_raw_data(file.substr(offset, length).str());
      return true;
    }
    return fillFromFile(tensor, llvm::StringRef(location).drop_front(location[0] == '#'), offset, length);
  }

  bool fillFromFile(onnx::TensorProto &tensor, llvm::StringRef location, uint64_t offset, uint64_t length) {
    llvm::SmallString<128> full(llvm::sys::path::parent_path(path));
    llvm::sys::path::append(full, location);
    auto buffer = llvm::MemoryBuffer::getFile(full, false, false);
    if (!buffer)
      return false;
    llvm::StringRef data = (*buffer)->getBuffer();
    if (offset > data.size() || (length && length > data.size() - offset))
      return false;
    tensor.set_raw_data(data.substr(offset, length ? length : llvm::StringRef::npos).str());
    return true;
  }
};
} // namespace

bool addModelSkeleton(ModuleOp module, const std::string &path, planpb::OnnxExport &result, std::string &message) {
  llvm::SmallString<128> absolute(path);
  llvm::sys::fs::make_absolute(absolute);
  return SkeletonBuilder(absolute.str().str(), result).build(module, message);
}

} // namespace tw::twc
