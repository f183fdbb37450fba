#include "compiler/Import/Importer.h"

#include "compiler/Import/Dimensions.h"
#include "compiler/Import/Opset.h"
#include "compiler/Import/ParameterFile.h"

#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/Path.h"

#include "onnx/inliner/inliner.h"
#include "onnx/shape_inference/implementation.h"

using namespace mlir;

namespace tw::import {

const HandlerTable &handlerTable() {
  static const HandlerTable table = [] {
    HandlerTable result;
    addElementwise(result);
    addActivations(result);
    addMatrix(result);
    addConvolution(result);
    addNormalization(result);
    addShape(result);
    addConstants(result);
    addIndexing(result);
    addReduction(result);
    addAttention(result);
    addLosses(result);
    addControl(result);
    return result;
  }();
  return table;
}

Importer::Importer(ModelFile &file, const ImportOptions &options, Report &report)
    : file(file), options(options), report(report), context(file.location().getContext()), builder(context) {}

static std::string nodeName(const onnx::NodeProto &node) {
  if (!node.name().empty() || node.output_size() == 0)
    return node.name();
  return node.output(0);
}

// Exporters fold an inference-mode batch norm into the convolution before it, whose bias then has a name like these.
static void warnOfFoldedBatchNorms(const onnx::GraphProto &graph, Report &report) {
  std::vector<std::string> folded;
  for (const auto &node : graph.node())
    if (node.op_type() == "Conv" && node.input_size() == 3 &&
        (StringRef(node.input(2)).ends_with("weight_bias") || StringRef(node.input(2)).starts_with("onnx::Conv_")))
      folded.push_back("'" + nodeName(node) + "'");
  if (!folded.empty())
    report.warnings.push_back("batch norms seem to be folded into convolutions (" + llvm::join(folded, ", ") +
                              "), which cannot be undone: what is there is trained, without batch statistics; export "
                              "the model in training mode, or without optimisation, to train its batch norms");
}

// Exporters drop a Gemm's bias while it is all zero; then it cannot be trained. Where the exporter tells what the node
// came from, the weight table knows.
static void warnOfDroppedBiases(const onnx::GraphProto &graph, Report &report) {
  std::vector<std::string> without;
  for (const auto &node : graph.node())
    if (node.op_type() == "Gemm" && (node.input_size() < 3 || node.input(2).empty()) && !SourceNames::tells(node))
      without.push_back("'" + nodeName(node) + "'");
  if (!without.empty())
    report.warnings.push_back("Gemm nodes without a bias (" + llvm::join(without, ", ") +
                              "): exporters drop biases that are all zero, as fresh ones are; such biases cannot be "
                              "trained, unless the model is exported without optimisation");
}

OwningOpRef<ModuleOp> Importer::run() {
  // Evaluating a constant can fail after an error (an index outside of its range) in the middle of a node.
  bool sawError = false;
  ScopedDiagnosticHandler watcher(context, [&](Diagnostic &diagnostic) {
    sawError |= diagnostic.getSeverity() == DiagnosticSeverity::Error;
    return failure(); // for the next handler to print
  });
  onnx::GraphProto &graph = *file.model().mutable_graph();
  report.model = file.path().str();
  report.producer = file.model().producer_name() + " " + file.model().producer_version();
  report.opset = opsetOf(file.model(), "");
  if (failed(bindDimensions(graph, options.dims, report, file.location())) || failed(refuseUnknownOperators()) ||
      failed(refuseNewerOperators(file.model(), file.location())) || failed(inferTypes()))
    return nullptr;
  collectTypesAndUses(graph);
  warnOfFoldedBatchNorms(graph, report);
  warnOfDroppedBiases(graph, report);
  module = ModuleOp::create(file.location());
  StringRef name = graph.name().empty() ? llvm::sys::path::stem(file.path()) : StringRef(graph.name());
  (*module)->setAttr("graph.model_name", builder.getStringAttr(name));
  (*module)->setAttr("graph.model_path", builder.getStringAttr(file.path()));
  if (failed(importInputs()) || failed(importNodes(graph)) || failed(importOutputs()))
    return nullptr;
  // What folding left without a use.
  bool changed = true;
  while (changed) {
    changed = false;
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(main.getBody().front())))
      if (isOpTriviallyDead(&op)) {
        op.erase();
        changed = true;
      }
  }
  if (failed(verify(*module)) || sawError)
    return nullptr;
  return std::move(module);
}

//===----------------------------------------------------------------------===//
// Before importing
//===----------------------------------------------------------------------===//

void Importer::findUnknown(const onnx::GraphProto &graph, std::vector<std::string> &unknown) const {
  for (const auto &node : graph.node())
    if (!isStandardDomain(node.domain()) || !handlerTable().contains(node.op_type()))
      unknown.push_back("'" + nodeName(node) + "' (" + (node.domain().empty() ? "" : node.domain() + "::") +
                        node.op_type() + ")");
}

