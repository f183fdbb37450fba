#include "runtime/train/OnnxExport.h"
#include "runtime/base/AtomicFile.h"
#include "runtime/base/MappedFile.h"
#include "runtime/base/Text.h"
#include "runtime/base/Types.h"
#include "runtime/train/onnx_subset.pb.h"
#include "runtime/train/ParameterReader.h"

#include <algorithm>
#include <climits>
#include <google/protobuf/io/coded_stream.h>
#include <map>

namespace tw::rt {

namespace {

namespace wire = google::protobuf::io;
constexpr int graphField = 7, initializerField = 5, rawDataField = 9;

std::string varint(uint64_t value) {
  uint8_t bytes[10];
  uint8_t *end = wire::CodedOutputStream::WriteVarint64ToArray(value, bytes);
  return std::string(bytes, end);
}
std::string lengthPrefix(int field, uint64_t length) {
  return varint(uint64_t(field) << 3 | 2) + varint(length);
}

// A tensor of the file that receives a parameter.
struct Filled {
  onnxpb::TensorProto header; // everything but the data
  const planpb::Parameter *parameter = nullptr;
  bool transposed = false;
  uint64_t bytes = 0;
};

class Exporter {
public:
  Exporter(Session &session, const std::string &path, const OnnxExportOptions &options)
      : session_(session), path_(path), options_(options) {}

  Status run() {
    const planpb::OnnxExport &plan = session_.plan().onnx_export();
    if (plan.model().empty())
      return Status::error("the program carries no ONNX model to export; compile it from an ONNX file");
    if (plan.model().size() > INT_MAX || !model_.ParseFromString(plan.model()))
      return Status::error("the ONNX model in the plan cannot be read; compile the program again");
    for (const planpb::OnnxExport::Target &target : plan.targets())
      TW_TRY(place(target));
    TW_TRY(completeOthers());
    return write();
  }

private:
  Status place(const planpb::OnnxExport::Target &target) {
    Filled filled;
    for (const planpb::Parameter &parameter : session_.plan().parameters())
      if (parameter.name() == target.parameter())
        filled.parameter = &parameter;
    if (!filled.parameter)
      return Status::error(
          text("the export names the parameter '", target.parameter(), "', which the plan does not have"));
    filled.transposed = target.transposed();
    if (filled.transposed && filled.parameter->shape_size() != 2)
      return Status::error(text("parameter '", target.parameter(), "' is to be transposed but is not a matrix"));
    if (onnxpb::TensorProto *constant = constantNode(target.initializer()))
      return fillInline(*constant, filled);
    onnxpb::GraphProto &graph = *model_.mutable_graph();
    auto &list = *graph.mutable_initializer();
    auto found = std::find_if(list.begin(), list.end(), [&](auto &t) { return t.name() == target.initializer(); });
    if (found != list.end()) {
      filled.header = *found;
      list.erase(found);
    } else if (isInput(target.initializer())) {
      filled.header.set_name(target.initializer());
    } else {
      return Status::error(text("the ONNX model has no initializer, constant or input '", target.initializer(), "'"));
    }
    setHeader(filled);
    filled_.push_back(std::move(filled));
    return Status::ok();
  }

  onnxpb::TensorProto *constantNode(const std::string &output) {
    for (onnxpb::NodeProto &node : *model_.mutable_graph()->mutable_node())
      if (node.op_type() == "Constant" && node.output_size() == 1 && node.output(0) == output)
        for (onnxpb::AttributeProto &attribute : *node.mutable_attribute())
          if (attribute.has_t())
            return attribute.mutable_t();
    return nullptr;
  }
  bool isInput(const std::string &name) const {
    const auto &inputs = model_.graph().input();
    return std::any_of(inputs.begin(), inputs.end(), [&](auto &input) { return input.name() == name; });
  }

  // The file's shape and type stand where it has them; the values must fit.
  void setHeader(Filled &filled) {
    onnxpb::TensorProto &header = filled.header;
    std::vector<int64_t> shape(filled.parameter->shape().begin(), filled.parameter->shape().end());
    if (filled.transposed)
      std::swap(shape[0], shape[1]);
    if (elementCount(header.dims()) != elementCount(shape) || header.data_type() == 0) {
      header.clear_dims();
      for (int64_t extent : shape)
        header.add_dims(extent);
    }
    if (!ParameterReader::typeOfOnnx(header.data_type()))
      header.set_data_type(ParameterReader::onnxType(filled.parameter->type()));
    header.clear_raw_data();
    header.clear_float_data();
    header.clear_int32_data();
    header.clear_int64_data();
    header.clear_double_data();
    header.clear_external_data();
    header.set_data_location(0);
    filled.bytes = uint64_t(elementCount(shape)) * typeSize(ParameterReader::typeOfOnnx(header.data_type()));
  }

  Status fillInline(onnxpb::TensorProto &tensor, Filled &filled) {
    filled.header = tensor;
    setHeader(filled);
    tensor = filled.header;
    std::string &data = *tensor.mutable_raw_data();
    return send(filled, [&](const void *bytes, size_t size) {
      data.append(static_cast<const char *>(bytes), size);
      return Status::ok();
    });
  }

  Status send(const Filled &filled, const TensorSource::Sink &sink) {
    ParameterReader reader(session_, *filled.parameter, filled.transposed,
                           ParameterReader::typeOfOnnx(filled.header.data_type()));
    return reader.send(sink);
  }

