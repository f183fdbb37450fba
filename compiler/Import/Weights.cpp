#include "compiler/Import/Weights.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>
#include <cstring>

using namespace mlir;

namespace tw::import {

//===----------------------------------------------------------------------===//
// What operators take at an input
//===----------------------------------------------------------------------===//

enum class Slot { Data, Setting, Weight, Statistics };

static Slot slotOf(const onnx::NodeProto *node, int index) {
  if (!node)
    return Slot::Data;
  StringRef op = node->op_type();
  if (op == "BatchNormalization")
    return index >= 3 ? Slot::Statistics : index > 0 ? Slot::Weight : Slot::Data;
  bool setting =
      llvm::StringSwitch<bool>(op)
          .Cases({"Clip", "Pad", "Dropout", "OneHot", "Resize", "Upsample", "Pow", "Tile", "Expand"}, index > 0)
          .Cases({"Range", "ConstantOfShape", "CastLike"}, true)
          .Default(false);
  if (setting)
    return Slot::Setting;
  bool weight = llvm::StringSwitch<bool>(op)
                    .Cases({"Conv", "ConvTranspose", "Gemm", "LayerNormalization", "InstanceNormalization",
                            "GroupNormalization", "RMSNormalization", "PRelu", "LSTM", "GRU"},
                           index > 0)
                    .Case("MatMul", true)
                    .Case("Gather", index == 0)
                    .Default(false);
  return weight ? Slot::Weight : Slot::Data;
}

// Names such as `model.layers.0.weight`, not exporters' `val_7`, `onnx::Mul_3` and `/head/Constant_output_0`.
static bool isModuleName(StringRef name) {
  return name.contains('.') && !name.contains('/') && !name.contains("::");
}

//===----------------------------------------------------------------------===//
// Collection
//===----------------------------------------------------------------------===//

static const onnx::TensorProto *constantTensor(const onnx::NodeProto &node) {
  if (node.op_type() != "Constant" || node.output_size() != 1)
    return nullptr;
  for (const auto &attribute : node.attribute())
    if (attribute.name() == "value" && attribute.has_t())
      return &attribute.t();
  return nullptr;
}

LogicalResult WeightTable::addTensor(StringRef name, const onnx::TensorProto &tensor, bool fromConstantNode) {
  FailureOr<RankedTensorType> type = file->typeOf(tensor);
  if (failed(type))
    return failure();
  auto weight = std::make_unique<Weight>();
  weight->type = *type;
  weight->name = name.str();
  weight->tensor = &tensor;
  weight->fromConstantNode = fromConstantNode;
  byName[weight->name] = weight.get();
  weights.push_back(std::move(weight));
  return success();
}

// Identity nodes rename a weight: exporters write them where they merged equal tensors.
static bool isPlainIdentity(const onnx::NodeProto &node) {
  return node.op_type() == "Identity" && node.domain().empty() && node.input_size() == 1 && node.output_size() == 1;
}

void WeightTable::collect(const onnx::GraphProto &graph, bool isMain) {
  for (const auto &tensor : graph.initializer())
    failedToRead |= failed(addTensor(tensor.name(), tensor, false));
  for (const auto &node : graph.node()) {
    if (const onnx::TensorProto *tensor = constantTensor(node))
      failedToRead |= failed(addTensor(node.output(0), *tensor, true));
    if (isPlainIdentity(node))
      if (auto found = byName.find(node.input(0)); found != byName.end())
        byName[node.output(0)] = found->second;
    for (const auto &attribute : node.attribute())
      if (attribute.has_g())
        collect(attribute.g(), false);
  }
}

void WeightTable::addUses(const onnx::GraphProto &graph) {
  for (const auto &node : graph.node()) {
    for (const auto &attribute : node.attribute())
      if (attribute.has_g())
        addUses(attribute.g());
    for (auto [index, name] : llvm::enumerate(node.input()))
      consumers[name].push_back({&node, static_cast<int>(index)});
    if (isPlainIdentity(node) && byName.count(node.input(0)))
      continue;
    for (auto [index, name] : llvm::enumerate(node.input()))
      if (auto found = byName.find(name); found != byName.end())
        found->second->uses.push_back({&node, static_cast<int>(index), name, ""});
  }
  for (const auto &output : graph.output())
    if (auto found = byName.find(output.name()); found != byName.end())
      found->second->uses.push_back({nullptr, 0, output.name(), ""});
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

// Calls `visit` with each element until it returns false. False if the elements are not plain f32 bytes of a file.
static bool visitFloats(const ModelFile &file, const Weight &weight, llvm::function_ref<bool(float)> visit) {
  if (!weight.tensor || !weight.type.getElementType().isF32())
    return false;
  std::optional<StringRef> bytes = file.plainBytesOf(*weight.tensor);
  if (!bytes)
    return false;
  for (size_t at = 0; at + sizeof(float) <= bytes->size(); at += sizeof(float)) {
    float value;
    std::memcpy(&value, bytes->data() + at, sizeof value);
    if (!visit(value))
      break;
  }
  return true;
}

static bool isMask(const ModelFile &file, const Weight &weight) {
  bool possible = true, masks = false;
  bool read = visitFloats(file, weight, [&](float value) {
    masks |= value <= -1e4f;
    possible = value == 0 || value <= -1e4f;
    return possible;
  });
  return read && possible && masks;
}

static bool hasEqualElements(const ModelFile &file, const Weight &weight) {
  std::optional<float> first;
  bool equal = true;
  bool read = visitFloats(file, weight, [&](float value) {
    first = first.value_or(value);
    return equal = value == *first;
  });
  return read && equal && first;
}

static bool areCosineAndSine(const ModelFile &file, const Weight &a, const Weight &b) {
  std::vector<float> first;
  if (!visitFloats(file, a, [&](float value) {
        first.push_back(value);
        return std::fabs(value) <= 1.0001f;
      }))
    return false;
  if (static_cast<int64_t>(first.size()) != a.type.getNumElements() || std::fabs(first.back()) > 1.0001f)
    return false;
  size_t i = 0;
  bool unit = true;
  return visitFloats(file, b,
                     [&](float value) {
                       float other = first[i++];
                       return unit = std::fabs(value * value + other * other - 1) < 1e-3f;
                     }) &&
         unit;
}

//===----------------------------------------------------------------------===//
// Classification
//===----------------------------------------------------------------------===//

// Rule 7.
bool WeightTable::runsIntoSinOrCos(const Weight &weight) const {
  static const llvm::StringSet<> passes = {"Mul",    "MatMul",  "Transpose", "Unsqueeze", "Squeeze",
                                           "Expand", "Reshape", "Cast",      "Concat",    "Identity",
                                           "Slice",  "Einsum",  "Tile",      "Gather",    "Shape"};
  SmallVector<const onnx::NodeProto *> work;
  llvm::SmallPtrSet<const onnx::NodeProto *, 32> seen;
  for (const Weight::Use &use : weight.uses)
    work.push_back(use.node);
  bool found = false;
  while (!work.empty()) {
    const onnx::NodeProto *node = work.pop_back_val();
    if (!node || seen.size() > 256)
      return false;
    if (!seen.insert(node).second)
      continue;
    if (node->op_type() == "Sin" || node->op_type() == "Cos") {
      found = true;
      continue;
    }
    if (!passes.contains(node->op_type()))
      return false;
    if (node->op_type() == "Shape")
      continue;
    for (const std::string &output : node->output())
      if (auto users = consumers.find(output); users != consumers.end())
        for (const auto &[user, index] : users->second)
          work.push_back(user);
  }
  return found;
}

LogicalResult WeightTable::classify(Weight &weight) {
  auto set = [&](WeightKind kind, StringRef reason) {
    weight.kind = kind;
    weight.reason = reason.str();
    return success();
  };
  auto allUses = [&](Slot slot) {
    return llvm::all_of(weight.uses, [&](const auto &use) { return slotOf(use.node, use.index) == slot; });
  };
  auto anyUse = [&](Slot slot) {
    return llvm::any_of(weight.uses, [&](const auto &use) { return slotOf(use.node, use.index) == slot; });
  };
  if (!isa<FloatType>(weight.type.getElementType()))
    return set(WeightKind::Constant, "not a float");
  if (weight.isInput)
    return set(WeightKind::Trainable, "an input declared a parameter");
  if (weight.isRestored)
    return set(WeightKind::Trainable, "a bias of zeros that the exporter dropped");
  if (allUses(Slot::Setting) || weight.type.getNumElements() == 0)
    return set(WeightKind::Constant, "a setting of its operator");
  if (allUses(Slot::Statistics))
    return set(WeightKind::Buffer, "running statistics of BatchNormalization");
  if (weight.type.getNumElements() == 1 && !anyUse(Slot::Weight) && !anyUse(Slot::Statistics) &&
      !isModuleName(weight.name))
    return set(WeightKind::Constant, "one number");
  if (isMask(*file, weight))
    return set(WeightKind::Constant, "a mask");
  if (weight.type.getRank() != 1 && allUses(Slot::Data) && !isModuleName(weight.name) &&
      hasEqualElements(*file, weight))
    return set(WeightKind::Constant, "one number, repeated");
  if (runsIntoSinOrCos(weight))
    return set(WeightKind::Constant, "frequencies of sines and cosines");
  return set(WeightKind::Trainable, "a float tensor that the graph computes with");
}

// Rule 8.
void WeightTable::findRotaryTables() {
  std::vector<Weight *> candidates;
  for (const auto &weight : weights)
    if (weight->kind == WeightKind::Trainable && !weight->isInput && weight->type.getRank() >= 2 &&
        !weight->uses.empty() &&
        llvm::all_of(weight->uses, [](const auto &use) { return use.node && use.node->op_type() == "Mul"; }))
      candidates.push_back(weight.get());
  for (size_t i = 0; i < candidates.size(); ++i)
    for (size_t j = i + 1; j < candidates.size(); ++j)
      if (candidates[i]->type == candidates[j]->type && areCosineAndSine(*file, *candidates[i], *candidates[j]))
        for (Weight *table : {candidates[i], candidates[j]}) {
          table->kind = WeightKind::Frozen;
          table->reason = "cosines and sines of a rotary embedding";
        }
}

/// How often a merged weight may have been a parameter of its own in the source.
WeightTable::Origin WeightTable::originOf(const Weight &weight) const {
  if (weight.uses.size() < 2 || weight.kind == WeightKind::Constant || weight.isInput)
    return Origin::One;
  std::set<StringRef> names;
  for (const Weight::Use &use : weight.uses)
    names.insert(sourceNames.nameOf(use.node, use.index));
  if (!names.count("")) // the exporter tells
    return names.size() > 1 ? Origin::Several : Origin::One;
  if (!hasEqualElements(*file, weight))
    return Origin::One;
  return weight.type.getRank() == 1 ? Origin::Several : Origin::Unknown;
}

void WeightTable::tellApart(Weight &weight) {
  auto fresh = [&](StringRef wanted) {
    std::string symbol = wanted.str();
    for (int count = 2; !symbols.insert(symbol).second; ++count)
      symbol = (wanted + "#" + Twine(count)).str();
    return symbol;
  };
  std::string places = "'" + weight.name + "' is used in " + std::to_string(weight.uses.size()) + " places";
  Origin origin = originOf(weight);
  if (origin != Origin::Several) {
    std::string symbol = weight.uses.empty() || weight.kind == WeightKind::Constant ? "" : fresh(weight.name);
    for (Weight::Use &use : weight.uses)
      use.symbol = symbol;
    if (origin == Origin::Unknown)
      report->warnings.push_back(places + " and all its elements are equal: it is trained as one parameter; if the "
                                          "exporter merged equal initial values, export without optimisation");
    return;
  }
  std::map<std::string, std::string> known; // the source's name to the symbol
  bool allKnown = true;
  for (Weight::Use &use : weight.uses) {
    std::string source = sourceNames.nameOf(use.node, use.index).str();
    auto found = known.find(source);
    use.symbol = found != known.end() ? found->second : fresh(source.empty() ? StringRef(use.as) : StringRef(source));
    if (!source.empty())
      known[source] = use.symbol;
    allKnown &= !source.empty();
  }
  report->warnings.push_back(places + (allKnown
                                           ? " for which the source had " + std::to_string(known.size()) +
                                                 " parameters of equal initial values, which the exporter merged: they "
                                                 "are told apart by their names"
                                           : " and all its elements are equal: an exporter merged equal initial "
                                             "values, so each use has a parameter of its own (if the vector was shared "
                                             "on purpose, they train apart)"));
}

// What the exporter tells about where weights came from, and which it dropped.
void WeightTable::resolveSourceNames() {
  std::set<std::string> names;
  SmallVector<SourceNames::Read> reads;
  for (const auto &weight : weights) {
    bool isNumber = weight->type.getNumElements() == 1 && !isModuleName(weight->name);
    if (!isa<FloatType>(weight->type.getElementType()) || isNumber)
      continue;
    names.insert(weight->name);
    for (const Weight::Use &use : weight->uses)
      if (use.node)
        reads.push_back({use.node, use.index, weight->name});
  }
  sourceNames.resolve(file->model().graph(), reads, names);
  std::vector<std::string> restored, lost;
  for (const SourceNames::Dropped &dropped : sourceNames.dropped()) {
    bool isBack = restoreBias(dropped);
    (isBack ? restored : lost).push_back("'" + dropped.name + "'");
    if (!isBack)
      lost.back() += " (" + dropped.operation + ", '" + dropped.node->output(0) + "')";
  }
  if (!restored.empty())
    report->warnings.push_back("the exporter dropped biases that are all zero: " + llvm::join(restored, ", ") +
                               "; they are trained as if they had stayed");
  if (!lost.empty())
    report->warnings.push_back("the exporter dropped parameters that had no effect yet: " + llvm::join(lost, ", ") +
                               "; they cannot be trained, unless the model is exported without optimisation");
}

// alpha A' B' + C: without C, where the source had a parameter there, it was all zero.
bool WeightTable::restoreBias(const SourceNames::Dropped &dropped) {
  auto matrix = dropped.node->input_size() == 2 ? byName.find(dropped.node->input(1)) : byName.end();
  bool isProduct = dropped.operation == "aten.addmm" || dropped.operation == "aten.linear";
  if (dropped.node->op_type() != "Gemm" || !isProduct || matrix == byName.end() ||
      matrix->second->type.getRank() != 2 || byName.count(dropped.name))
    return false;
  bool transposed = false;
  for (const auto &attribute : dropped.node->attribute())
    transposed |= attribute.name() == "transB" && attribute.i() != 0;
  RankedTensorType type = matrix->second->type;
  auto weight = std::make_unique<Weight>();
  weight->name = dropped.name;
  weight->type = type.clone(type.getShape()[transposed ? 0 : 1]);
  weight->isRestored = true;
  weight->uses.push_back({dropped.node, 2, dropped.name, ""});
  for (onnx::NodeProto &node : *file->model().mutable_graph()->mutable_node())
    if (&node == dropped.node)
      node.add_input(dropped.name);
  byName[weight->name] = weight.get();
  weights.push_back(std::move(weight));
  return true;
}

LogicalResult WeightTable::build(ModelFile &model, const std::map<std::string, RankedTensorType> &parameterInputs,
                                 Report &toFill) {
  file = &model;
  report = &toFill;
  for (const auto &[name, type] : parameterInputs) {
    auto weight = std::make_unique<Weight>();
    weight->name = name;
    weight->type = type;
    weight->isInput = true;
    byName[name] = weight.get();
    weights.push_back(std::move(weight));
  }
  collect(model.model().graph(), true);
  for (const auto &weight : weights) // one error is enough: the other tensors are often in the same file
    if (weight->tensor && failed(file->rangeOf(*weight->tensor)))
      return failure();
  addUses(model.model().graph());
  resolveSourceNames();
  for (const auto &weight : weights)
    failedToRead |= failed(classify(*weight));
  findRotaryTables();
  for (const auto &weight : weights)
    tellApart(*weight);
  return success(!failedToRead);
}

const Weight *WeightTable::find(StringRef name) const {
  auto found = byName.find(name);
  return found == byName.end() ? nullptr : found->second;
}

StringRef WeightTable::symbolFor(const Weight &weight, const onnx::NodeProto *node, int index) const {
  for (const Weight::Use &use : weight.uses)
    if (use.node == node && use.index == index)
      return use.symbol;
  return weight.uses.empty() ? StringRef(weight.name) : StringRef(weight.uses.front().symbol);
}

} // namespace tw::import