/// Replaces operators that ONNX itself defines by others. False if ONNX could not: then they stay.
static bool inlineOperators(onnx::ModelProto &model, onnx::inliner::FunctionIdVector operators) {
  if (operators.empty())
    return true;
  try {
    auto set = onnx::inliner::FunctionIdSet::Create(std::move(operators));
    onnx::inliner::InlineSelectedFunctions(model, *set, nullptr);
    return true;
  } catch (const std::exception &) {
    return false;
  }
}

LogicalResult Importer::refuseUnknownOperators() {
  onnx::inliner::FunctionIdVector missing;
  for (const auto &node : file.model().graph().node())
    if (isStandardDomain(node.domain()) && !handlerTable().contains(node.op_type()))
      missing.push_back({node.domain(), node.op_type()});
  (void)inlineOperators(file.model(), std::move(missing)); // what stays is reported below
  std::vector<std::string> unknown;
  findUnknown(file.model().graph(), unknown);
  if (unknown.empty())
    return success();
  return emitError(file.location()) << unknown.size()
                                    << (unknown.size() == 1 ? " node has an operator" : " nodes have operators")
                                    << " that the importer does not know: " << llvm::join(unknown, ", ");
}

LogicalResult Importer::inferTypes() {
  try {
    onnx::ShapeInferenceOptions inference{/*check_type=*/true, /*error_mode=*/1, /*enable_data_propagation=*/false};
    onnx::shape_inference::InferShapes(file.model(), onnx::OpSchemaRegistry::Instance(), inference);
  } catch (const std::exception &error) {
    std::string what = StringRef(error.what()).trim().str();
    std::replace(what.begin(), what.end(), '\n', ' ');
    return emitError(file.location(), "ONNX's shape inference refuses the model: ") << StringRef(what).rtrim(". ");
  }
  return success();
}

void Importer::collectTypesAndUses(const onnx::GraphProto &graph) {
  for (const auto *list : {&graph.input(), &graph.value_info(), &graph.output()})
    for (const auto &info : *list)
      if (info.type().has_tensor_type())
        elementTypes[info.name()] = info.type().tensor_type().elem_type();
  for (const auto &tensor : graph.initializer())
    elementTypes[tensor.name()] = tensor.data_type();
  for (const auto &output : graph.output())
    used.insert(output.name());
  for (const auto &node : graph.node()) {
    for (const std::string &name : node.input())
      used.insert(name);
    for (const auto &attribute : node.attribute())
      if (attribute.has_g())
        collectTypesAndUses(attribute.g());
  }
}

int32_t Importer::elementTypeOf(StringRef name) const {
  auto found = elementTypes.find(name);
  return found == elementTypes.end() ? 0 : found->second;
}

//===----------------------------------------------------------------------===//
// Inputs, parameters and outputs
//===----------------------------------------------------------------------===//

LogicalResult Importer::importInputs() {
  const onnx::GraphProto &graph = file.model().graph();
  std::set<std::string> initialized;
  for (const auto &tensor : graph.initializer())
    initialized.insert(tensor.name());
  std::map<std::string, RankedTensorType> parameterInputs;
  std::vector<llvm::GlobPattern> patterns;
  for (const std::string &text : options.parameterInputs) {
    auto pattern = llvm::GlobPattern::create(text);
    if (!pattern)
      return emitError(file.location(), "'") << text << "' is not a pattern: " << llvm::toString(pattern.takeError());
    patterns.push_back(*pattern);
  }
  SmallVector<std::pair<std::string, RankedTensorType>> arguments;
  for (const auto &input : graph.input()) {
    if (initialized.count(input.name()))
      continue;
    const auto &tensor = input.type().tensor_type();
    Type element = tw::import::elementTypeOf(tensor.elem_type(), context);
    if (!element)
      return emitError(file.location(), "input '") << input.name() << "' has an element type that is not supported";
    ShapeVector shape;
    for (const auto &dim : tensor.shape().dim())
      shape.push_back(dim.dim_value());
    auto type = RankedTensorType::get(shape, element);
    if (llvm::any_of(patterns, [&](const auto &pattern) { return pattern.match(input.name()); }))
      parameterInputs[input.name()] = type;
    else
      arguments.push_back({input.name(), type});
  }
  if (!patterns.empty() && parameterInputs.empty())
    return emitError(file.location(), "no input matches '") << llvm::join(options.parameterInputs, "', '") << "'";
  if (failed(weights.build(file, parameterInputs, report)))
    return failure();

  builder.setInsertionPointToEnd(module->getBody());
  SmallVector<Type> types = llvm::to_vector(llvm::map_range(arguments, [](auto &a) -> Type { return a.second; }));
  main = func::FuncOp::create(builder, file.location(), "main", builder.getFunctionType(types, {}));
  Block *body = main.addEntryBlock();
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    main.setArgAttr(i, "graph.name", builder.getStringAttr(argument.first));
    define(argument.first, ImportedValue{body->getArgument(i), std::nullopt});
    std::string text;
    llvm::raw_string_ostream(text) << argument.first << ": " << argument.second;
    report.inputs.push_back(text);
  }
  builder.setInsertionPointToStart(body);
  return createParameters();
}

