#include "compiler/Import/Opset.h"

#include "llvm/ADT/StringExtras.h"

#include "onnx/defs/schema.h"

using namespace mlir;

namespace tw::import {

int64_t opsetOf(const onnx::ModelProto &model, StringRef domain) {
  for (const auto &entry : model.opset_import())
    if (entry.domain() == domain || (isStandardDomain(entry.domain()) && isStandardDomain(domain)))
      return entry.version();
  return 1;
}

LogicalResult checkOpset(const onnx::ModelProto &model, Location location) {
  int64_t opset = opsetOf(model, "");
  if (opset < kOldestOpset)
    return emitError(location, "the model's opset is ")
           << opset << ", but the oldest that can be read is " << kOldestOpset
           << ": export it anew, or convert it with onnx.version_converter.convert_version(model, 17)";
  int64_t known = onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map().at("").second;
  if (opset > known)
    return emitError(location, "the model's opset is ") << opset << ", which is newer than ONNX " << known
                                                        << ": export it with an opset of at most " << kNewestOpset;
  return success();
}

static void findNewer(const onnx::GraphProto &graph, int64_t opset, std::vector<std::string> &newer) {
  for (const auto &node : graph.node()) {
    for (const auto &attribute : node.attribute())
      if (attribute.has_g())
        findNewer(attribute.g(), opset, newer);
    if (!isStandardDomain(node.domain()))
      continue;
    const onnx::OpSchema *schema = onnx::OpSchemaRegistry::Schema(node.op_type(), static_cast<int>(opset), "");
    if (schema && schema->since_version() > kNewestOpset) {
      std::string name = node.name().empty() && node.output_size() > 0 ? node.output(0) : node.name();
      newer.push_back("'" + name + "' (" + node.op_type() + " of opset " + std::to_string(schema->since_version()) +
                      ")");
    }
  }
}

LogicalResult refuseNewerOperators(const onnx::ModelProto &model, Location location) {
  std::vector<std::string> newer;
  findNewer(model.graph(), opsetOf(model, ""), newer);
  if (newer.empty())
    return success();
  return emitError(location) << newer.size() << (newer.size() == 1 ? " node has an operator" : " nodes have operators")
                             << " whose definition is newer than opset " << kNewestOpset << ": "
                             << llvm::join(newer, ", ") << "; export the model with an opset of at most "
                             << kNewestOpset;
}

} // namespace tw::import
