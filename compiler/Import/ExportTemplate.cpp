#include "compiler/Import/ExportTemplate.h"

#include "compiler/Dialect/Graph/Graph.h"
#include "compiler/Import/ModelFile.h"
#include "compiler/Import/WireFormat.h"

using namespace mlir;

namespace tw::import {
namespace {

class TemplateBuilder {
public:
  TemplateBuilder(ModuleOp module, ModelFile &file)
      : module(module), file(file), graph(*file.model().mutable_graph()) {}

  FailureOr<ExportTemplate> build() {
    ExportTemplate result;
    result.path = file.path().str();
    for (auto parameter : module.getOps<graph::ParameterOp>()) {
      bool isState = parameter.getRole() == graph::Role::Optimizer || parameter.getRole() == graph::Role::Counter;
      if (isState)
        continue;
      std::string tensor = parameter.getOnnxNameOrSymbol().str();
      if (parameter->hasAttr("onnx_nodes")) {
        tensor = parameter.getSymName().str();
        if (failed(separate(parameter)))
          return failure();
      }
      filled.insert(tensor);
      result.targets.push_back({parameter.getSymName().str(), tensor});
    }
    if (failed(completeTensors()))
      return failure();
    result.model = file.model().SerializeAsString();
    return result;
  }

private:
  /// Gives a parameter that was told apart, or that the exporter dropped, an initializer of its own.
  LogicalResult separate(graph::ParameterOp parameter) {
    std::string name = parameter.getSymName().str();
    auto &nodes = *graph.mutable_node();
    // The Identity that named this use of the merged tensor has done its work.
    for (int i = 0; i < nodes.size(); ++i)
      if (nodes[i].op_type() == "Identity" && nodes[i].output_size() == 1 && nodes[i].output(0) == name) {
        nodes.DeleteSubrange(i, 1);
        break;
      }
    auto outputs = parameter->getAttrOfType<ArrayAttr>("onnx_nodes");
    auto indices = parameter->getAttrOfType<DenseI64ArrayAttr>("onnx_inputs");
    for (auto [output, index] : llvm::zip(outputs.getAsValueRange<StringAttr>(), indices.asArrayRef()))
      if (!readThere(output, index, name))
        return parameter.emitError("its node '") << output
                                                 << "' is not in the model's main graph, so that the trained value "
                                                    "cannot go back into the ONNX file";
    onnx::TensorProto &tensor = *graph.add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(typeNumber(parameter.getTensorType().getElementType()));
    for (int64_t size : parameter.getTensorType().getShape())
      tensor.add_dims(size);
    return success();
  }

  /// Makes `name` input number `index` of the node whose first output is `output`. False if there is no such node.
  bool readThere(StringRef output, int64_t index, const std::string &name) {
    for (onnx::NodeProto &node : *graph.mutable_node())
      if (node.output_size() > 0 && node.output(0) == output) {
        while (node.input_size() <= index)
          node.add_input();
        node.set_input(static_cast<int>(index), name);
        return true;
      }
    return false;
  }

  static int32_t typeNumber(Type element) {
    for (int32_t type : {onnx::TensorProto::FLOAT, onnx::TensorProto::DOUBLE, onnx::TensorProto::FLOAT16})
      if (elementTypeOf(type, element.getContext()) == element)
        return type;
    return onnx::TensorProto::BFLOAT16;
  }

  LogicalResult completeTensors() {
    for (onnx::TensorProto &tensor : *graph.mutable_initializer())
      if (failed(complete(tensor, tensor.name())))
        return failure();
    for (onnx::NodeProto &node : *graph.mutable_node())
      for (onnx::AttributeProto &attribute : *node.mutable_attribute())
        if (attribute.has_t() && node.output_size() > 0 && failed(complete(*attribute.mutable_t(), node.output(0))))
          return failure();
    return success();
  }

  /// Parameters lose their data; other tensors get theirs from where they are.
  LogicalResult complete(onnx::TensorProto &tensor, const std::string &name) {
    bool isParameter = filled.count(name);
    if (!isParameter && tensor.data_location() == onnx::TensorProto::EXTERNAL) {
      auto range = file.rangeOf(tensor);
      if (failed(range))
        return failure();
      std::optional<StringRef> bytes = file.plainBytesOf(tensor);
      if (!bytes)
        return emitError(file.location(), "the data of tensor '") << name << "' are missing";
      tensor.set_raw_data(bytes->str());
    }
    if (isParameter) {
      tensor.clear_raw_data();
      tensor.clear_float_data();
      tensor.clear_double_data();
      tensor.clear_int32_data();
    }
    tensor.clear_external_data();
    tensor.clear_data_location();
    auto &metadata = *tensor.mutable_metadata_props();
    for (int i = metadata.size() - 1; i >= 0; --i)
      if (metadata[i].key() == kRangeKey)
        metadata.DeleteSubrange(i, 1);
    return success();
  }

  ModuleOp module;
  ModelFile &file;
  onnx::GraphProto &graph;
  std::set<std::string> filled;
};

} // namespace

FailureOr<ExportTemplate> makeExportTemplate(ModuleOp module) {
  auto path = module->getAttrOfType<StringAttr>("graph.model_path");
  if (!path)
    return module.emitError("the module does not say which ONNX model it came from (graph.model_path)");
  auto file = ModelFile::open(path.getValue(), Weights::Mapped, module.getContext());
  if (failed(file))
    return failure();
  return TemplateBuilder(module, **file).build();
}

} // namespace tw::import