LogicalResult Importer::createParameters() {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(main);
  for (const auto &weight : weights.all()) {
    if (weight->kind == WeightKind::Constant)
      continue;
    std::set<std::string> made;
    for (const Weight::Use &use : weight->uses) {
      if (!made.insert(use.symbol).second)
        continue;
      bool statistics = llvm::all_of(weight->uses, [&](const Weight::Use &other) {
        return other.symbol != use.symbol ||
               (other.node && other.node->op_type() == "BatchNormalization" && other.index >= 3);
      });
      graph::Role role = statistics                           ? graph::Role::Buffer
                         : weight->kind == WeightKind::Frozen ? graph::Role::Frozen
                                                              : graph::Role::Trainable;
      if (failed(createParameter(*weight, use.symbol, role, use)))
        return failure();
    }
  }
  return success();
}

/// Says where the value goes in the ONNX file: the exporter merged it with others, or dropped it.
static void setPlaces(graph::ParameterOp parameter, const Weight &weight) {
  SmallVector<StringRef> nodes;
  SmallVector<int64_t> inputs;
  for (const Weight::Use &use : weight.uses)
    if (use.symbol == parameter.getSymName() && use.node && use.node->output_size() > 0) {
      nodes.push_back(use.node->output(0));
      inputs.push_back(use.index);
    }
  Builder builder(parameter.getContext());
  parameter->setAttr("onnx_nodes", builder.getStrArrayAttr(nodes));
  parameter->setAttr("onnx_inputs", builder.getDenseI64ArrayAttr(inputs));
}

LogicalResult Importer::createParameter(const Weight &weight, StringRef symbol, graph::Role role,
                                        const Weight::Use &use) {
  Location location = NameLoc::get(builder.getStringAttr(symbol));
  auto parameter =
      graph::ParameterOp::create(builder, location, symbol, weight.type, role, StringAttr(), IntegerAttr(),
                                 IntegerAttr(), ElementsAttr(), FloatAttr(), FlatSymbolRefAttr(), StringAttr());
  if (symbol != weight.name || weight.isRestored) {
    if (!weight.isRestored)
      parameter.setOnnxName(weight.name);
    setPlaces(parameter, weight);
  }
  Report::Parameter entry;
  entry.name = symbol.str();
  llvm::raw_string_ostream(entry.type) << weight.type;
  entry.role = graph::stringifyRole(role).str();
  entry.reason = role == graph::Role::Buffer ? "running statistics of BatchNormalization" : weight.reason;
  entry.onnxName = weight.name;
  entry.elements = weight.type.getNumElements();
  report.parameters.push_back(entry);
  if (options.weights == Weights::Absent)
    return success();
  if (weight.isRestored) {
    parameter.setFillAttr(builder.getF64FloatAttr(0));
    return success();
  }
  std::optional<FileRange> range;
  if (weight.isInput) {
    auto found = inputValue(weight);
    if (failed(found))
      return failure();
    range = *found;
  } else {
    auto found = file.rangeOf(*weight.tensor);
    if (failed(found))
      return failure();
    range = *found;
  }
  if (range) {
    parameter.setFile(range->file);
    parameter.setOffset(range->offset);
    parameter.setLength(range->length);
  } else if (!weight.isInput) {
    auto value = file.valueOf(*weight.tensor);
    if (failed(value))
      return failure();
    parameter.setValueAttr(*value);
  }
  return success();
}

FailureOr<std::optional<FileRange>> Importer::inputValue(const Weight &weight) {
  if (options.parameterFile.empty())
    return std::optional<FileRange>();
  if (!parameterFile) {
    auto read = ParameterFile::read(options.parameterFile, file.location());
    if (failed(read))
      return failure();
    parameterFile = std::move(*read);
  }
  auto given = options.parameterNames.find(weight.name);
  FailureOr<FileRange> found = parameterFile->find(
      weight.name, weight.type, given == options.parameterNames.end() ? StringRef() : StringRef(given->second));
  if (failed(found))
    return failure();
  const FileRange &range = *found;
  return std::optional<FileRange>(range);
}

static bool isRunningStatistics(const onnx::GraphProto &graph, const std::string &name) {
  for (const auto &node : graph.node())
    if (node.op_type() == "BatchNormalization")
      for (int i = 1; i < node.output_size(); ++i)
        if (node.output(i) == name)
          return true;
  return false;
}

