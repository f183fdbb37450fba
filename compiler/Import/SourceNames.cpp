#include "compiler/Import/SourceNames.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tw::import {
namespace {

constexpr StringLiteral kOperation = "pkg.torch.onnx.fx_node", kScopes = "pkg.torch.onnx.name_scopes";

StringRef metadata(const onnx::NodeProto &node, StringRef key) {
  for (const auto &entry : node.metadata_props())
    if (entry.key() == key)
      return entry.value();
  return {};
}

/// How torch.export spells a name where '.' cannot stand.
std::string mangled(StringRef name) {
  std::string result = name.str();
  std::replace(result.begin(), result.end(), '.', '_');
  return result;
}

/// "fc.1.bias" from "fc_1_bias", with the help of the scopes "['', 'fc', 'fc.1', 'addmm']".
std::string spelled(StringRef parameter, StringRef scopes) {
  std::string best = parameter.str();
  size_t longest = 0;
  SmallVector<StringRef> parts;
  scopes.split(parts, '\'');
  for (StringRef scope : parts)
    if (StringRef rest = parameter;
        scope.size() > longest && rest.consume_front(mangled(scope)) && rest.consume_front("_")) {
      best = (scope + "." + rest).str();
      longest = scope.size();
    }
  return best;
}

/// An operation of the source: its parameters by PyTorch's names, and the nodes that it became.
struct Operation {
  std::string name; // "aten.addmm"
  std::vector<std::string> parameters;
  std::vector<const onnx::NodeProto *> nodes;
};

/// "torch.ops.aten.addmm.default" is "aten.addmm".
std::string operationName(StringRef text) {
  StringRef target = text.substr(text.find("[target=")).drop_front(strlen("[target=")).split(']').first;
  target.consume_front("torch.ops.");
  return target.rsplit('.').first.str();
}

std::vector<std::string> parametersOf(StringRef text, StringRef scopes) {
  static constexpr StringLiteral prefix = "%p_";
  std::vector<std::string> result;
  for (size_t at = text.find("](args"); at != StringRef::npos;) {
    at = text.find(prefix, at);
    if (at == StringRef::npos)
      break;
    StringRef name = text.drop_front(at + prefix.size()).take_while([](char c) { return isAlnum(c) || c == '_'; });
    at += prefix.size() + name.size();
    if (std::string full = spelled(name, scopes); !is_contained(result, full))
      result.push_back(full);
  }
  return result;
}

std::vector<Operation> operationsOf(const onnx::GraphProto &graph) {
  std::vector<Operation> result;
  std::map<StringRef, size_t> known;
  for (const auto &node : graph.node()) {
    StringRef text = metadata(node, kOperation);
    if (!text.contains("%p_") || !text.contains("[target="))
      continue;
    auto [place, isNew] = known.insert({text, result.size()});
    if (isNew)
      result.push_back({operationName(text), parametersOf(text, metadata(node, kScopes)), {}});
    result[place->second].nodes.push_back(&node);
  }
  return result;
}

StringRef lastPart(StringRef name) {
  return name.substr(name.rfind('.') + 1);
}

/// Takes pairs that fit out of both lists.
template <typename Fits, typename Found>
void pairUp(std::vector<const SourceNames::Read *> &reads, std::vector<std::string> &parameters, Fits fits,
            Found found) {
  for (size_t i = 0; i < reads.size();) {
    auto match = find_if(parameters, [&](const std::string &name) { return fits(*reads[i], name); });
    if (match == parameters.end()) {
      ++i;
      continue;
    }
    found(*reads[i], *match);
    parameters.erase(match);
    reads.erase(reads.begin() + i);
  }
}

} // namespace

bool SourceNames::tells(const onnx::NodeProto &node) {
  return !metadata(node, kOperation).empty();
}

StringRef SourceNames::nameOf(const onnx::NodeProto *node, int index) const {
  auto found = names.find({node, index});
  return found == names.end() ? StringRef() : StringRef(found->second);
}

void SourceNames::resolve(const onnx::GraphProto &graph, ArrayRef<Read> reads, const std::set<std::string> &weights) {
  std::set<std::string> inFile;
  for (const std::string &name : weights)
    inFile.insert(mangled(name));
  for (const Operation &operation : operationsOf(graph)) {
    std::vector<const Read *> open;
    for (const Read &read : reads)
      if (is_contained(operation.nodes, read.node))
        open.push_back(&read);
    std::vector<std::string> parameters = operation.parameters;
    auto keep = [&](const Read &read, StringRef) { names[{read.node, read.index}] = read.name; };
    auto name = [&](const Read &read, StringRef parameter) { names[{read.node, read.index}] = parameter.str(); };
    // Weights under their own names first, then those whose names end alike, then what is left in order.
    auto isSame = [](const Read &read, StringRef parameter) { return mangled(read.name) == mangled(parameter); };
    auto endsAlike = [](const Read &read, StringRef parameter) { return lastPart(read.name) == lastPart(parameter); };
    pairUp(open, parameters, isSame, keep);
    pairUp(open, parameters, endsAlike, name);
    if (open.size() == parameters.size())
      pairUp(open, parameters, [](const Read &, StringRef) { return true; }, name);
    if (!open.empty()) // weights of unknown origin may stand for the parameters that are left
      continue;
    for (const std::string &parameter : parameters)
      if (!inFile.count(mangled(parameter)))
        droppedParameters.push_back({parameter, operation.name, operation.nodes.back()});
  }
}

} // namespace tw::import
