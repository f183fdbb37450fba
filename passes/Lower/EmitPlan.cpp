// The plan's header: parameters and their sources, inputs, batch, mesh.
#include "passes/Lower/EmitPlan.h"

#include "passes/Lower/ArenaPlanner.h"
#include "passes/Lower/EmitProgram.h"
#include "passes/Lower/KernelCalls.h"
#include "passes/Lower/Passes.h"

using namespace mlir;

namespace tw::lower {
namespace {

class PlanEmitter {
public:
  PlanEmitter(ModuleOp module, const EmitPlanOptions &options) : module(module), options(options) {}

  FailureOr<EmittedPlan> emit() {
    emitHeader();
    for (auto parameter : module.getOps<graph::ParameterOp>())
      if (failed(emitParameter(parameter)))
        return failure();
    for (auto program : module.getOps<plan::ProgramOp>())
      for (auto input : program.getOps<plan::InputOp>())
        emitInput(program, input);
    emitBatch();
    int64_t ranks = options.data * options.tensor * options.pipeline;
    for (auto program : module.getOps<plan::ProgramOp>())
      for (int64_t rank = 0; rank < ranks; ++rank)
        if (failed(emitProgram(program, rank, *plan().add_programs())))
          return failure();
    return std::move(result);
  }

private:
  ModuleOp module;
  const EmitPlanOptions &options;
  EmittedPlan result;
  std::map<std::string, uint32_t> files;

  planpb::Plan &plan() { return result.plan; }

  void emitHeader() {
    plan().set_format_version(1);
    plan().set_producer("Trainwright 0.1.0");
    if (auto name = module->getAttrOfType<StringAttr>("graph.model_name"))
      plan().set_model_name(name.str());
    plan().set_target(options.target);
    plan().set_cpu(options.cpu);
    plan().set_cpu_features(options.cpuFeatures);
    plan().set_threads(options.threads);
    plan().mutable_mesh()->set_data(options.data);
    plan().mutable_mesh()->set_tensor(options.tensor);
    plan().mutable_mesh()->set_pipeline(options.pipeline);
    plan().mutable_metadata()->insert(options.metadata.begin(), options.metadata.end());
  }

  LogicalResult emitParameter(graph::ParameterOp parameter) {
    planpb::Parameter &entry = *plan().add_parameters();
    RankedTensorType type = parameter.getTensorType();
    auto offset = parameter->getAttrOfType<IntegerAttr>("plan.offset");
    if (!offset)
      return parameter.emitError() << "has no place in the arena: run tw-lower-plan-memory first";
    entry.set_name(parameter.getSymName().str());
    entry.set_type(planpb::Type(typeNumber(type.getElementType())));
    entry.mutable_shape()->Add(type.getShape().begin(), type.getShape().end());
    entry.set_role(planpb::Role(parameter.getRole()));
    entry.set_offset(offset.getInt());
    return emitSource(parameter, *entry.mutable_source());
  }

  uint32_t fileIndex(const std::string &path) {
    auto [entry, isNew] = files.try_emplace(path, files.size());
    if (isNew)
      plan().add_weight_files(path);
    return entry->second;
  }

  /// Without a source the value is absent: the field stays unset.
  LogicalResult emitSource(graph::ParameterOp parameter, planpb::Source &source) {
    if (parameter.getFile()) {
      planpb::FileRange &range = *source.mutable_file();
      range.set_file(fileIndex(parameter.getFile()->str()));
      range.set_offset(parameter.getOffset().value_or(0));
      range.set_length(parameter.getLength().value_or(0));
    } else if (parameter.getFill()) {
      source.set_fill(parameter.getFill()->convertToDouble());
    } else if (parameter.getCopyOf()) {
      source.set_copy_of(parameter.getCopyOf()->str());
    } else if (parameter.getValue()) {
      std::string bytes;
      if (failed(elementBytesOf(parameter.getLoc(), *parameter.getValue(), bytes)))
        return failure();
      result.ownWeights.resize(alignUp(result.ownWeights.size()));
      planpb::FileRange &range = *source.mutable_file();
      range.set_file(fileIndex(""));
      range.set_offset(result.ownWeights.size());
      range.set_length(bytes.size());
      result.ownWeights += bytes;
    }
    return success();
  }

  /// Rows are counted in the train program, whose inputs may have a dimension for micro-batches first.
  void emitInput(plan::ProgramOp program, plan::InputOp input) {
    std::string name = input.getName().str();
    for (const planpb::DataInput &known : plan().inputs())
      if (known.name() == name)
        return;
    planpb::DataInput &entry = *plan().add_inputs();
    MemRefType type = input.getBuffer().getType();
    entry.set_name(name);
    entry.set_type(planpb::Type(typeNumber(type.getElementType())));
    bool stacked = options.microBatches > 1 && program.getSymName() != "evaluate";
    int64_t leading = stacked ? 2 : 1;
    entry.set_batched(!llvm::is_contained(options.wholeInputs, name) && type.getRank() >= leading);
    ArrayRef<int64_t> row = type.getShape();
    if (entry.batched()) {
      if (!options.microBatch)
        microBatch = std::max(microBatch, row[leading - 1]);
      row = row.drop_front(leading);
    }
    entry.mutable_row_shape()->Add(row.begin(), row.end());
    if (input.getLower() && input.getUpper()) {
      entry.set_has_bounds(true);
      entry.set_lower(*input.getLower());
      entry.set_upper(*input.getUpper());
    }
    if (input.getIgnore()) {
      entry.set_has_ignore(true);
      entry.set_ignore(*input.getIgnore());
      if (entry.row_shape_size() == 1) // labels of a sequence: a row counts as many tokens
        tokensPerRow = entry.row_shape(0);
    }
  }

  int64_t microBatch = 0, tokensPerRow = 0;

  void emitBatch() {
    plan().mutable_batch()->set_micro_batches(options.microBatches);
    plan().mutable_batch()->set_micro_batch(options.microBatch ? options.microBatch : microBatch);
    plan().mutable_batch()->set_tokens_per_row(tokensPerRow);
  }
};
} // namespace

FailureOr<EmittedPlan> emitPlan(ModuleOp module, const EmitPlanOptions &options) {
  return PlanEmitter(module, options).emit();
}

} // namespace tw::lower