LogicalResult Importer::importOutputs() {
  SmallVector<Value> results;
  SmallVector<std::string> names;
  for (const auto &output : file.model().graph().output()) {
    // Running statistics are updated where batch_norm_training says so.
    if (isRunningStatistics(file.model().graph(), output.name())) {
      report.warnings.push_back("output '" + output.name() +
                                "' is left out: the training step updates running statistics itself");
      continue;
    }
    const ImportedValue *value = valueOf(output.name(), nullptr, 0, file.location());
    if (!value)
      return failure();
    if (!value->tensor)
      return emitError(file.location(), "output '") << output.name() << "' is a sequence, which is not supported";
    results.push_back(value->tensor);
    names.push_back(output.name());
    std::string text;
    llvm::raw_string_ostream(text) << output.name() << ": " << value->tensor.getType();
    report.outputs.push_back(text);
  }
  func::ReturnOp::create(builder, file.location(), results);
  SmallVector<Type> types = llvm::to_vector(llvm::map_range(results, [](Value v) { return v.getType(); }));
  main.setFunctionType(builder.getFunctionType(main.getArgumentTypes(), types));
  for (auto [i, name] : llvm::enumerate(names))
    main.setResultAttr(i, "graph.name", builder.getStringAttr(name));
  return success();
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

const ImportedValue *Importer::valueOf(StringRef name, const onnx::NodeProto *consumer, int index, Location location) {
  const Weight *weight = weights.find(name);
  if (!weight) {
    auto found = values.find(name);
    if (found != values.end())
      return &found->second;
    emitError(location, "nothing defines '") << name << "' before it is used";
    return nullptr;
  }
  ImportedValue &load = loads[{consumer, index}];
  if (load.tensor)
    return &load;
  if (weight->kind == WeightKind::Constant) {
    auto value = file.valueOf(*weight->tensor);
    if (failed(value))
      return nullptr;
    load.tensor = arith::ConstantOp::create(builder, location, *value);
  } else {
    load.tensor = graph::LoadOp::create(builder, location, weight->type, weights.symbolFor(*weight, consumer, index));
  }
  return &load;
}

FlatSymbolRefAttr Importer::parameterOf(Value value) const {
  auto load = value ? value.getDefiningOp<graph::LoadOp>() : nullptr;
  return load ? load.getParameterAttr() : FlatSymbolRefAttr();
}

Value Importer::loadCounter(StringRef name, Emitter &emit) {
  auto type = RankedTensorType::get({}, builder.getI64Type());
  if (declaredCounters.insert(name.str()).second) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(main);
    graph::ParameterOp::create(builder, file.location(), name, type, graph::Role::Counter, StringAttr(), IntegerAttr(),
                               IntegerAttr(), ElementsAttr(), builder.getF64FloatAttr(0), FlatSymbolRefAttr(),
                               StringAttr());
  }
  return graph::LoadOp::create(builder, emit.location, type, name);
}

LogicalResult Importer::importNodes(const onnx::GraphProto &graph) {
  for (const auto &node : graph.node())
    if (failed(importNode(node)))
      return failure();
  return success();
}

LogicalResult Importer::importNode(const onnx::NodeProto &proto) {
  // Weights and their other names are loaded where they are used.
  if (proto.output_size() > 0 && weights.find(proto.output(0)))
    return success();
  Location location =
      NameLoc::get(builder.getStringAttr(nodeName(proto)), NameLoc::get(builder.getStringAttr(proto.op_type())));
  auto found = handlerTable().find(proto.op_type());
  if (found == handlerTable().end() || !isStandardDomain(proto.domain()))
    return emitError(location, "the importer does not know this operator");
  Node node(*this, proto, opsetOf(file.model(), proto.domain()), builder, location);
  for (unsigned i = 0; i < node.inputCount(); ++i) {
    if (!node.hasInput(i))
      continue;
    const ImportedValue *value = node.imported(i);
    if (!value)
      return failure();
    bool takesSequence = StringRef(proto.op_type()).contains("Sequence");
    if (!value->tensor && !takesSequence)
      return node.error() << "its input '" << proto.input(i) << "' is a sequence of tensors, which it cannot take";
  }
  for (unsigned i = 0; i < found->second.required; ++i)
    if (!node.hasInput(i))
      return node.error() << "input " << i << " is missing";
  return found->second.function(node);
}

OwningOpRef<ModuleOp> importModel(StringRef path, const ImportOptions &options, MLIRContext *context, Report *report) {
  context->loadDialect<graph::GraphDialect, arith::ArithDialect, math::MathDialect, func::FuncDialect>();
  auto file = ModelFile::open(path, options.weights, context);
  if (failed(file))
    return nullptr;
  Report unused;
  return Importer(**file, options, report ? *report : unused).run();
}

} // namespace tw::import