  // Tensors that are not parameters should have brought their data along; else the source model has them.
  Status completeOthers() {
    std::map<std::string, onnxpb::TensorProto *> missing;
    onnxpb::GraphProto &graph = *model_.mutable_graph();
    for (onnxpb::TensorProto &tensor : *graph.mutable_initializer())
      if (lacksData(tensor))
        missing[tensor.name()] = &tensor;
    for (onnxpb::NodeProto &node : *graph.mutable_node())
      if (node.op_type() == "Constant" && node.output_size() == 1)
        for (onnxpb::AttributeProto &attribute : *node.mutable_attribute())
          if (attribute.has_t() && lacksData(attribute.t()))
            missing[node.output(0)] = attribute.mutable_t();
    return missing.empty() ? Status::ok() : fillFromSource(missing);
  }

  static bool lacksData(const onnxpb::TensorProto &tensor) {
    bool empty = tensor.raw_data().empty() && tensor.float_data().empty() && tensor.int32_data().empty() &&
                 tensor.int64_data().empty() && tensor.double_data().empty();
    // Strings and 64-bit unsigned data are among the unknown fields: such types are taken to be complete.
    bool known = ParameterReader::typeOfOnnx(tensor.data_type()) != 0;
    return empty && known && elementCount(tensor.dims()) != 0 && tensor.data_location() == 0;
  }

  Status fillFromSource(std::map<std::string, onnxpb::TensorProto *> &missing) {
    const std::string &path = session_.plan().onnx_export().path();
    auto file = path.empty() ? Expected<MappedFile>(Status::error("none")) : MappedFile::open(path);
    onnxpb::ModelProto source;
    if (!file.failed() && file->size() <= INT_MAX && source.ParseFromArray(file->data(), int(file->size()))) {
      auto take = [&](const std::string &name, const onnxpb::TensorProto &tensor) {
        auto found = missing.find(name);
        if (found == missing.end() || lacksData(tensor) || tensor.data_location() != 0)
          return;
        *found->second = tensor;
        missing.erase(found);
      };
      for (const onnxpb::TensorProto &tensor : source.graph().initializer())
        take(tensor.name(), tensor);
      for (const onnxpb::NodeProto &node : source.graph().node())
        for (const onnxpb::AttributeProto &attribute : node.attribute())
          if (attribute.has_t() && node.output_size() == 1)
            take(node.output(0), attribute.t());
    }
    if (missing.empty())
      return Status::ok();
    return Status::error(text("the tensor '", missing.begin()->first, "' has no data in the plan",
                              path.empty() ? "" : text(", nor in its source '", path, "'"),
                              "; compile the program again"));
  }

  Status write() {
    uint64_t total = model_.ByteSizeLong();
    for (const Filled &filled : filled_)
      total += filled.bytes + filled.header.ByteSizeLong() + 32;
    return total > options_.inlineLimit ? writeExternal() : writeInline();
  }

  // Fields may come in any order: the model without its graph, then the graph without the tensors, then the tensors.
  Status writeInline() {
    std::string graph = model_.graph().SerializeAsString(), rest = modelWithoutGraph();
    std::vector<std::string> headers;
    uint64_t graphBytes = graph.size();
    for (const Filled &filled : filled_) {
      headers.push_back(filled.header.SerializeAsString());
      headers.back() += lengthPrefix(rawDataField, filled.bytes);
      uint64_t tensor = headers.back().size() + filled.bytes;
      headers.back().insert(0, lengthPrefix(initializerField, tensor));
      graphBytes += headers.back().size() + filled.bytes;
    }
    TW_ASSIGN(file, AtomicFile::create(path_));
    TW_TRY(file.write(rest));
    TW_TRY(file.write(lengthPrefix(graphField, graphBytes)));
    TW_TRY(file.write(graph));
    for (size_t i = 0; i < filled_.size(); ++i) {
      TW_TRY(file.write(headers[i]));
      TW_TRY(send(filled_[i], [&](const void *data, size_t size) { return file.write(data, size); }));
    }
    return file.commit();
  }

  Status writeExternal() {
    std::string dataPath = path_ + ".data", location = dataPath.substr(dataPath.find_last_of('/') + 1);
    TW_ASSIGN(data, AtomicFile::create(dataPath));
    for (Filled &filled : filled_) {
      static const char zeros[64] = {};
      TW_TRY(data.write(zeros, size_t(-data.written() % 64)));
      uint64_t offset = data.written();
      TW_TRY(send(filled, [&](const void *bytes, size_t size) { return data.write(bytes, size); }));
      filled.header.set_data_location(1);
      for (auto &[key, value] : std::vector<std::pair<const char *, std::string>>{
               {"location", location}, {"offset", std::to_string(offset)}, {"length", std::to_string(filled.bytes)}}) {
        onnxpb::StringStringEntryProto &entry = *filled.header.add_external_data();
        entry.set_key(key);
        entry.set_value(value);
      }
      *model_.mutable_graph()->add_initializer() = filled.header;
    }
    TW_TRY(data.commit());
    return writeFileAtomically(path_, model_.SerializeAsString());
  }

  std::string modelWithoutGraph() {
    onnxpb::GraphProto graph;
    graph.Swap(model_.mutable_graph());
    model_.clear_graph();
    std::string bytes = model_.SerializeAsString();
    graph.Swap(model_.mutable_graph());
    return bytes;
  }

  Session &session_;
  const std::string &path_;
  OnnxExportOptions options_;
  onnxpb::ModelProto model_;
  std::vector<Filled> filled_;
};

} // namespace

Status exportOnnx(Session &session, const std::string &path, const OnnxExportOptions &options) {
  return Exporter(session, path, options).run().in(text("cannot export '", path, "'"));
}

} // namespace tw::rt
